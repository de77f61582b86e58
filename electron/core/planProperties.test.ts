/**
 * Whatever the schedules, policies, pauses, spans and runs: every due occurrence is decided exactly once (D3). The walk over the
 * occurrences one by one is the oracle; `plan` itself must never walk (C-040).
 */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type DateRange, type Dates, everyDay } from '../../shared/model/dates';
import type { JobId } from '../../shared/model/job';
import type { Pause } from '../../shared/model/pause';
import type { ScheduleId, ScheduleRule } from '../../shared/model/schedule';
import { isExcluded } from '../../shared/schedule/dates';
import { occurrencesBetween, zoneOfRule } from '../../shared/schedule/occurrences';
import { DAY_MS, HOUR_MS, type Instant, MINUTE_MS, toInstant } from '../../shared/time';
import {
  at,
  cronRule,
  jobIdOf,
  jobView,
  pauseOf,
  runIdOf,
  runningRun,
  scheduleIdOf,
  scheduleState,
  spanOf,
  waitingRun,
} from '../testing/planViews';
import { contextOf, type MissedSpan } from './catchUp';
import type { ScheduleState } from './ledger';
import { pauseReasonAt, pausesOf } from './pauses';
import { type EngineView, type JobView, type PlannedDecision, plan } from './plan';

const BEGIN = at('2026-03-28T00:00Z');
const HOST_ZONE = 'Europe/Berlin';
const TAG = 'backup';

/** Within the two days of the stretch, and a little around it. Berlin changes its clocks in them. */
const moment = fc.integer({ min: -60, max: 3_000 }).map((minutes) => toInstant(BEGIN + minutes * MINUTE_MS));

const rule: fc.Arbitrary<ScheduleRule> = fc.oneof(
  fc
    .tuple(
      fc.constantFrom(
        '*/7 * * * *',
        '0 * * * *',
        '15,45 */3 * * *',
        '30 2 * * *',
        '* 1-4 * * *',
        '0 0 29 3 *',
      ),
      fc.constantFrom('local', 'UTC', 'America/New_York', 'Pacific/Apia'),
    )
    .map(([expression, zone]) => cronRule(expression, zone)),
  fc
    .integer({ min: 5, max: 300 })
    .map((minutes) => ({ kind: 'interval', everyMs: minutes * MINUTE_MS, basis: 'grid' }) as const),
  fc.constant({ kind: 'once', local: '2026-03-28T12:34', zone: 'UTC' } as const),
);

const dates: fc.Arbitrary<Dates> = fc.record({
  from: fc.constantFrom(null, '2026-03-28', '2026-03-29'),
  until: fc.constantFrom(null, '2026-03-29', '2026-03-30'),
  excluded: fc.constantFrom<DateRange[]>(
    [],
    [{ from: '2026-03-29', until: '2026-03-29' }],
    [
      { from: '2026-03-20', until: '2026-03-28' },
      { from: '2026-03-28', until: '2026-03-29' },
    ],
  ),
});

