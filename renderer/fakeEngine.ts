/**
 * An engine in memory behind a fake bridge, for tests and for looking at the window. It keeps what it is told and announces
 * changes as the real one does, but it plans nothing and runs nothing.
 */
import type { Handlers, JobDetail, Reply, RulePreview } from '../shared/ipc/contract';
import type { Dates } from '../shared/model/dates';
import type { Job, JobId, JobRow } from '../shared/model/job';
import type { OutputLine } from '../shared/model/output';
import type { Pause } from '../shared/model/pause';
import type { Attempt, Decision, HistoryEntry, Run, RunId } from '../shared/model/run';
import type { ScheduleId, ScheduleRule } from '../shared/model/schedule';
import { defaultSettings, type SchedulerStatus, type Settings } from '../shared/model/settings';
import { fail, ok } from '../shared/result';
import { type Instant, toInstant } from '../shared/time';
import { explanationAnswers, holds, pauseAnswers } from './fakeAnswers';
import { FakeBridge } from './fakeBridge';
import { dataAnswers, FakeDisk, processAnswers } from './fakeData';
import {
  detailOf,
  type FakeJob,
  fakeJob,
  fakeRun,
  type JobPart,
  momentOf,
  rowOf,
  runsOf,
} from './fakeRecords';

export type LinePart = { text: string; stream?: OutputLine['stream']; at?: Instant | null };

/** What this engine cannot know: the time, and what a rule means. */
export type FakeOptions = {
  now: () => number;
  preview: (rule: ScheduleRule, rowsMax: number, dates?: Dates) => RulePreview;
};

const NO_JOB = fail('not_found', 'This job does not exist any more.');

export class FakeEngine {
  readonly bridge: FakeBridge;
  readonly jobs = new Map<JobId, FakeJob>();
  /** Those that hold now, newest first. */
  readonly pauses: Pause[] = [];
  readonly attempts = new Map<RunId, Attempt[]>();
  settings: Settings = defaultSettings;
  status: SchedulerStatus = {
    state: 'running',
    holder: null,
    jobCount: 0,
    runningCount: 0,
    failingCount: 0,
    next: null,
    lastGap: null,
    problem: null,
  };
  readonly #deleted = new Map<JobId, FakeJob>();
  readonly #lines = new Map<RunId, OutputLine[]>();
  readonly now: () => number;
  readonly disk: FakeDisk;
  readonly #preview: (rule: ScheduleRule, rowsMax: number, dates?: Dates) => RulePreview;
  #lastId = 0;

