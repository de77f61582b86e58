/** The policies beyond the defaults, one table each: catch-up, overlap, pauses, dates, the limit per hour, what is owed. */

import { expect, test } from 'vitest';
import { everyDay } from '../../shared/model/dates';
import type { ScheduleRule } from '../../shared/model/schedule';
import { HOUR_MS, MINUTE_MS, toInstant } from '../../shared/time';
import {
  at,
  cronRule,
  jobIdOf,
  jobView,
  type PolicyChanges,
  pauseOf,
  runIdOf,
  runningRun,
  scheduleIdOf,
  scheduleState,
  spanOf,
  told,
  viewOf,
  waitingRun,
} from '../testing/planViews';
import type { ScheduleState } from './ledger';
import type { EngineView, JobView } from './plan';
import { plan } from './plan';

const hourly = (more: Partial<ScheduleState> = {}) =>
  scheduleState(cronRule('0 * * * *'), '2026-05-02T00:00Z', more);
const night = [spanOf('asleep', '2026-05-02T00:10Z', '2026-05-02T06:20Z')];
/** Six were missed asleep, 01:00 to 06:00; it is 06:20. */
const afterNight = (
  changes: PolicyChanges,
  more: Partial<JobView> = {},
  view: Partial<EngineView> = {},
): string[] =>
  told(plan(viewOf([hourly()], jobView(changes, more), { spans: night, ...view }), at('2026-05-02T06:20Z')));
/** Two were missed asleep, and 06:00 is on time. */
const atSix = (changes: PolicyChanges, more: Partial<JobView> = {}): string[] =>
  told(
    plan(
      viewOf([scheduleState(cronRule('0 * * * *'), '2026-05-02T03:00Z')], jobView(changes, more), {
        spans: [spanOf('asleep', '2026-05-02T03:30Z', '2026-05-02T05:59:50Z')],
      }),
      at('2026-05-02T06:00:10Z'),
    ),
  );

test('with "all" each missed occurrence has a run of its own, from old to new, and the oldest are beyond the cap (D7)', () => {
  expect(afterNight({ catchUp: { mode: 'all', countMax: 2 } })).toEqual([
    'skip catch_up_cap 05-02T01:00..05-02T04:00 4 asleep',
    'start caught_up 05-02T05:00 1 asleep',
    'start caught_up 05-02T06:00 1 asleep',
  ]);
  expect(afterNight({ catchUp: { mode: 'all', countMax: 100 } })).toHaveLength(6);
  expect(afterNight({ catchUp: { mode: 'all', ageMsMax: 2 * HOUR_MS } })).toEqual([
    'skip too_old 05-02T01:00..05-02T04:00 4 asleep',
    'start caught_up 05-02T05:00 1 asleep',
    'start caught_up 05-02T06:00 1 asleep',
  ]);
});

test('the cap of "all" counts over the schedules of the job together, and one run answers a shared moment (C-046)', () => {
  const half = scheduleState(cronRule('0,30 * * * *'), '2026-05-02T00:00Z', { scheduleId: scheduleIdOf(2) });
  const decisions = plan(
    viewOf([hourly(), half], jobView({ catchUp: { mode: 'all', countMax: 3 } }), { spans: night }),
    at('2026-05-02T06:20Z'),
  );
  expect(told(decisions)).toEqual([
    'skip catch_up_cap 05-02T01:00..05-02T04:00 4 asleep',
    'start caught_up 05-02T05:00 1 asleep',
    'skip catch_up_cap 05-02T00:30..05-02T04:30 9 asleep',
    'merge merged 05-02T05:00 1 asleep',
    'merge merged 05-02T06:00 1 asleep',
    'start caught_up 05-02T05:30 1 asleep',
    'start caught_up 05-02T06:00 1 asleep',
  ]);
  expect(decisions.filter(({ kind }) => kind === 'start')).toMatchObject([
    { mergedCount: 1 },
    { mergedCount: 0 },
    { mergedCount: 1 },
  ]);
});

test('what is on time runs as such, first; missed ones beside it are merged with "once" and run after it with "all"', () => {
  expect(atSix({})).toEqual([
    'merge merged 05-02T04:00..05-02T05:00 2 asleep',
    'start on_time 05-02T06:00 1',
  ]);
  expect(atSix({ catchUp: { mode: 'all' } })).toEqual([
    'start on_time 05-02T06:00 1',
    'start caught_up 05-02T04:00 1 asleep',
    'start caught_up 05-02T05:00 1 asleep',
  ]);
  expect(atSix({ catchUp: { mode: 'none' } })).toEqual([
    'skip catch_up_off 05-02T04:00..05-02T05:00 2 asleep',
    'start on_time 05-02T06:00 1',
  ]);
});

