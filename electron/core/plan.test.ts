import { expect, test } from 'vitest';
import { everyDay } from '../../shared/model/dates';
import { JobId } from '../../shared/model/job';
import { type Pause, PauseId } from '../../shared/model/pause';
import { defaultPolicies, type Policies } from '../../shared/model/policies';
import { RunId } from '../../shared/model/run';
import { ScheduleId, type ScheduleRule } from '../../shared/model/schedule';
import { DAY_MS, HOUR_MS, type Instant, MINUTE_MS, toInstant } from '../../shared/time';
import type { MissedSpan } from './catchUp';
import type { ScheduleState } from './ledger';
import type { ActiveRunView } from './overlap';
import { type EngineView, type JobView, type PlannedDecision, plan } from './plan';

const at = (text: string): Instant => toInstant(Date.parse(text));
const jobA = JobId.parse('00000000-0000-4000-8000-00000000000a');
const jobB = JobId.parse('00000000-0000-4000-8000-00000000000b');
const scheduleId = (n: number) => ScheduleId.parse(`00000000-0000-4000-8000-${String(n).padStart(12, '0')}`);

const cron = (expression: string, zone = 'UTC'): ScheduleRule => ({
  kind: 'cron',
  expression,
  zone,
  dayMatch: 'either',
  gap: 'run_after',
  repeat: 'first',
});

const schedule = (
  rule: ScheduleRule,
  watermark: string,
  more: Partial<ScheduleState> = {},
): ScheduleState => ({
  scheduleId: scheduleId(1),
  jobId: jobA,
  rule,
  createdAt: at('2026-01-01T00:00Z'),
  activeSince: at('2026-01-01T00:00Z'),
  watermarkAt: at(watermark),
  pending: [],
  dates: everyDay,
  lastEndedAt: null,
  ...more,
});

const job = (catchUp: Partial<Policies['catchUp']> = {}, hasActiveRun = false): JobView => ({
  policies: { ...defaultPolicies, catchUp: { ...defaultPolicies.catchUp, ...catchUp } },
  dates: everyDay,
  tags: [],
  active: hasActiveRun ? [running] : [],
  startedInHour: 0,
});

const running: ActiveRunView = {
  id: RunId.parse('0000000c-0000-7000-8000-000000000001'),
  state: 'running',
  trigger: 'schedule',
  queuedAt: at('2026-01-01T00:00Z'),
  startedAt: at('2026-01-01T00:00Z'),
  attemptCount: 1,
};

const pauseOfAll: Pause = {
  id: PauseId.parse('0000000e-0000-7000-8000-000000000001'),
  scope: { kind: 'all' },
  note: '',
  cause: 'user',
  since: at('2026-01-01T00:00Z'),
  until: null,
  endedAt: null,
};

const view = (schedules: ScheduleState[], more: Partial<EngineView> = {}): EngineView => ({
  schedules,
  jobs: new Map([
    [jobA, job()],
    [jobB, job()],
  ]),
  undecided: new Map(),
  pauses: [],
  spans: [],
  hostZone: 'UTC',
  ...more,
});

const span = (cause: MissedSpan['cause'], from: string, to: string): MissedSpan => ({
  cause,
  from: at(from),
  to: at(to),
});

/** Kind, reason, first and last occurrence and count in one line. */
const told = (decisions: PlannedDecision[]): string[] =>
  decisions.map(({ kind, reason, from, until, count }) => {
    const short = (instant: Instant) => new Date(instant).toISOString().slice(5, 16);
    return `${kind} ${reason} ${short(from)}${from === until ? '' : `..${short(until)}`} ${count}`;
  });

test('decides nothing before the due time, and starts at it (C-055)', () => {
  const daily = schedule(cron('0 9 * * *'), '2026-05-01T09:00Z');
  expect(plan(view([daily]), toInstant(at('2026-05-02T09:00Z') - 1))).toEqual([]);
  const [decision] = plan(view([daily]), at('2026-05-02T09:00Z'));
  expect(decision).toMatchObject({ kind: 'start', trigger: 'schedule', reason: 'on_time', missCause: null });
});

test('an occurrence met 999 ms late is on time, once (C-055)', () => {
  const minutely = schedule(cron('* * * * *'), '2026-05-02T08:59Z');
  expect(told(plan(view([minutely]), toInstant(at('2026-05-02T09:00Z') + 999)))).toEqual([
    'start on_time 05-02T09:00 1',
  ]);
});

test('what was missed asleep runs once, for the newest, and the older ones are folded into it (D7, H-62, X-22)', () => {
  const quarterly = schedule(cron('*/15 * * * *'), '2026-05-02T09:00Z');
  const decisions = plan(
    view([quarterly], { spans: [span('asleep', '2026-05-02T09:10Z', '2026-05-02T10:02Z')] }),
    at('2026-05-02T10:02Z'),
  );
  expect(told(decisions)).toEqual([
    'merge merged 05-02T09:15..05-02T09:45 3',
    'start caught_up 05-02T10:00 1',
  ]);
  expect(decisions[1]).toMatchObject({ trigger: 'catch_up', missCause: 'asleep', mergedCount: 3 });
});