  constructor({ now, preview }: FakeOptions) {
    this.now = now;
    this.disk = new FakeDisk(toInstant(now()));
    this.#preview = preview;
    this.bridge = new FakeBridge(this.#handlers());
  }

  addJob(part: JobPart = {}): JobId {
    const id = part.job?.id ?? this.#id<JobId>();
    this.jobs.set(id, fakeJob(id, toInstant(this.now()), part));
    this.bridge.announce('jobs.changed', { jobId: id });
    return id;
  }

  addRun(jobId: JobId, part: Partial<Run> = {}): RunId {
    const run = fakeRun(this.#id<RunId>(), jobId, toInstant(this.now()), part);
    this.#keep(jobId, { entry: 'run', run });
    this.bridge.announce('runs.changed', { runId: run.id, jobId });
    return run.id;
  }

  changeRun(runId: RunId, part: Partial<Run>): void {
    for (const { history } of this.jobs.values()) {
      const index = history.findIndex((entry) => entry.entry === 'run' && entry.run.id === runId);
      const entry = history[index];
      if (entry?.entry !== 'run') continue;
      history[index] = { entry: 'run', run: { ...entry.run, ...part } };
      this.bridge.announce('runs.changed', { runId, jobId: entry.run.jobId });
    }
  }

  addSkip(jobId: JobId, part: Partial<Decision> = {}): void {
    const plannedAt = part.plannedAt ?? toInstant(this.now());
    const decision: Decision = {
      scheduleId: this.#id<ScheduleId>(),
      plannedAt,
      untilAt: plannedAt,
      count: 1,
      kind: 'skip',
      reason: 'overlap',
      missCause: null,
      runId: null,
      decidedAt: plannedAt,
      ...part,
    };
    this.#keep(jobId, { entry: 'skip', decision });
    this.bridge.announce('jobs.changed', { jobId });
  }

  write(runId: RunId, parts: readonly LinePart[]): void {
    const known = this.#lines.get(runId) ?? [];
    for (const { text, stream = 'stdout', at = toInstant(this.now()) } of parts) {
      known.push({ number: known.length, stream, at, text, isPartial: false });
    }
    this.#lines.set(runId, known);
    this.bridge.announce('output.grew', { runId });
  }

  setStatus(part: Partial<SchedulerStatus>): SchedulerStatus {
    this.status = { ...this.status, ...part };
    this.bridge.announce('status.changed', {});
    return this.status;
  }

  changeRow(jobId: JobId, part: Partial<JobRow>): void {
    const one = this.jobs.get(jobId);
    if (one !== undefined) one.row = { ...one.row, ...part };
    this.bridge.announce('jobs.changed', { jobId });
  }

  #id<Id extends string>(): Id {
    this.#lastId += 1;
    return `00000000-0000-4000-8000-${String(this.#lastId).padStart(12, '0')}` as Id;
  }

  #keep(jobId: JobId, entry: HistoryEntry): void {
    const history = this.jobs.get(jobId)?.history ?? [];
    history.push(entry);
    history.sort((a, b) => momentOf(b) - momentOf(a));
  }

