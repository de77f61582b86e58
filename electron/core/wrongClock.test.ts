import { expect, test } from 'vitest';
import { everyDay } from '../../shared/model/dates';
import { JobId } from '../../shared/model/job';
import type { Decision } from '../../shared/model/run';
import { ScheduleId, type ScheduleRule } from '../../shared/model/schedule';
import { occurrencesBetween } from '../../shared/schedule/occurrences';
import { type Instant, toInstant } from '../../shared/time';
import type { ScheduleState } from './ledger';
import { believedSince, decidedUntil, keptOf, seenAt, undecidedRanges } from './wrongClock';

const at = (text: string): Instant => toInstant(Date.parse(`2026-05-04T${text}Z`));
const rule: ScheduleRule = {
  kind: 'cron',
  expression: '*/10 * * * *',
  zone: 'UTC',
  dayMatch: 'either',
  gap: 'run_after',
  repeat: 'first',
};
const context = { hostZone: 'UTC' };
const scheduleId = ScheduleId.parse('00000000-0000-4000-8000-0000000000b1');
const state: ScheduleState = {
  scheduleId,
  jobId: JobId.parse('00000000-0000-4000-8000-0000000000a1'),
  rule,
  createdAt: at('00:00'),
  activeSince: at('00:00'),
  watermarkAt: at('20:00'),
  pending: [],
  dates: everyDay,
  lastEndedAt: null,
};
const skip = (from: string, until = from, count = 1): Decision => ({
  scheduleId,
  plannedAt: at(from),
  untilAt: at(until),
  count,
  kind: 'skip',
  reason: 'too_old',
  missCause: 'clock_forward',
  runId: null,
  decidedAt: at('20:00'),
});

test.each([
  ['nothing of one that lies in the future stays', skip('09:00'), '08:59', null],
  ['nothing of a range that lies in the future stays', skip('09:00', '11:00', 13), '08:59', null],
  ['what is not later than now stays', skip('09:00', '11:00', 13), '10:00', ['10:00', 7]],
  [
    'a moment in between counts up to the occurrence before it',
    skip('09:00', '11:00', 13),
    '10:09',
    ['10:00', 7],
  ],
  ['of a range that has just begun its first one stays', skip('09:00', '11:00', 13), '09:05', ['09:00', 1]],
  ['of two the first one stays', skip('09:00', '09:10', 2), '09:05', ['09:00', 1]],
] as const)('%s (C-052)', (_, decision, now, kept) => {
  const expected = kept === null ? null : { untilAt: at(kept[0]), count: kept[1] };
  expect(keptOf(decision, at(now), rule, context)).toEqual(expected);
});

test('a range that was counted under another rule never grows and never becomes nonsense', () => {
  const minutely = { ...rule, expression: '* * * * *' };
  expect(keptOf(skip('09:00', '11:00', 13), at('10:00'), minutely, context)).toEqual({
    untilAt: at('10:00'),
    count: 12,
  });
  const yearly = { ...rule, expression: '0 0 1 1 *' };
  expect(keptOf(skip('09:00', '11:00', 13), at('10:00'), yearly, context)).toEqual({
    untilAt: at('09:00'),
    count: 1,
  });
});

const ranges = (decided: readonly Decision[], isCut = false) =>
  undecidedRanges(state, { from: at('09:00'), now: at('10:05') }, decided, { hostZone: 'UTC', isCut }).map(
    ({ from, until, count }) =>
      `${new Date(from).toISOString().slice(11, 16)} ${(until - from) / 60_000} ${count}`,
  );

test('a range before the origin of a grid is cut on that grid', () => {
  const interval = { kind: 'interval', everyMs: 600_000, basis: 'grid', anchorAt: at('12:05') } as const;
  const kept = keptOf(skip('09:05', '11:05', 13), at('10:00'), interval, context);
  expect(kept).toEqual({ untilAt: at('09:55'), count: 6 });
});

test('what nobody decided are ranges between what is decided (C-049)', () => {
  expect(ranges([])).toEqual(['09:10 50 6']);
  expect(ranges([skip('09:30')])).toEqual(['09:10 10 2', '09:40 20 3']);
  expect(ranges([skip('09:50', '10:00', 2), skip('08:00', '09:20', 9)])).toEqual(['09:30 10 2']);
  expect(ranges([skip('08:00', '11:00', 19)])).toEqual([]);
});

test('nothing is looked for below the last decision that was read', () => {
  expect(ranges([skip('09:50')], true)).toEqual(['10:00 0 1']);
});

test('what is dated later than now counts as of now (H-44)', () => {
  expect(seenAt({ ...state, lastEndedAt: at('12:00') }, at('10:00')).lastEndedAt).toBe(at('10:00'));
  expect(seenAt({ ...state, lastEndedAt: at('09:00') }, at('10:00')).lastEndedAt).toBe(at('09:00'));
  expect(seenAt({ ...state, createdAt: at('12:00') }, at('10:00')).createdAt).toBe(at('10:00'));
  expect(seenAt(state, at('10:00'))).toBe(state);
});

test('an interval that was made under a clock ahead keeps its grid and waits one interval at most (H-46, X-35)', () => {
  const interval = { kind: 'interval', everyMs: 3_600_000, basis: 'grid', anchorAt: at('12:20') } as const;
  const made = { ...state, rule: interval, createdAt: at('12:20') };
  const seen = seenAt(made, at('10:00'));
  expect(occurrencesBetween(seen.rule, at('07:00'), at('10:30'), context)).toEqual(
    ['07:20', '08:20', '09:20', '10:20'].map(at),
  );
  // An origin that a person chose is obeyed.
  expect(seenAt({ ...made, createdAt: at('11:00') }, at('10:00')).rule).toBe(interval);
});

test('a clock is believed up to thirty days before the oldest job', () => {
  expect(believedSince(at('12:00'))).toBe(at('12:00') - 30 * 86_400_000);
  expect(believedSince(null)).toBeLessThan(0);
});

test('everything is decided up to the watermark, or up to where it is owed since, or the last edit (D3)', () => {
  expect(decidedUntil(state, at('10:00'))).toBe(at('20:00'));
  const rewound = { ...state, owedSince: at('09:00') };
  expect(decidedUntil(rewound, at('10:00'))).toBe(at('09:00'));
  expect(decidedUntil({ ...rewound, activeSince: at('09:30') }, at('10:00'))).toBe(at('09:30'));
  expect(decidedUntil({ ...rewound, activeSince: at('10:30') }, at('10:00'))).toBe(at('09:00'));
});