test('older than the age limit is recorded as too old, each range once (C-037)', () => {
  const daily = schedule(cron('0 21 * * *'), '2026-05-01T20:00Z');
  const closed = [span('not_running', '2026-05-01T20:00Z', '2026-05-04T09:00Z')];
  const jobs = new Map([[jobA, job({ ageMsMax: DAY_MS })]]);
  expect(told(plan(view([daily], { spans: closed, jobs }), at('2026-05-04T09:00Z')))).toEqual([
    'skip too_old 05-01T21:00..05-02T21:00 2',
    'start caught_up 05-03T21:00 1',
  ]);
});

test('a missed occurrence that is too old does not run and leaves a row (C-038)', () => {
  const weekly = schedule(cron('0 16 * * 5', 'America/Chicago'), '2026-09-11T20:00Z');
  const asleep = [span('asleep', '2026-09-11T20:30Z', '2026-09-13T15:06Z')];
  const limited = (ageMsMax: number) =>
    plan(
      view([weekly], { spans: asleep, jobs: new Map([[jobA, job({ ageMsMax })]]) }),
      at('2026-09-13T15:06Z'),
    );
  expect(told(limited(24 * HOUR_MS))).toEqual(['skip too_old 09-11T21:00 1']);
  expect(limited(24 * HOUR_MS)[0]).toMatchObject({ missCause: 'asleep' });
  expect(told(limited(72 * HOUR_MS))).toEqual(['start caught_up 09-11T21:00 1']);
});

test('with catch-up off nothing missed runs, and the next occurrence does (C-043)', () => {
  const jobs = new Map([[jobA, job({ mode: 'none' })]]);
  const often = schedule(cron('*/10 * * * *'), '2026-05-02T09:00Z');
  const once = schedule({ kind: 'once', local: '2026-05-02T09:30', zone: 'UTC' }, '2026-05-02T09:00Z', {
    scheduleId: scheduleId(2),
  });
  const closed = [span('not_running', '2026-05-02T09:05Z', '2026-05-02T10:00:05Z')];
  expect(told(plan(view([often, once], { spans: closed, jobs }), at('2026-05-02T10:00:05Z')))).toEqual([
    'skip catch_up_off 05-02T09:10..05-02T10:00 6',
    'skip catch_up_off 05-02T09:30 1',
  ]);
  const after = schedule(cron('*/10 * * * *'), '2026-05-02T10:00Z');
  expect(told(plan(view([after], { jobs }), at('2026-05-02T10:10Z')))).toEqual([
    'start on_time 05-02T10:10 1',
  ]);
});

test('only what lies between last seen and now is missed (C-044)', () => {
  const seen = '2026-08-02T12:00Z';
  const schedules = ['0 8 * * *', '0 9 * * *', '0 8,17 * * *', '0 17 * * *', '30 19 * * 1-5'].map(
    (expression, index) =>
      schedule(cron(expression, 'Asia/Shanghai'), seen, {
        scheduleId: scheduleId(index),
        jobId: JobId.parse(`00000000-0000-4000-8000-00000000001${index}`),
      }),
  );
  const now = at('2026-08-03T02:57Z');
  const jobs = new Map(schedules.map(({ jobId }) => [jobId, job()]));
  const spans = [{ cause: 'not_running' as const, from: at(seen), to: now }];
  expect(told(plan(view(schedules, { jobs, spans }), now))).toEqual([
    'start caught_up 08-03T00:00 1',
    'start caught_up 08-03T00:00 1',
    'start caught_up 08-03T01:00 1',
  ]);
});

test('counts forty days of a minutely schedule in two rows (C-040)', () => {
  const minutely = schedule(cron('* * * * *'), '2026-05-01T00:00Z');
  const now = toInstant(at('2026-05-01T00:00Z') + 40 * DAY_MS + 10_000);
  const spans = [{ cause: 'asleep' as const, from: at('2026-05-01T00:00Z'), to: now }];
  const decisions = plan(view([minutely], { spans }), now);
  expect(decisions.map(({ count }) => count)).toEqual([57_599, 1]);
  expect(decisions[1]).toMatchObject({ kind: 'start', mergedCount: 57_599 });
});

test('an occurrence that passes during the own run is an overlap, not missed (H-55, C-070)', () => {
  const often = schedule(cron('*/5 * * * *'), '2026-05-02T09:00Z');
  const jobs = new Map([[jobA, job({}, true)]]);
  expect(told(plan(view([often], { jobs }), at('2026-05-02T09:12Z')))).toEqual([
    'skip overlap 05-02T09:05..05-02T09:10 2',
  ]);
});