const job = (n: number): fc.Arbitrary<{ id: JobId; view: JobView; schedules: ScheduleState[] }> =>
  fc
    .record({
      dates: fc.oneof({ weight: 2, arbitrary: fc.constant(everyDay) }, { weight: 1, arbitrary: dates }),
      rules: fc.array(rule, { minLength: 1, maxLength: 3 }),
      watermarks: fc.array(moment, { minLength: 3, maxLength: 3 }),
      pending: fc.uniqueArray(moment, { maxLength: 2 }),
      tags: fc.constantFrom([], [TAG]),
      mode: fc.constantFrom('none' as const, 'once' as const, 'all' as const),
      catchUpMax: fc.integer({ min: 1, max: 6 }),
      ageMsMax: fc.constantFrom(null, MINUTE_MS, 3 * HOUR_MS, DAY_MS),
      overlap: fc.record({
        mode: fc.constantFrom('skip', 'queue_one', 'queue_all', 'replace', 'allow'),
        countMax: fc.integer({ min: 1, max: 4 }),
      }),
      active: fc.constantFrom<JobView['active']>(
        [],
        [runningRun()],
        [waitingRun()],
        [runningRun(), waitingRun()],
        [waitingRun({ trigger: 'manual' })],
      ),
      runsPerHourMax: fc.constantFrom(null, 2),
      startedInHour: fc.integer({ min: 0, max: 3 }),
      jitterMs: fc.constantFrom(0, HOUR_MS),
    })
    .map((made) => {
      const base = jobView();
      const view: JobView = {
        ...base,
        policies: {
          catchUp: { mode: made.mode, ageMsMax: made.ageMsMax, countMax: made.catchUpMax },
          overlap: made.overlap as JobView['policies']['overlap'],
          jitterMs: made.jitterMs,
          runsPerHourMax: made.runsPerHourMax,
        },
        dates: made.dates,
        tags: made.tags,
        active: made.active,
        startedInHour: made.startedInHour,
      };
      const stateOf = (each: ScheduleRule, index: number, pending: Instant[]): ScheduleState =>
        scheduleState(each, '2026-03-28T00:00Z', {
          scheduleId: scheduleIdOf(n * 10 + index),
          jobId: jobIdOf(n),
          watermarkAt: made.watermarks[index] ?? BEGIN,
          dates: made.dates,
          pending: pending
            .sort((a, b) => a - b)
            .map((each) => ({ at: each, trigger: 'chain', sourceRunId: runIdOf(7) })),
        });
      const chain: ScheduleRule = { kind: 'after_job', jobId: jobIdOf(99), on: 'ended' };
      return {
        id: jobIdOf(n),
        view,
        schedules: [
          ...made.rules.map((each, index) => stateOf(each, index, [])),
          stateOf(chain, 5, made.pending),
        ],
      };
    });

const pause = fc
  .tuple(moment, fc.option(moment), fc.integer({ min: 1, max: 3 }))
  .map(([since, until, n]): Pause => {
    const scope =
      n === 1
        ? ({ kind: 'all' } as const)
        : n === 2
          ? ({ kind: 'tag', tag: TAG } as const)
          : ({ kind: 'job', jobId: jobIdOf(1) } as const);
    const shape = pauseOf(scope, '2026-03-28T00:00Z', null, n);
    return { ...shape, since, until: until === null || until <= since ? null : until };
  });
const span = fc
  .tuple(moment, moment, fc.constantFrom('asleep', 'off', 'not_running', 'clock_forward', 'zone_changed'))
  .map(
    ([one, other, cause]): MissedSpan => ({
      ...spanOf(cause as MissedSpan['cause'], '2026-03-28T00:00Z', '2026-03-28T00:00Z'),
      from: toInstant(Math.min(one, other)),
      to: toInstant(Math.max(one, other)),
    }),
  );

const life = fc
  .record({
    jobs: fc.tuple(job(1), job(2)),
    pauses: fc.array(pause, { maxLength: 3 }),
    spans: fc.array(span, { maxLength: 3 }),
    moments: fc.tuple(moment, moment).map(([a, b]) => [Math.min(a, b), Math.max(a, b)].map(toInstant)),
  })
  .map(({ jobs, pauses, spans, moments }) => ({
    view: {
      schedules: jobs.flatMap(({ schedules }) => schedules),
      jobs: new Map(jobs.map(({ id, view }) => [id, view])),
      undecided: new Map(),
      pauses,
      spans,
      hostZone: HOST_ZONE,
    } satisfies EngineView,
    now: moments[1] ?? BEGIN,
    between: moments[0] ?? BEGIN,
  }));

/** One by one, what is due of a schedule. */
const dueOf = (state: ScheduleState, now: Instant): Instant[] => [
  ...state.pending.filter((each) => each.at <= now).map((each) => each.at),
  ...occurrencesBetween(state.rule, state.watermarkAt, now, contextOf(state, HOST_ZONE)),
];

