import { expect, test } from 'vitest';
import { ATTEMPTS_AFTER_INTERRUPTION_MAX, recoveryOf } from './recovery';

const once = { afterInterruption: 'keep', lostCount: 0 } as const;
const repeatable = { afterInterruption: 'repeat', lostCount: 0 } as const;
const lastLost = ATTEMPTS_AFTER_INTERRUPTION_MAX - 1;

test('a process that still runs is adopted, never killed (S-54)', () => {
  expect(recoveryOf({ kind: 'running' }, repeatable)).toEqual({ kind: 'adopt' });
});

test('a process that left its result is closed with its true end (D10)', () => {
  expect(recoveryOf({ kind: 'ended', end: { reason: null, exitCode: 7 } }, repeatable)).toEqual({
    kind: 'close',
  });
});

test('a process that is provably gone is interrupted, and the job stays on (X-40, S-52)', () => {
  expect(recoveryOf({ kind: 'gone', restarted: false }, once)).toEqual({
    kind: 'abandon',
    reason: 'interrupted',
    disablesJob: false,
  });
  expect(recoveryOf({ kind: 'gone', restarted: true }, once)).toMatchObject({
    reason: 'interrupted_restart',
  });
});

test('a job that says so is switched off by any interruption (S-53)', () => {
  const cautious = { ...once, afterInterruption: 'pause' } as const;
  expect(recoveryOf({ kind: 'gone', restarted: true }, cautious)).toEqual({
    kind: 'abandon',
    reason: 'interrupted_restart',
    disablesJob: true,
  });
});

test('only a job that says so is tried again, and not for ever (D4)', () => {
  expect(recoveryOf({ kind: 'gone', restarted: true }, repeatable)).toEqual({
    kind: 'repeat',
    reason: 'interrupted_restart',
  });
  expect(
    recoveryOf({ kind: 'gone', restarted: true }, { afterInterruption: 'repeat', lostCount: lastLost }),
  ).toMatchObject({ kind: 'abandon' });
});

test('a command that never began goes back to the queue whatever its job says, and not for ever (D4)', () => {
  const begun = { kind: 'never_started' } as const;
  expect(recoveryOf(begun, once)).toEqual({ kind: 'repeat', reason: 'interrupted' });
  const last = { ...once, lostCount: lastLost };
  expect(recoveryOf(begun, last)).toEqual({ kind: 'abandon', reason: 'interrupted', disablesJob: false });
});

test('a process that may still be alive is never repeated and switches the job off (S-53)', () => {
  expect(recoveryOf({ kind: 'unknown', why: 'no start time' }, repeatable)).toEqual({
    kind: 'abandon',
    reason: 'interrupted',
    disablesJob: true,
  });
});
