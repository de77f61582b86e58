import { expect, test } from 'vitest';
import { Condition, type Wait } from '../../shared/model/condition';
import { defaultPolicies } from '../../shared/model/policies';
import { DecisionReason } from '../../shared/model/run';
import type { ScheduleId } from '../../shared/model/schedule';
import { HOUR_MS, MINUTE_MS, toInstant } from '../../shared/time';
import { NOW } from '../testEngine';
import { conditionWords, datesWords, limitWords, missedWords } from './policyWords';
import { skipSentence, skipWord } from './skipWords';
import { waitedSentence, waitSentence, waitWord } from './waitWords';

const wait: Wait = {
  kind: 'mains',
  detail: null,
  since: toInstant(NOW - HOUR_MS),
  until: toInstant(NOW + HOUR_MS),
  otherwise: 'skip',
  endedAt: null,
  end: null,
};

test('a wait says for what, since when, and what happens when', () => {
  expect(waitWord(wait)).toBe('waits for mains');
  expect(waitSentence(wait, NOW)).toMatch(/^waiting for mains power since \d\d:14, gives up \d\d:14$/);
  expect(waitSentence({ ...wait, kind: 'host_answers', detail: 'nas.local', otherwise: 'run' }, NOW)).toMatch(
    /^waiting for nas\.local since \d\d:14, runs anyway \d\d:14$/,
  );
});

test('a wait that is over says how it ended, and one that could not be told says so', () => {
  const endedAt = toInstant(NOW - HOUR_MS + 10 * MINUTE_MS);
  expect(waitedSentence({ ...wait, endedAt, end: 'met' }, NOW)).toBe(
    'Waited 10 min for mains power: it came.',
  );
  expect(waitedSentence({ ...wait, endedAt, end: 'by_hand' }, NOW)).toBe(
    'Waited 10 min for mains power: you said to run anyway.',
  );
  expect(waitedSentence({ ...wait, endedAt, end: 'unknown' }, NOW)).toBe(
    'Looked for mains power: this system cannot tell, so it did not wait.',
  );
});

test('every reason has a few words for a column and a sentence', () => {
  for (const reason of DecisionReason.options) {
    const decision = {
      scheduleId: 'schedule' as ScheduleId,
      plannedAt: NOW,
      untilAt: NOW,
      count: 1,
      kind: 'skip' as const,
      reason,
      missCause: null,
      runId: null,
      decidedAt: NOW,
    };
    expect(skipWord(decision).length).toBeLessThan(20);
    expect(skipSentence(decision)).toMatch(/^[A-Z].*\.$/);
  }
});

test('policies are told in a line each', () => {
  expect(missedWords({ mode: 'all', ageMsMax: HOUR_MS, countMax: 5 })).toBe(
    'Run each one when the laptop wakes, at most 5, if less than 1 h late',
  );
  const { retry } = defaultPolicies;
  expect(
    limitWords({
      ...defaultPolicies,
      retry: { ...retry, countMax: 3 },
      overlap: { mode: 'allow', countMax: 2 },
      jitterMs: 5 * MINUTE_MS,
      runsPerHourMax: 60,
    }),
  ).toBe('Stop after 1 h · 3 retries · up to 2 at once · up to 5 min later · at most 60 in an hour');
  const host = { kind: 'host_answers', host: 'nas.local', port: 445, waitMsMax: 180_000, otherwise: 'run' };
  expect(conditionWords(Condition.parse(host))).toBe(
    'nas.local:445 answers; wait up to 3 min, then run anyway',
  );
});

test('days are told as a range with its exceptions, and every day is not told at all', () => {
  expect(datesWords({ from: null, until: null, excluded: [] }, NOW)).toBeNull();
  const excluded = [
    { from: '2027-03-14', until: '2027-03-14' },
    { from: '2027-12-24', until: '2027-12-27' },
  ];
  expect(datesWords({ from: '2027-03-01', until: null, excluded }, NOW)).toBe(
    'From Mon 1 Mar, not on Sun 14 Mar and Fri 24 Dec to Mon 27 Dec',
  );
});
