import { expect, test } from 'vitest';
import { createLastResort, STEADY_MS } from './lastResort';

function setUp({ lived, breaks = false }: { lived: number; breaks?: boolean }) {
  const done: string[] = [];
  const log = {
    info: () => undefined,
    warn: () => undefined,
    error: (event: string) => void done.push(`log ${event}`),
  };
  const fail = createLastResort({
    lived: () => lived,
    log: () => log,
    write: (line) => {
      if (breaks) throw new Error('EPIPE');
      done.push(line.split('\n')[0] ?? '');
    },
    relaunch: () => void done.push('relaunch'),
    end: (exitCode) => void done.push(`end ${exitCode}`),
  });
  return { done, fail };
}

test('an exception that nothing caught is written down, and another process takes over', () => {
  const { done, fail } = setUp({ lived: STEADY_MS });
  fail(new Error('ENOTEMPTY'));
  expect(done).toEqual(['belfry: Error: ENOTEMPTY', 'log app.failed', 'relaunch', 'end 1']);
});

test('one that fails right after its start would fail again, and has no successor', () => {
  const { done, fail } = setUp({ lived: STEADY_MS - 1 });
  fail('a text that was thrown');
  expect(done).toEqual(['belfry: a text that was thrown', 'log app.failed', 'end 1']);
});

test('the process ends even if nothing can be written', () => {
  const { done, fail } = setUp({ lived: STEADY_MS, breaks: true });
  expect(() => fail(new Error('x'))).toThrow('EPIPE');
  expect(done).toEqual(['end 1']);
});
