import { expect, test } from 'vitest';
import { defaultRetry, type Retry } from '../../shared/model/policies';
import { EndReason } from '../../shared/model/run';
import { MINUTE_MS, SECOND_MS } from '../../shared/time';
import { type AttemptResult, delayAfter, retryDelayMs } from './retry';

const retry: Retry = { ...defaultRetry, countMax: 3, delayMs: 10 * SECOND_MS, growth: 'fixed' };
const first = { trigger: 'schedule', attemptCount: 1, attemptsMax: 4 } as const;
const failed: AttemptResult = { outcome: 'failed', reason: 'exit_code', exitCode: 1 };

test('a failed or timed-out attempt is followed by another until there are as many as the job allows (X-32)', () => {
  expect(retryDelayMs(failed, first, retry)).toBe(10 * SECOND_MS);
  const timedOut = { outcome: 'timed_out', reason: 'timeout', exitCode: null } as const;
  expect(retryDelayMs(timedOut, { ...first, attemptCount: 3 }, retry)).toBe(10 * SECOND_MS);
  expect(retryDelayMs(failed, { ...first, attemptCount: 4 }, retry)).toBeNull();
});

test.each(['succeeded', 'cancelled', 'abandoned'] as const)('an attempt that %s is the last', (outcome) => {
  expect(retryDelayMs({ ...failed, outcome }, first, retry)).toBeNull();
});

test('a test run is not tried again, one by hand is', () => {
  expect(retryDelayMs(failed, { ...first, trigger: 'test' }, retry)).toBeNull();
  expect(retryDelayMs(failed, { ...first, trigger: 'manual' }, retry)).not.toBeNull();
});

test('only reasons that may pass by themselves are tried again', () => {
  const tried = EndReason.options.filter(
    (reason) => retryDelayMs({ outcome: 'failed', reason, exitCode: null }, first, retry) !== null,
  );
  expect(tried).toEqual([
    'exit_code',
    'signal',
    'timeout',
    'folder_missing',
    'env_file_unreadable',
    'spawn_failed',
  ]);
});

test('with chosen exit codes nothing else is tried again, a timeout neither', () => {
  const chosen = { ...retry, exitCodes: [75, 1] };
  expect(retryDelayMs(failed, first, chosen)).not.toBeNull();
  expect(retryDelayMs({ ...failed, exitCode: 2 }, first, chosen)).toBeNull();
  expect(retryDelayMs({ ...failed, reason: 'signal', exitCode: null }, first, chosen)).toBeNull();
  expect(retryDelayMs({ outcome: 'timed_out', reason: 'timeout', exitCode: 1 }, first, chosen)).toBeNull();
});

test('a doubling delay grows up to its ceiling, a fixed one stays', () => {
  const doubling: Retry = { ...retry, growth: 'doubling', delayMsMax: MINUTE_MS };
  expect([1, 2, 3, 4, 100].map((number) => delayAfter(number, doubling))).toEqual([
    10_000, 20_000, 40_000, 60_000, 60_000,
  ]);
  expect([1, 2, 100].map((number) => delayAfter(number, retry))).toEqual([10_000, 10_000, 10_000]);
});
