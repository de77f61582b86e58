/** States that policies bring about, for looking at the window: retries, waits, pauses, attempts, an answer to "why?". */
import type { Explanation } from '../shared/model/explanation';
import type { JobId } from '../shared/model/job';
import type { Attempt, AttemptId, Run, RunId } from '../shared/model/run';
import type { WhatIfRow } from '../shared/model/whatIf';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS, toInstant } from '../shared/time';
import type { FakeEngine } from './fakeEngine';
import { at, LOOK_NOW } from './lookJobs';
import { emptyCondition } from './store/conditionForm';
import { emptyForm, type JobForm } from './store/jobForm';

const queued: Partial<Run> = {
  state: 'queued',
  outcome: null,
  exitCode: null,
  endedAt: null,
  durationMs: null,
};

const attempt = (number: number, startedAt: string, part: Partial<Attempt> = {}): Attempt => ({
  id: `00000000-0000-4000-b000-00000000000${number}` as AttemptId,
  number,
  startedAt: at(startedAt),
  endedAt: toInstant(at(startedAt) + 62 * SECOND_MS),
  outcome: 'failed',
  reason: 'exit_code',
  exitCode: 75,
  signal: null,
  lateResult: null,
  ...part,
});

/** A run of the job that has failed twice and is tried again, and one before it that came through at the third try. */
export function addRetry(engine: FakeEngine, jobId: JobId): RunId {
  const before = engine.addRun(jobId, {
    startedAt: at('03-11T14:06:00'),
    plannedAt: at('03-11T14:05:00'),
    durationMs: 300 * SECOND_MS,
    attemptCount: 3,
    attemptsMax: 4,
    waits: [
      {
        kind: 'network',
        detail: null,
        since: at('03-11T14:05:00'),
        until: at('03-11T14:08:00'),
        otherwise: 'run',
        endedAt: at('03-11T14:05:58'),
        end: 'met',
      },
    ],
  });
  engine.attempts.set(before, [
    attempt(1, '03-11T14:06:00'),
    attempt(2, '03-11T14:08:02', {
      outcome: 'abandoned',
      reason: 'interrupted',
      exitCode: null,
      lateResult: {
        exitCode: 0,
        signal: null,
        endedAt: at('03-11T14:10:10'),
        recordedAt: at('03-11T14:10:30'),
      },
    }),
    attempt(3, '03-11T14:11:00', { outcome: 'succeeded', reason: null, exitCode: 0 }),
  ]);
  engine.addRun(jobId, {
    ...queued,
    startedAt: at('03-11T14:12:00'),
    plannedAt: at('03-11T14:12:00'),
    notBeforeAt: at('03-11T14:16:14'),
    attemptCount: 1,
    attemptsMax: 4,
  });
  engine.changeRow(jobId, {
    next: { code: 'retry', at: at('03-11T14:16:14'), attempt: 2, attemptsMax: 4 },
  });
  return before;
}

/** A run that waits for mains. */
export function addWait(engine: FakeEngine, jobId: JobId): void {
  const wait = {
    kind: 'mains' as const,
    detail: null,
    since: at('03-11T13:00:00'),
    until: at('03-11T15:00:00'),
    otherwise: 'skip' as const,
    endedAt: null,
    end: null,
  };
  engine.addRun(jobId, { ...queued, startedAt: null, plannedAt: at('03-11T13:00:00'), waits: [wait] });
  engine.changeRow(jobId, { next: { code: 'waiting', wait } });
}

/** An answer with as many facts as there can be. */
export const skippedAnswer: Explanation = {
  code: 'skipped',
  jobName: 'Back up notes',
  plannedAt: at('03-11T13:00:00'),
  scheduleId: null,
  schedule: 'At 13:00 every day',
  reason: 'paused_tag',
  missCause: null,
  count: 1,
  pause: {
    scope: 'tag',
    tag: 'Backups',
    note: 'on holiday',
    since: at('03-10T09:00:00'),
    until: at('03-15T08:00:00'),
  },
  gap: null,
  blockingRun: null,
};

/** A week with the laptop asleep each night. */
export function asleepRows(jobId: JobId): WhatIfRow[] {
  return Array.from({ length: 6 }, (_, index): WhatIfRow => {
    const plannedAt = toInstant(at('03-12T02:30:00') + index * DAY_MS);
    const startedAt = toInstant(plannedAt + 5 * HOUR_MS);
    const row = { jobId, scheduleId: null, plannedAt, untilAt: plannedAt, count: 1, trigger: null } as const;
    if (index === 2) {
      const skip = { kind: 'skip', reason: 'date_excluded', missCause: null } as const;
      return { ...row, ...skip, startedAt: null, endedAt: null };
    }
    const run = { kind: 'run', reason: 'caught_up', missCause: 'asleep' } as const;
    return { ...row, ...run, trigger: 'catch_up', startedAt, endedAt: toInstant(startedAt + 3 * MINUTE_MS) };
  });
}

/** A form in which every policy says something. */
export function fullForm(base: JobForm): JobForm {
  const first = emptyForm().schedules[0];
  const host = {
    ...emptyCondition('host_answers'),
    host: 'nas.local',
    port: '445',
    otherwise: 'run' as const,
  };
  return {
    ...base,
    name: 'Back up photos',
    schedules: first === undefined ? [] : [{ ...first, cron: { ...first.cron, expression: '30 2 * * *' } }],
    dates: {
      from: '2027-03-01',
      until: '',
      excluded: [
        { key: -1, from: '2027-03-14', until: '' },
        { key: -2, from: '2027-12-24', until: '2027-12-27' },
      ],
    },
    conditions: [emptyCondition('mains'), host, { ...emptyCondition('check_command') }],
    catchUp: 'all',
    lateLimit: { isOn: true, span: { amount: '12', unit: 'hours' } },
    overlap: 'allow',
    retry: { ...base.retry, isOn: true, isLimitedToCodes: true, exitCodes: '75, 111' },
    jitter: { ...base.jitter, isOn: true },
    perHour: { ...base.perHour, isOn: true },
  };
}

/** Somebody paused a tag for some days. */
export async function pauseTag(engine: FakeEngine): Promise<void> {
  await engine.bridge.request('pauses.start', {
    scope: { kind: 'tag', tag: 'Backups' },
    note: 'on holiday',
    until: toInstant(LOOK_NOW + 3 * DAY_MS),
  });
}
