import { expect, test } from 'vitest';
import { toInstant } from '../../shared/time';
import { endKilled, endWithCode } from './attemptEnd';

const facts = { endedAt: toInstant(5), outputBytes: 3, detail: null };

test.each([
  ['success', 0, null, null, null],
  ['success after a soft signal', 0, 'soft', null, null],
  ['an exit code', 7, null, 'exit_code', null],
  ['an exit code after a soft signal', 7, 'soft', 'exit_code', null],
  ['128 alone', 128, null, 'exit_code', null],
  ['143 by itself', 143, null, 'exit_code', null],
  ['143 after a soft signal', 143, 'soft', 'signal', 'SIGTERM'],
  ['143 after both signals', 143, 'hard', 'signal', 'SIGTERM'],
  ['130 as after a Ctrl-C', 130, null, 'exit_code', null],
  ['141 as after a closed pipe', 141, null, 'exit_code', null],
  ['a kill from elsewhere, often for want of memory', 137, null, 'signal', 'SIGKILL'],
  ['a crash', 139, null, 'signal', 'SIGSEGV'],
  ['an abort', 134, null, 'signal', 'SIGABRT'],
  ['255', 255, null, 'exit_code', null],
] as const)('%s', (_, code, sent, reason, signal) => {
  expect(endWithCode(code, { ...facts, sent })).toEqual({ ...facts, reason, signal, exitCode: code });
});

test('killed together with the shim there is no exit code', () => {
  expect(endKilled('SIGKILL', facts)).toEqual({
    ...facts,
    reason: 'signal',
    signal: 'SIGKILL',
    exitCode: null,
  });
});
