import { expect, test } from 'vitest';
import type { JobId } from '../../shared/model/job';
import type { Decision, Run, RunId } from '../../shared/model/run';
import type { ScheduleId } from '../../shared/model/schedule';
import { MINUTE_MS, SECOND_MS, toInstant } from '../../shared/time';
import { fakeRun } from '../fakeRecords';
import { NOW } from '../testEngine';
import { glyphOfSkip, skipSentence } from './skipWords';
import { endSentence, glyphOfRun, nextWord, whySentence, whyWord } from './words';

const run = (part: Partial<Run>): Run => fakeRun('run' as RunId, 'job' as JobId, NOW, part);

test.each([
  [
    { code: 'running', since: toInstant(NOW - 24 * MINUTE_MS), usualMs: 38 * MINUTE_MS },
    '24 of ~38 min',
    'run',
  ],
  [{ code: 'running', since: toInstant(NOW - 24 * MINUTE_MS), usualMs: null }, 'running 24 min', 'run'],
  [{ code: 'running', since: toInstant(NOW - 3 * SECOND_MS), usualMs: 8 * SECOND_MS }, '3 of ~8 s', 'run'],
  [{ code: 'due', at: toInstant(NOW + 46 * SECOND_MS) }, 'in 46 s', 'soon'],
  [{ code: 'due', at: toInstant(NOW + 26 * MINUTE_MS) }, 'in 26 min', 'plain'],
  [{ code: 'due', at: toInstant(NOW - SECOND_MS) }, 'now', 'soon'],
  [{ code: 'queued', since: NOW }, 'waits for a place', 'run'],
  [{ code: 'after_run' }, 'after this run', 'plain'],
  [{ code: 'paused', until: null }, 'Paused', 'dim'],
  [
    { code: 'retry', at: toInstant(NOW + 2 * MINUTE_MS), attempt: 2, attemptsMax: 4 },
    'retry in 2 min',
    'warn',
  ],
  [{ code: 'on_event' }, 'On event', 'dim'],
  [{ code: 'by_hand' }, 'By hand', 'dim'],
  [{ code: 'ended' }, 'Ended', 'dim'],
  [{ code: 'never' }, 'Never', 'fail'],
] as const)('the Next column says %j as “%s”', (next, text, tone) => {
  expect(nextWord(next, NOW)).toMatchObject({ text, tone });
});

test.each([
  [{ outcome: 'failed', reason: 'exit_code', exitCode: 23, durationMs: 242_000 }, 'Exit 23 after 4 min 2 s.'],
  [
    { outcome: 'failed', reason: 'exit_code', exitCode: 127, durationMs: 200 },
    'Exit 127: the command was not found. It took 0.2 s.',
  ],
  [
    { outcome: 'failed', reason: 'signal', signal: 'SIGKILL', durationMs: 9_000 },
    'Killed by the system (SIGKILL) after 9.0 s.',
  ],
  [{ outcome: 'timed_out', reason: 'timeout', durationMs: 1_800_000 }, 'Timed out: killed after 30 min.'],
  [{ outcome: 'cancelled', reason: 'stopped_by_user', durationMs: 18_000 }, 'Stopped by you after 18 s.'],
  [
    { outcome: 'failed', reason: 'program_not_found', detail: 'restic was not found.' },
    'restic was not found.',
  ],
  [{ outcome: 'failed', reason: 'folder_missing' }, 'Folder missing.'],
  [
    { outcome: 'abandoned', reason: 'interrupted' },
    'Belfry stopped in the middle, so the true end is not known.',
  ],
  [{ outcome: 'succeeded', exitCode: 0, durationMs: 400 }, 'Exit 0 after 0.4 s.'],
  [{ outcome: 'succeeded', exitCode: 0, durationMs: 4 }, 'Exit 0 within 0.01 s.'],
] as const)('a run ends in a sentence: %j', (part, sentence) => {
  expect(endSentence(run(part))).toBe(sentence);
});

test('a late run says how late, for how many, and why', () => {
  const late = run({
    trigger: 'catch_up',
    plannedAt: toInstant(NOW - 21 * MINUTE_MS),
    startedAt: NOW,
    missCause: 'asleep',
    mergedCount: 2,
  });
  expect(whyWord(late)).toBe('Caught up: the laptop was asleep, 21 min late; 3 due times in one');
  expect(whySentence(late, NOW)).toMatch(
    /^Due \d\d:53, ran 21 min late because the laptop was asleep\. It also stands for 2 older due times\.$/,
  );
  const atOnce = run({ ...late, plannedAt: NOW, missCause: 'not_running' });
  expect(whyWord(atOnce)).toBe('Caught up: Belfry was not running; 3 due times in one');
  expect(whySentence(atOnce, NOW)).toMatch(/^Due \d\d:14, caught up because Belfry was not running\./);
  expect(glyphOfRun(late)).toBe('caught');
  expect(whyWord(run({ trigger: 'manual' }))).toBe('By hand');
});

test('what did not run is told apart: a diamond for what was missed, a slash for what a rule left out', () => {
  const skip = (part: Partial<Decision>): Decision => ({
    scheduleId: 'schedule' as ScheduleId,
    plannedAt: NOW,
    untilAt: NOW,
    count: 1,
    kind: 'skip',
    reason: 'overlap',
    missCause: null,
    runId: null,
    decidedAt: NOW,
    ...part,
  });
  const missed = skip({ reason: 'catch_up_off', missCause: 'not_running' });
  expect(glyphOfSkip(missed)).toBe('missed');
  expect(skipSentence(missed)).toBe('It was not made up: Belfry was not running.');
  expect(glyphOfSkip(skip({}))).toBe('skipped');
  expect(skipSentence(skip({}))).toBe('The run before was still going.');
});
