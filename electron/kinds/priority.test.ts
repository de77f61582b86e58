import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { withPriority } from './priority';

const command = { program: '/bin/sh', arguments: ['-c', 'echo "$0"; nice', 'a  b'] };

test('a command that gives way has its niceness from its first moment, and its arguments unchanged', async () => {
  const {
    program,
    arguments: list,
    missing,
  } = await withPriority(command, { niceness: 7, ioPriority: 'idle' });
  const own = Number(execFileSync('nice', { encoding: 'utf8' }));
  expect(missing.includes('nice')).toBe(false);
  expect(execFileSync(program, list, { encoding: 'utf8' })).toBe(`a  b\n${Math.min(19, own + 7)}\n`);
});

test('a normal command is started as it is, and so is one on a system without the tools', async () => {
  const normal = await withPriority(command, { niceness: 0, ioPriority: 'normal' });
  expect(normal).toEqual({ ...command, missing: [] });
  const without = await withPriority(command, { niceness: 7, ioPriority: 'low' }, []);
  expect(without).toEqual({ ...command, missing: ['nice', 'ionice'] });
});