test.each<[string, PolicyChanges['overlap'], Partial<JobView>, string]>([
  ['skip', { mode: 'skip' }, { active: [runningRun()] }, 'skip overlap'],
  ['skip, behind one that waits', { mode: 'skip' }, { active: [waitingRun()] }, 'skip overlap'],
  ['queue_one, none waits', { mode: 'queue_one' }, { active: [runningRun()] }, 'start on_time'],
  ['queue_one, one waits', { mode: 'queue_one' }, { active: [runningRun(), waitingRun()] }, 'merge merged'],
  [
    'queue_one, a person queued one',
    { mode: 'queue_one' },
    { active: [waitingRun({ trigger: 'manual' })] },
    'start on_time',
  ],
  [
    'queue_one, one waits for its retry',
    { mode: 'queue_one' },
    { active: [waitingRun({ attemptCount: 1 })] },
    'start on_time',
  ],
  [
    'queue_all, room',
    { mode: 'queue_all', countMax: 2 },
    { active: [runningRun(), waitingRun()] },
    'start on_time',
  ],
  [
    'queue_all, full',
    { mode: 'queue_all', countMax: 1 },
    { active: [runningRun(), waitingRun()] },
    'skip queue_full',
  ],
  ['replace', { mode: 'replace' }, { active: [runningRun()] }, 'start on_time'],
  [
    'replace, one has not begun',
    { mode: 'replace' },
    { active: [runningRun(), waitingRun()] },
    'merge merged',
  ],
  ['allow, room', { mode: 'allow', countMax: 2 }, { active: [runningRun()] }, 'start on_time'],
  ['allow, full', { mode: 'allow', countMax: 2 }, { active: [runningRun(), waitingRun()] }, 'skip overlap'],
])('overlap, on time: %s (D8, X-21)', (_name, overlap, active, expected) => {
  const changes: PolicyChanges = { ...(overlap && { overlap }), catchUp: { mode: 'none' } };
  const decisions = plan(
    viewOf([hourly({ watermarkAt: at('2026-05-02T05:00Z') })], jobView(changes, active)),
    at('2026-05-02T06:00:10Z'),
  );
  expect(told(decisions)).toEqual([
    `${expected} 05-02T06:00 1${expected === 'merge merged' ? ' into 2' : ''}`,
  ]);
});

test.each<[string, PolicyChanges, Partial<JobView>, string[]]>([
  [
    'behind a run that has begun they overlapped with it (H-55)',
    {},
    { active: [runningRun()] },
    ['skip overlap 05-02T01:00..05-02T06:00 6'],
  ],
  [
    'a run that has not begun stands for them',
    {},
    { active: [waitingRun()] },
    ['merge merged 05-02T01:00..05-02T06:00 6 asleep into 2'],
  ],
  [
    'with catch-up off it stands for none',
    { catchUp: { mode: 'none' } },
    { active: [waitingRun()] },
    ['skip catch_up_off 05-02T01:00..05-02T06:00 6 asleep'],
  ],
  [
    'with "all" they run after it',
    { catchUp: { mode: 'all', countMax: 1 } },
    { active: [waitingRun()] },
    ['skip catch_up_cap 05-02T01:00..05-02T05:00 5 asleep', 'start caught_up 05-02T06:00 1 asleep'],
  ],
  [
    'where one waits, "all" gives way',
    { catchUp: { mode: 'all' }, overlap: { mode: 'queue_one' } },
    { active: [runningRun()] },
    ['merge merged 05-02T01:00..05-02T05:00 5 asleep', 'start caught_up 05-02T06:00 1 asleep'],
  ],
  [
    'under "replace" the newest counts, with "all" too',
    { catchUp: { mode: 'all' }, overlap: { mode: 'replace' } },
    {},
    ['merge merged 05-02T01:00..05-02T05:00 5 asleep', 'start caught_up 05-02T06:00 1 asleep'],
  ],
  [
    'a full queue takes none',
    { catchUp: { mode: 'all' }, overlap: { mode: 'queue_all', countMax: 1 } },
    { active: [waitingRun()] },
    ['skip queue_full 05-02T01:00..05-02T06:00 6'],
  ],
  [
    'beside a run that is allowed one catches up',
    { overlap: { mode: 'allow', countMax: 2 } },
    { active: [runningRun()] },
    ['merge merged 05-02T01:00..05-02T05:00 5 asleep', 'start caught_up 05-02T06:00 1 asleep'],
  ],
])('overlap, missed: %s', (_name, changes, more, expected) => {
  expect(afterNight(changes, more)).toEqual(expected);
});

test('an overlap leaves a row, with the age of what it skipped left aside (X-21)', () => {
  expect(afterNight({ catchUp: { ageMsMax: HOUR_MS } }, { active: [runningRun()] })).toEqual([
    'skip overlap 05-02T01:00..05-02T06:00 6',
  ]);
});