test('an interval after the last end has no due time while a run goes on', () => {
  const afterEnd = schedule({ kind: 'interval', everyMs: HOUR_MS, basis: 'after_end' }, '2026-05-02T09:00Z', {
    lastEndedAt: at('2026-05-02T08:30Z'),
  });
  const busy = new Map([[jobA, job({}, true)]]);
  expect(plan(view([afterEnd], { jobs: busy }), at('2026-05-02T12:00Z'))).toEqual([]);
  expect(told(plan(view([afterEnd]), at('2026-05-02T09:30Z')))).toEqual(['start on_time 05-02T09:30 1']);
});

test('an overdue interval runs once however many were missed, and keeps its grid (H-44, X-01, C-063)', () => {
  const interval = schedule(
    { kind: 'interval', everyMs: 15 * MINUTE_MS, basis: 'grid', anchorAt: at('2026-05-02T08:07Z') },
    '2026-05-02T08:22Z',
  );
  expect(told(plan(view([interval]), at('2026-05-02T09:12Z')))).toEqual([
    'merge merged 05-02T08:37..05-02T08:52 2',
    'start caught_up 05-02T09:07 1',
  ]);
});

test('while everything is paused due times are recorded and nothing starts, the creation minute included', () => {
  const often = schedule(cron('*/5 * * * *'), '2026-05-02T09:00:30Z', {
    pending: [{ at: at('2026-05-02T09:00Z'), trigger: 'creation', sourceRunId: null }],
  });
  expect(told(plan(view([often], { pauses: [pauseOfAll] }), at('2026-05-02T09:12Z')))).toEqual([
    'skip paused_all 05-02T09:00 1',
    'skip paused_all 05-02T09:05..05-02T09:10 2',
  ]);
});

test('the creation minute runs once with a trigger of its own (S-31, S-32)', () => {
  const daily = schedule(cron('0 9 * * *'), '2026-05-02T09:00:37Z', {
    pending: [{ at: at('2026-05-02T09:00Z'), trigger: 'creation', sourceRunId: null }],
  });
  const [decision, ...rest] = plan(view([daily]), at('2026-05-02T09:00:37Z'));
  expect(decision).toMatchObject({ kind: 'start', trigger: 'creation', from: at('2026-05-02T09:00Z') });
  expect(rest).toEqual([]);
});

test('two schedules of a job that are due together make one run (C-046)', () => {
  const first = schedule(cron('0 9 * * *'), '2026-05-01T12:00Z');
  const second = schedule(cron('*/30 * * * *'), '2026-05-02T08:30Z', { scheduleId: scheduleId(2) });
  const decisions = plan(view([first, second]), at('2026-05-02T09:00Z'));
  expect(told(decisions)).toEqual(['start on_time 05-02T09:00 1', 'merge merged 05-02T09:00 1']);
  expect(decisions[0]).toMatchObject({ mergedCount: 1 });
});

test('what is on time starts before what is caught up', () => {
  const late = schedule(cron('0 3 * * *'), '2026-05-01T03:00Z');
  const onTime = schedule(cron('0 9 * * *'), '2026-05-01T09:00Z', { scheduleId: scheduleId(2), jobId: jobB });
  const spans = [span('asleep', '2026-05-02T01:00Z', '2026-05-02T08:59:50Z')];
  expect(told(plan(view([late, onTime], { spans }), at('2026-05-02T09:00Z')))).toEqual([
    'start on_time 05-02T09:00 1',
    'start caught_up 05-02T03:00 1',
  ]);
});

const single = (text: string) => ({ from: at(text), until: at(text), count: 1 });

test('after the clock went back only what nobody decided is decided, one by one (C-049, X-04)', () => {
  const minutely = schedule(cron('* * * * *'), '2026-05-02T17:00Z');
  const undecided = new Map([[scheduleId(1), [single('2026-05-02T15:03Z'), single('2026-05-02T15:05Z')]]]);
  expect(told(plan(view([minutely], { undecided }), at('2026-05-02T15:05Z')))).toEqual([
    'merge merged 05-02T15:03 1',
    'start on_time 05-02T15:05 1',
  ]);
  expect(
    plan(view([minutely], { undecided: new Map([[scheduleId(1), []]]) }), at('2026-05-02T15:05Z')),
  ).toEqual([]);
});

test('schedules of a job that is not in the view are left alone (S-43)', () => {
  const daily = schedule(cron('0 9 * * *'), '2026-05-01T09:00Z');
  expect(plan(view([daily], { jobs: new Map() }), at('2026-05-02T09:00Z'))).toEqual([]);
});

test('a machine that was merely busy catches up and says so', () => {
  const daily = schedule(cron('0 9 * * *'), '2026-05-01T09:00Z');
  expect(plan(view([daily]), at('2026-05-02T09:01Z'))[0]).toMatchObject({
    reason: 'caught_up',
    missCause: 'busy',
  });
});