/** One by one, what the decisions about a schedule cover; the count of each must be the truth. */
function coveredOf(state: ScheduleState, decisions: readonly PlannedDecision[]): Instant[] {
  const isOwed = state.rule.kind === 'after_job';
  return decisions
    .filter(({ scheduleId }) => scheduleId === state.scheduleId)
    .flatMap(({ from, until, count }) => {
      const moments = isOwed
        ? [from]
        : occurrencesBetween(state.rule, toInstant(from - 1), until, contextOf(state, HOST_ZONE));
      expect([moments.length, moments[0], moments.at(-1)]).toEqual([count, from, until]);
      return moments;
    })
    .sort((a, b) => a - b);
}

type Decided = { readonly schedule: ScheduleState; readonly decision: PlannedDecision };

function isAnswered({ decision }: Decided, all: readonly PlannedDecision[], job: JobView): boolean {
  if (decision.kind !== 'merge') return true;
  const { into } = decision;
  if (into.kind === 'run') {
    const run = job.active.find(({ id }) => id === into.runId);
    return run?.state === 'queued' && run.attemptCount === 0 && run.trigger !== 'manual';
  }
  return all.some(
    (each) => each.kind === 'start' && each.scheduleId === into.scheduleId && each.until === into.plannedAt,
  );
}

test('every due occurrence is decided exactly once, whatever the policies (D3, C-040)', () => {
  fc.assert(
    fc.property(life, ({ view, now }) => {
      const decisions = plan(view, now);
      for (const state of view.schedules) {
        expect(coveredOf(state, decisions)).toEqual(dueOf(state, now).sort((a, b) => a - b));
      }
    }),
    { numRuns: 200 },
  );
});

test('planning in between as well neither loses nor doubles one (D3, H-56)', () => {
  fc.assert(
    fc.property(life, ({ view, now, between }) => {
      const first = plan(view, between);
      const after = afterwards(view, first, between);
      const second = plan(after, now);
      for (const state of view.schedules) {
        const covered = [...coveredOf(state, first), ...coveredOf(state, second)];
        expect(covered.sort((a, b) => a - b)).toEqual(dueOf(state, now).sort((a, b) => a - b));
      }
    }),
    { numRuns: 200 },
  );
});

/** What the store says once the decisions are recorded, and no run has begun. */
function afterwards(view: EngineView, decisions: readonly PlannedDecision[], now: Instant): EngineView {
  const watermarks = new Map<ScheduleId, number>();
  for (const { scheduleId, until } of decisions) {
    watermarks.set(scheduleId, Math.max(watermarks.get(scheduleId) ?? until, until));
  }
  const jobs = [...view.jobs].map(([id, job]): [JobId, JobView] => {
    const starts = decisions.filter(({ kind, jobId }) => kind === 'start' && jobId === id);
    const queued = starts.map((_start, index) => waitingRun({ id: runIdOf(100 + index) }));
    return [
      id,
      { ...job, active: [...job.active, ...queued], startedInHour: job.startedInHour + starts.length },
    ];
  });
  return {
    ...view,
    jobs: new Map(jobs),
    schedules: view.schedules.map((state) => ({
      ...state,
      watermarkAt: toInstant(Math.max(state.watermarkAt, watermarks.get(state.scheduleId) ?? 0)),
      pending: state.pending.filter((each) => each.at > now),
    })),
  };
}