test('a pause is judged by the moment of the occurrence, not by now', () => {
  const pauses = [
    pauseOf({ kind: 'tag', tag: 'backup' }, '2026-05-02T02:00Z', '2026-05-02T04:00Z', 1),
    pauseOf({ kind: 'job', jobId: jobIdOf(1) }, '2026-05-02T03:00Z', '2026-05-02T05:00Z', 2),
    pauseOf({ kind: 'job', jobId: jobIdOf(9) }, '2026-05-01T00:00Z', null, 3),
    pauseOf({ kind: 'all' }, '2026-05-02T06:10Z', null, 4),
  ];
  expect(afterNight({}, { tags: ['backup'] }, { pauses })).toEqual([
    'merge merged 05-02T01:00 1 asleep',
    'skip paused_tag 05-02T02:00..05-02T03:00 2',
    'skip paused_job 05-02T04:00 1',
    'merge merged 05-02T05:00 1 asleep',
    'start caught_up 05-02T06:00 1 asleep',
  ]);
});

test('a pause of everything is named before one of a tag or the job, and ends when a person says so', () => {
  const all = { ...pauseOf({ kind: 'all' }, '2026-05-01T00:00Z'), endedAt: at('2026-05-02T05:00Z') };
  const own = pauseOf({ kind: 'job', jobId: jobIdOf(1) }, '2026-05-01T00:00Z', '2026-05-02T06:00Z', 2);
  expect(afterNight({}, {}, { pauses: [all, own] })).toEqual([
    'skip paused_all 05-02T01:00..05-02T04:00 4',
    'skip paused_job 05-02T05:00 1',
    'start caught_up 05-02T06:00 1 asleep',
  ]);
});

test('days are excluded in the zone of the schedule, and recorded', () => {
  const dates = { ...everyDay, excluded: [{ from: '2026-05-02', until: '2026-05-03' }] };
  const tokyo = scheduleState(cronRule('0 9 * * *', 'Asia/Tokyo'), '2026-05-01T00:30Z', { dates });
  expect(told(plan(viewOf([tokyo], jobView({}, { dates })), at('2026-05-04T00:00:05Z')))).toEqual([
    'skip date_excluded 05-02T00:00..05-03T00:00 2',
    'start on_time 05-04T00:00 1',
  ]);
});

test('each range has its own cause', () => {
  const spans = [
    spanOf('asleep', '2026-05-02T00:30Z', '2026-05-02T02:10Z'),
    spanOf('off', '2026-05-02T03:30Z', '2026-05-02T04:10Z'),
    spanOf('not_running', '2026-05-02T04:10Z', '2026-05-02T06:20Z'),
  ];
  expect(afterNight({ catchUp: { mode: 'none' } }, {}, { spans })).toEqual([
    'skip catch_up_off 05-02T01:00..05-02T02:00 2 asleep',
    'skip catch_up_off 05-02T03:00 1 busy',
    'skip catch_up_off 05-02T04:00 1 off',
    'skip catch_up_off 05-02T05:00..05-02T06:00 2 not_running',
  ]);
});

test('beyond the limit per hour nothing starts, what is on time goes first, then the newest', () => {
  expect(atSix({ runsPerHourMax: 3 }, { startedInHour: 3 })).toEqual([
    'skip rate_limit 05-02T04:00..05-02T06:00 3',
  ]);
  expect(atSix({ runsPerHourMax: 4, catchUp: { mode: 'all' } }, { startedInHour: 2 })).toEqual([
    'skip rate_limit 05-02T04:00 1',
    'start on_time 05-02T06:00 1',
    'start caught_up 05-02T05:00 1 asleep',
  ]);
  const queued = { active: [waitingRun()], startedInHour: 9 };
  expect(atSix({ runsPerHourMax: 1, overlap: { mode: 'queue_one' } }, queued)).toEqual([
    'merge merged 05-02T04:00..05-02T05:00 2 asleep into 2',
    'merge merged 05-02T06:00 1 into 2',
  ]);
});

const afterJob: ScheduleRule = { kind: 'after_job', jobId: jobIdOf(7), on: 'ended' };
const owed = (moment: string, trigger: 'chain' | 'event' | 'creation' = 'chain') => ({
  at: at(moment),
  trigger,
  sourceRunId: trigger === 'chain' ? runIdOf(7) : null,
});
const chained = (moments: string[], changes: PolicyChanges, more: Partial<EngineView> = {}): string[] => {
  const pending = moments.map((moment) => owed(moment));
  const state = scheduleState(afterJob, '2026-05-01T00:00Z', { pending });
  return told(plan(viewOf([state], jobView(changes), more), at('2026-05-02T06:20Z')));
};

