import { expect, test } from 'vitest';
import { attemptTransitions, outcomeOf, runTransitions, statesBefore } from './runs';

test('a finished run or attempt goes nowhere', () => {
  expect(runTransitions.finished).toEqual([]);
  expect(attemptTransitions.finished).toEqual([]);
});

test('names the states from which one may be reached, for the store', () => {
  expect(statesBefore(runTransitions, 'running')).toEqual(['queued']);
  expect(statesBefore(runTransitions, 'queued')).toEqual(['running']);
  expect(statesBefore(runTransitions, 'finished')).toEqual(['queued', 'running']);
  expect(statesBefore(attemptTransitions, 'finished')).toEqual(['running']);
});

test.each([
  [{ reason: null, exitCode: 0 }, null, 'succeeded', null],
  [{ reason: null, exitCode: 2 }, null, 'failed', 'exit_code'],
  [{ reason: null, exitCode: null }, null, 'failed', 'signal'],
  [{ reason: 'program_not_found', exitCode: null }, null, 'failed', 'program_not_found'],
  [{ reason: 'interrupted', exitCode: null }, null, 'abandoned', 'interrupted'],
  [{ reason: null, exitCode: 0 }, 'user', 'cancelled', 'stopped_by_user'],
  [{ reason: null, exitCode: 0 }, 'replaced', 'cancelled', 'replaced'],
  [{ reason: 'signal', exitCode: null }, 'timeout', 'timed_out', 'timeout'],
] as const)('%j with stop %j is %s because of %j (S-49, X-75)', (ending, stop, outcome, reason) => {
  expect(outcomeOf(ending, stop)).toEqual({ outcome, reason });
});