test('each run answers what is merged into it, starts once for a moment, and keeps within its policies (D7, D8)', () => {
  fc.assert(
    fc.property(life, ({ view, now }) => {
      const decisions = plan(view, now);
      const schedules = new Map(view.schedules.map((state) => [state.scheduleId, state]));
      for (const [id, job] of view.jobs) {
        const ofJob = decisions.filter(({ jobId }) => jobId === id);
        const pauses = pausesOf({ id, tags: [...job.tags] }, view.pauses);
        for (const decision of ofJob) {
          const schedule = schedules.get(decision.scheduleId);
          if (schedule === undefined) throw new Error('a schedule that was not asked about');
          expect(isAnswered({ schedule, decision }, decisions, job)).toBe(true);
          for (const end of [decision.from, decision.until]) {
            const paused = pauseReasonAt(pauses, end);
            expect(decision.reason.startsWith('paused') ? decision.reason : null).toBe(paused);
            const isOff = isExcluded(
              end,
              zoneOfRule(schedule.rule, { hostZone: HOST_ZONE }),
              job.dates.excluded,
            );
            if (paused === null && isOff) expect(decision.reason).toBe('date_excluded');
          }
          if (decision.reason === 'too_old') {
            expect(now - decision.until).toBeGreaterThan(
              job.policies.catchUp.ageMsMax ?? Number.POSITIVE_INFINITY,
            );
          }
        }
        const starts = ofJob.flatMap((each) => (each.kind === 'start' ? [each] : []));
        expect(new Set(starts.map(({ until }) => until)).size).toBe(starts.length);
        for (const start of starts) {
          const merged = ofJob.filter(
            (each) =>
              each.kind === 'merge' &&
              each.into.kind === 'start' &&
              each.into.scheduleId === start.scheduleId &&
              each.into.plannedAt === start.until,
          );
          expect(start.mergedCount).toBe(merged.reduce((sum, { count }) => sum + count, 0));
        }
        const caughtUp = starts.filter(({ reason }) => reason === 'caught_up');
        const { mode, countMax } = job.policies.catchUp;
        expect(caughtUp.length).toBeLessThanOrEqual(mode === 'none' ? 0 : mode === 'once' ? 1 : countMax);
        expect(starts.length - caughtUp.length).toBeLessThanOrEqual(1);
        if (job.policies.runsPerHourMax !== null) {
          const left = Math.max(0, job.policies.runsPerHourMax - job.startedInHour);
          expect(starts.length).toBeLessThanOrEqual(left);
        }
        if (job.policies.overlap.mode === 'skip' && job.active.some(({ state }) => state === 'running')) {
          expect(starts).toEqual([]);
        }
      }
    }),
    { numRuns: 200 },
  );
});

test('a week of five hundred jobs that are due every minute costs little more than an hour of them (C-040)', () => {
  const count = 500;
  const state = (n: number) =>
    scheduleState(cronRule('* * * * *'), '2026-03-28T00:00Z', {
      scheduleId: scheduleIdOf(n),
      jobId: jobIdOf(n),
      dates: { ...everyDay, excluded: [{ from: '2026-03-31', until: '2026-03-31' }] },
    });
  const schedules = Array.from({ length: count }, (_, n) => state(n));
  const jobs = new Map(schedules.map(({ jobId }) => [jobId, jobView({ catchUp: { ageMsMax: 3 * DAY_MS } })]));
  const pauses = [pauseOf({ kind: 'all' }, '2026-03-30T00:00Z', '2026-03-30T12:00Z')];
  const costOf = (ms: number): number => {
    const now = toInstant(BEGIN + ms);
    const spans = [{ cause: 'asleep' as const, from: BEGIN, to: now }];
    const view: EngineView = { schedules, jobs, undecided: new Map(), pauses, spans, hostZone: 'UTC' };
    const costs = Array.from({ length: 5 }, () => {
      const began = performance.now();
      const decisions = plan(view, now);
      expect(decisions.length).toBeLessThanOrEqual(8 * count);
      expect(decisions.reduce((sum, each) => sum + each.count, 0)).toBe((count * ms) / MINUTE_MS);
      return performance.now() - began;
    });
    return Math.min(...costs);
  };
  costOf(HOUR_MS);
  // Listing a week takes 168 times as long as listing an hour.
  expect(costOf(7 * DAY_MS) / costOf(HOUR_MS)).toBeLessThan(20);
});