test('what is owed runs at once, and goes by the catch-up policy when it is decided late', () => {
  const closed = { spans: [spanOf('not_running', '2026-05-02T01:00Z', '2026-05-02T06:20Z')] };
  expect(chained(['2026-05-02T06:19:59Z'], {})).toEqual(['start chain 05-02T06:19 1']);
  expect(chained(['2026-05-02T04:00Z', '2026-05-02T05:00Z'], {}, closed)).toEqual([
    'merge merged 05-02T04:00 1 not_running',
    'start caught_up 05-02T05:00 1 not_running',
  ]);
  expect(chained(['2026-05-02T05:00Z'], { catchUp: { mode: 'none' } }, closed)).toEqual([
    'skip catch_up_off 05-02T05:00 1 not_running',
  ]);
  expect(chained(['2026-05-02T05:00Z'], { catchUp: { ageMsMax: HOUR_MS } }, closed)).toEqual([
    'skip too_old 05-02T05:00 1 not_running',
  ]);
});

test('an event at the very end of the time that Belfry was closed is on time', () => {
  const state = scheduleState({ kind: 'event', on: 'start' }, '2026-05-01T00:00Z', {
    pending: [owed('2026-05-02T06:20Z', 'event')],
  });
  const spans = [spanOf('not_running', '2026-05-02T01:00Z', '2026-05-02T06:20Z')];
  const view = viewOf([state], jobView({ catchUp: { mode: 'none' } }), { spans });
  expect(plan(view, at('2026-05-02T06:20Z'))).toMatchObject([{ kind: 'start', trigger: 'event' }]);
});

test('the creation minute is on time for as long as it lasts, with catch-up off too (S-31)', () => {
  const state = scheduleState(cronRule('0 9 * * *'), '2026-05-02T09:00:59Z', {
    pending: [owed('2026-05-02T09:00Z', 'creation')],
  });
  const view = viewOf([state], jobView({ catchUp: { mode: 'none' }, jitterMs: HOUR_MS }));
  expect(plan(view, at('2026-05-02T09:01:05Z'))).toMatchObject([{ trigger: 'creation', notBeforeAt: null }]);
  expect(told(plan(view, at('2026-05-02T09:30Z')))).toEqual(['skip catch_up_off 05-02T09:00 1 busy']);
});

test('what is owed is paused, excluded and outside the days of the job like anything else', () => {
  const moment = '2026-05-02T06:19:59Z';
  const decided = (dates: ScheduleState['dates'], more: Partial<EngineView> = {}) => {
    const state = scheduleState(afterJob, '2026-05-01T00:00Z', { pending: [owed(moment)], dates });
    return told(plan(viewOf([state], jobView({}, { dates }), more), at('2026-05-02T06:20Z')));
  };
  const pauses = [pauseOf({ kind: 'job', jobId: jobIdOf(1) }, '2026-05-02T06:00Z')];
  expect(decided(everyDay, { pauses })).toEqual(['skip paused_job 05-02T06:19 1']);
  const excluded = { ...everyDay, excluded: [{ from: '2026-05-02', until: '2026-05-02' }] };
  expect(decided(excluded)).toEqual(['skip date_excluded 05-02T06:19 1']);
  expect(decided({ ...everyDay, until: '2026-05-01' })).toEqual(['skip date_excluded 05-02T06:19 1']);
});

test('several that are due at one step make one run, with "all" one for each moment', () => {
  const moments = ['2026-05-02T06:19:50Z', '2026-05-02T06:19:55Z'];
  expect(chained(moments, {})).toEqual(['merge merged 05-02T06:19 1', 'start chain 05-02T06:19 1']);
  expect(chained(moments, { catchUp: { mode: 'all' } })).toEqual([
    'start chain 05-02T06:19 1',
    'start caught_up 05-02T06:19 1 busy',
  ]);
});

test('jitter delays what is on time, within the distance to the next occurrence, and nothing that is late already', () => {
  const minutely = scheduleState(cronRule('* * * * *'), '2026-05-02T05:59Z');
  const starts = (now: string) => plan(viewOf([minutely], jobView({ jitterMs: HOUR_MS })), at(now));
  const [onTime] = starts('2026-05-02T06:00Z');
  const notBefore = onTime?.kind === 'start' ? onTime.notBeforeAt : null;
  expect(notBefore).toBeGreaterThan(at('2026-05-02T06:00Z'));
  expect(notBefore).toBeLessThan(toInstant(at('2026-05-02T06:00Z') + MINUTE_MS));
  expect(starts('2026-05-02T06:00Z')).toEqual([onTime]);
  const late = plan(viewOf([hourly()], jobView({ jitterMs: HOUR_MS })), at('2026-05-02T01:20Z'));
  expect(late).toMatchObject([{ reason: 'caught_up', notBeforeAt: null }]);
});