  #run(runId: RunId): Run | undefined {
    return [...this.jobs.values()].flatMap(runsOf).find((run) => run.id === runId);
  }

  #with<Result>(jobId: JobId, use: (one: FakeJob) => Result): Result | typeof NO_JOB {
    const one = this.jobs.get(jobId);
    return one === undefined ? NO_JOB : use(one);
  }

  #detail(one: FakeJob): JobDetail {
    const pauses = this.pauses.filter((pause) => holds(pause, one.job.id, one.job.tags));
    return { ...detailOf(one), pauses };
  }

  #change(jobId: JobId, change: (job: Job) => Job): Reply<'jobs.setEnabled'> {
    return this.#with(jobId, (one) => {
      one.job = change(one.job);
      one.row = { ...rowOf(one.job), spark: one.row.spark, scheduleShort: one.row.scheduleShort };
      this.bridge.announce('jobs.changed', { jobId });
      return ok(one.job);
    });
  }

  #handlers(): Handlers {
    return {
      ...this.#jobHandlers(),
      ...this.#runHandlers(),
      ...this.#otherHandlers(),
      ...pauseAnswers(this),
      ...explanationAnswers(this),
      ...dataAnswers(this),
      ...processAnswers(this),
    };
  }

  #jobHandlers() {
    return {
      'jobs.list': async () => ok([...this.jobs.values()].map(({ row }) => row)),
      'jobs.get': async ({ jobId }) =>
        this.#with(jobId, (one) =>
          one.job.disabledReason === 'quarantined'
            ? fail('unsupported', 'Its stored settings could not be read.')
            : ok(this.#detail(one)),
        ),
      'jobs.save': async ({ jobId, revision, draft }) => {
        const schedules = draft.schedules.map(({ id, rule }) => ({ id: id ?? this.#id<ScheduleId>(), rule }));
        if (jobId === undefined) {
          const id = this.addJob({ job: { ...draft, schedules } });
          return ok(this.jobs.get(id)?.job as Job);
        }
        const known = this.jobs.get(jobId)?.job;
        if (known !== undefined && known.revision !== revision) {
          return fail('conflict', 'This job changed while you were editing.');
        }
        return this.#change(jobId, (job) => ({ ...job, ...draft, schedules, revision: job.revision + 1 }));
      },
      'jobs.setEnabled': async ({ jobId, isEnabled }) =>
        this.#change(jobId, (job) => ({ ...job, isEnabled, disabledReason: isEnabled ? null : 'user' })),
      'jobs.duplicate': async ({ jobId }) =>
        this.#with(jobId, ({ job }) => {
          const id = this.#id<JobId>();
          this.addJob({ job: { ...job, id, name: `Copy of ${job.name}`, isEnabled: false } });
          return ok(this.jobs.get(id)?.job as Job);
        }),
      'jobs.delete': async ({ jobId, stopRun }) =>
        this.#with(jobId, (one) => {
          if (!stopRun && detailOf(one).activeRun !== null) return fail('busy', 'It is running.');
          this.jobs.delete(jobId);
          this.#deleted.set(jobId, one);
          this.bridge.announce('jobs.changed', { jobId });
          return ok(undefined);
        }),
      'jobs.restore': async ({ jobId }) => {
        const one = this.#deleted.get(jobId);
        if (one === undefined) return NO_JOB;
        this.#deleted.delete(jobId);
        this.jobs.set(jobId, one);
        this.bridge.announce('jobs.changed', { jobId });
        return ok(one.job);
      },
      'jobs.markSeen': async () => ok(undefined),
    } satisfies Partial<Handlers>;
  }

  #runHandlers() {
    return {
      'schedules.preview': async ({ rules, rowsMax, dates }) =>
        ok(rules.map((rule) => this.#preview(rule, rowsMax, dates))),
      'commands.check': async () =>
        ok({ programPath: null, folder: '~', shell: '/bin/sh', searchPath: [], warnings: [] }),
      'runs.history': async ({ jobId, after, limit }) => {
        const history = this.jobs.get(jobId)?.history ?? [];
        const from = Number(after ?? 0);
        const next = from + limit < history.length ? String(from + limit) : null;
        return ok({ entries: history.slice(from, from + limit), next });
      },
      'runs.get': async ({ runId }) => {
        const run = this.#run(runId);
        return run === undefined ? fail('not_found', 'This run does not exist any more.') : ok(run);
      },
      'runs.start': async ({ jobId, ifActive = 'refuse' }) =>
        this.#with(jobId, (one) => {
          const active = detailOf(one).activeRun;
          if (active !== null && ifActive === 'refuse') return fail('busy', 'It is already running.');
          const part: Partial<Run> = { trigger: 'manual', state: 'running', outcome: null, exitCode: null };
          const id = this.addRun(jobId, { ...part, endedAt: null, durationMs: null });
          return ok(this.#run(id) as Run);
        }),
      'runs.stop': async ({ runId }) => {
        const end: Partial<Run> = { state: 'finished', outcome: 'cancelled', reason: 'stopped_by_user' };
        this.changeRun(runId, { ...end, endedAt: toInstant(this.now()), durationMs: 1_000 });
        return ok(undefined);
      },
      'output.read': async ({ runId, from, count }) => {
        const known = this.#lines.get(runId) ?? [];
        return ok({
          lines: known.slice(from, from + count),
          lineCount: known.length,
          byteCount: known.reduce((sum, line) => sum + line.text.length + 1, 0),
          droppedBytes: 0,
          droppedBefore: null,
          stderrLineCount: known.filter((line) => line.stream === 'stderr').length,
          isLive: this.#run(runId)?.state === 'running',
        });
      },
    } satisfies Partial<Handlers>;
  }

  #otherHandlers() {
    return {
      'engine.status': async () => ok(this.status),
      'machine.get': async () =>
        ok({ power: 'mains', batteryPercent: 83, network: 'up', idleMs: null } as const),
      'settings.get': async () => ok(this.settings),
      'settings.save': async (settings) => {
        this.settings = settings;
        return ok(settings);
      },
      'clipboard.write': async () => ok(undefined),
      'folders.choose': async () => ok(null),
      'window.drawn': async () => ok(undefined),
      'health.get': async () => fail('unavailable', 'There is no engine here.'),
    } satisfies Partial<Handlers>;
  }
}
