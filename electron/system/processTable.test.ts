import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import fs from 'node:fs';
import { describe, expect, test } from 'vitest';
import { createProcessTable, type ProcessTable, parseProcStat, parsePsLine } from './processTable';

// The table of macOS reads `ps`, which Linux has too where procps is installed: then both are tried here.
const tables: [string, ProcessTable][] = [
  ['own', createProcessTable()],
  ...(fs.existsSync('/usr/bin/ps')
    ? [['ps', createProcessTable('darwin')] satisfies [string, ProcessTable]]
    : []),
];

test('reads the group and the start of a process whose name holds spaces and brackets', () => {
  const line = `4711 (a) (b c) S 1 4700 4700 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 987654 1 1`;
  expect(parseProcStat(line)).toEqual({ pid: 4711, group: 4700, start: '987654', isZombie: false });
  expect(parseProcStat('4711 (x) Z 1 4700 4700 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 12 0')?.isZombie).toBe(true);
  expect(parseProcStat('')).toBeNull();
});

test('reads a line of ps with any spacing', () => {
  expect(parsePsLine('  812   800 Ss+  Mon Jan  5 07:08:09 2026 /bin/sh -c x')).toEqual({
    pid: 812,
    group: 800,
    start: 'Mon Jan 5 07:08:09 2026',
    isZombie: false,
  });
  expect(parsePsLine('12 12 Z Mon Jan 5 07:08:09 2026')?.isZombie).toBe(true);
  expect(parsePsLine('')).toBeNull();
});

describe.skipIf(process.platform === 'win32').each(tables)('the table read from %s', (_, table) => {
  test('one process lifetime has one start text, and a dead process is absent (S-28)', async () => {
    const child = spawn(process.execPath, ['-e', 'process.stdin.resume()'], {
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    await once(child, 'spawn');
    const pid = child.pid ?? 0;
    const first = table.look(pid);
    expect(first).toMatchObject({ kind: 'found', process: { pid, isZombie: false } });
    expect(first.kind === 'found' && first.process.start).toBeTruthy();
    expect(table.look(pid)).toEqual(first);
    const own = table.look(process.pid);
    expect(own.kind === 'found' && own.process.pid).toBe(process.pid);

    child.stdin.end();
    await once(child, 'exit');
    expect(table.look(pid)).toEqual({ kind: 'absent' });
  });

  test('finds living processes by an entry of their environment and by their group', async () => {
    const entry = `BELFRY_RUN_ID=${randomUUID()}`;
    const [name = '', value = ''] = entry.split('=');
    const start = (env: NodeJS.ProcessEnv) =>
      spawn(process.execPath, ['-e', 'process.stdin.resume()'], {
        stdio: ['pipe', 'ignore', 'ignore'],
        detached: true,
        env,
      });
    const marked = start({ ...process.env, [name]: value });
    const longer = start({ ...process.env, [name]: `${value}0`, [`X${name}`]: value });
    await Promise.all([once(marked, 'spawn'), once(longer, 'spawn')]);
    try {
      const byEntry = await table.search({ entry, group: null });
      expect(byEntry?.map((one) => one.pid)).toEqual([marked.pid]);
      const both = await table.search({ entry, group: longer.pid ?? null });
      expect(both?.map((one) => [one.pid, one.hasEntry]).sort()).toEqual(
        [
          [marked.pid, true],
          [longer.pid, false],
        ].sort(),
      );
    } finally {
      marked.stdin.end();
      longer.stdin.end();
      await Promise.all([once(marked, 'exit'), once(longer, 'exit')]);
    }
  });
});

test.skipIf(process.platform !== 'linux')(
  'finds a process in the middle of exec, where it has no environment for a moment',
  async () => {
    const entry = `BELFRY_RUN_ID=${randomUUID()}`;
    const [name = '', value = ''] = entry.split('=');
    // Replaces itself over and over: one look in about fifty would find it bare.
    const again = 'exec /bin/sh -c "$0" "$0"';
    const child = spawn('/bin/sh', ['-c', again, again], { stdio: 'ignore', env: { [name]: value } });
    // Its environment is empty for good, and it holds nobody up.
    const bare = spawn('/bin/cat', { stdio: ['pipe', 'ignore', 'ignore'], env: {} });
    await Promise.all([once(child, 'spawn'), once(bare, 'spawn')]);
    try {
      for (let round = 0; round < 100; round += 1) {
        const found = await createProcessTable().search({ entry, group: null });
        expect(found?.map((one) => one.pid)).toEqual([child.pid]);
      }
    } finally {
      child.kill('SIGKILL');
      bare.stdin.end();
      await Promise.all([once(child, 'exit'), once(bare, 'exit')]);
    }
  },
);
