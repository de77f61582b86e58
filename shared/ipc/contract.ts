/**
 * The one place where a call between window (or command line) and engine is declared. Inputs are strict and bounded;
 * events say only what changed and the listener asks again. Large things are paged requests, never events.
 */
import { z } from 'zod';
import { KindDraft } from '../kinds/registry';
import { Backup, BackupId, DataFacts, RescueReport, RescueState } from '../model/data';
import { Dates } from '../model/dates';
import { Explanation } from '../model/explanation';
import { Job, JobDraft, JobId, JobRow } from '../model/job';
import { Machine } from '../model/machine';
import { OUTPUT_LINES_MAX, OutputPage } from '../model/output';
import { Pause, PauseId, PauseNote, PauseScope } from '../model/pause';
import { CronMistake, SchedulePreview } from '../model/preview';
import { Attempt, HistoryEntry, Run, RunId } from '../model/run';
import { RUN_PAGE_MAX, RunCounts, RunPage, RunQuery } from '../model/runSearch';
import { SCHEDULES_MAX, ScheduleRule } from '../model/schedule';
import { SchedulerStatus, Settings } from '../model/settings';
import { Scenario, WhatIf } from '../model/whatIf';
import type { Failure, Result } from '../result';
import { Instant } from '../time';

const request = <I extends z.ZodType, O extends z.ZodType>(input: I, output: O) => ({ input, output });
const nothing = z.undefined();
const job = z.strictObject({ jobId: JobId });

/** Characters; a longer log is copied from its file. */
const CLIPBOARD_LENGTH_MAX = 5_000_000;
export const HISTORY_PAGE_MAX = 200;
export const PREVIEW_ROWS_MAX = 10;

/** Opaque place in a job's history: the page goes on after it. */
export const HistoryCursor = z.string().max(200);

/** Everything the detail pane needs of one job. */
export const JobDetail = z.strictObject({
  job: Job,
  row: JobRow,
  sentences: z.array(z.string()),
  /** The next due times over all schedules, soonest first. */
  upcoming: z.array(Instant),
  runCount: z.number().int(),
  /** Finished runs, oldest first, at most 30: for the duration chart. */
  recentRuns: z.array(Run),
  medianMs: z.number().nullable(),
  activeRun: Run.nullable(),
  latestRun: Run.nullable(),
  /** Pauses that hold this job now. */
  pauses: z.array(Pause),
});
export type JobDetail = z.output<typeof JobDetail>;

/** The answer for one rule: either what it will do, or what is wrong with it. */
export const RulePreview = z.discriminatedUnion('valid', [
  z.strictObject({ valid: z.literal(true), preview: SchedulePreview }),
  z.strictObject({
    valid: z.literal(false),
    message: z.string(),
    /** The field of the rule that `message` is about. */
    field: z.enum(['expression', 'zone', 'everyMs', 'local']).optional(),
    /** Where an expression is wrong. */
    mistakes: z.array(CronMistake),
  }),
]);
export type RulePreview = z.output<typeof RulePreview>;

/** What was found out about a command without running it. Warnings, never errors: a drive may be unplugged now. */
export const CommandCheck = z.strictObject({
  /** Full path of the program, or null with a sentence in `warnings`. */
  programPath: z.string().nullable(),
  folder: z.string(),
  shell: z.string(),
  /** The folders a program is looked up in. */
  searchPath: z.array(z.string()),
  warnings: z.array(z.strictObject({ path: z.string(), text: z.string() })),
});
export type CommandCheck = z.output<typeof CommandCheck>;

/** Facts for scripts and for the check of the packaged app. */
export const Health = z.strictObject({
  version: z.string(),
  pid: z.number().int(),
  host: z.enum(['app', 'agent']),
  runtime: z.string(),
  sqlite: z.string(),
  /** The window has painted real data. False for an agent, or while the window is closed. */
  isWindowDrawn: z.boolean(),
  status: SchedulerStatus,
});
export type Health = z.output<typeof Health>;

/** Questions that may be asked. The engine answers each exactly once. */
export const requests = {
  'jobs.list': request(nothing, z.array(JobRow)),
  'jobs.get': request(job, JobDetail),
  /** Without `jobId` a new job; with it the next revision, refused as `conflict` if `revision` is stale. */
  'jobs.save': request(
    z.strictObject({
      jobId: JobId.optional(),
      revision: z.number().int().optional(),
      draft: JobDraft,
    }),
    Job,
  ),
  'jobs.setEnabled': request(z.strictObject({ jobId: JobId, isEnabled: z.boolean() }), Job),
  /** The copy is off until it is saved or switched on. */
  'jobs.duplicate': request(job, Job),
  /** Refused as `busy` while a run is active, unless `stopRun` asks to stop it. */
  'jobs.delete': request(z.strictObject({ jobId: JobId, stopRun: z.boolean() }), nothing),
  /** Undo of a deletion. The job comes back as it was, with its history; null if what is stored of it cannot be read. */
  'jobs.restore': request(job, Job.nullable()),
  /**
   * For a job that is off because a run of it was interrupted and may still go on: looks for the process again, and switches
   * the job on unless it is found alive.
   */
  'jobs.checkAndResume': request(
    job,
    z.strictObject({ found: z.enum(['over', 'running', 'unknown']), isResumed: z.boolean(), job: Job }),
  ),
  /** Why the job ran, did not run, will or will not run at that moment. */
  'jobs.explain': request(z.strictObject({ jobId: JobId, at: Instant }), Explanation),
  /** The user opened the job: its failure or lateness is no longer news. */
  'jobs.markSeen': request(job, nothing),
  'schedules.preview': request(
    z.strictObject({
      rules: z.array(ScheduleRule).max(SCHEDULES_MAX),
      rowsMax: z.number().int().min(1).max(PREVIEW_ROWS_MAX),
      /** Days of the job: nothing before the first and after the last is told. */
      dates: Dates.optional(),
    }),
    z.array(RulePreview),
  ),
  /**
   * What would happen from `from` to `until`, for one job or all (`jobId` absent). With `draft` the job is taken as the editor
   * has it, saved or not.
   */
  'preview.whatIf': request(
    z.strictObject({
      jobId: JobId.optional(),
      draft: JobDraft.optional(),
      from: Instant,
      until: Instant,
      scenario: Scenario,
    }),
    WhatIf,
  ),
  'commands.check': request(KindDraft, CommandCheck),
  'runs.history': request(
    z.strictObject({
      jobId: JobId,
      after: HistoryCursor.optional(),
      limit: z.number().int().min(1).max(HISTORY_PAGE_MAX),
    }),
    z.strictObject({
      entries: z.array(HistoryEntry),
      next: HistoryCursor.nullable(),
    }),
  ),
  /** Runs of all jobs, newest first; each page costs the same, however far back. */
  'runs.find': request(
    RunQuery.extend({
      after: HistoryCursor.optional(),
      limit: z.number().int().min(1).max(RUN_PAGE_MAX),
    }),
    RunPage,
  ),
  'runs.counts': request(z.strictObject({ from: Instant, until: Instant }), RunCounts),
  'runs.get': request(z.strictObject({ runId: RunId }), Run),
  /** The attempts of a run, oldest first. */
  'runs.attempts': request(z.strictObject({ runId: RunId }), z.array(Attempt)),
  /**
   * Refused as `busy` while the job has an active run, unless `ifActive` says to wait for it, to stop it first, or (where the
   * overlap policy allows several) to start beside it.
   */
  'runs.start': request(
    z.strictObject({ jobId: JobId, ifActive: z.enum(['refuse', 'queue', 'replace', 'beside']).optional() }),
    Run,
  ),
  /** A run that waits for a condition, its jitter or its retry starts as soon as there is a place. */
  'runs.startNow': request(z.strictObject({ runId: RunId }), nothing),
  'runs.stop': request(z.strictObject({ runId: RunId }), nothing),
  'output.read': request(
    z.strictObject({
      runId: RunId,
      from: z.number().int().min(0),
      count: z.number().int().min(0).max(OUTPUT_LINES_MAX),
    }),
    OutputPage,
  ),
  'engine.status': request(nothing, SchedulerStatus),
  /** Power, network and idle time of this computer, for the words beside a condition. Asks nobody outside. */
  'machine.get': request(nothing, Machine),
  /** Pauses that hold now, newest first. */
  'pauses.list': request(nothing, z.array(Pause)),
  'pauses.start': request(
    z.strictObject({ scope: PauseScope, note: PauseNote, until: Instant.nullable() }),
    Pause,
  ),
  'pauses.end': request(z.strictObject({ pauseId: PauseId }), nothing),
  /** The short way, for tray and button: a pause of everything without note or end, or the end of every such pause. */
  'engine.setPaused': request(z.strictObject({ isPaused: z.boolean() }), SchedulerStatus),
  /**
   * This process asks the one that runs the jobs to let go, and takes over. What is running goes on and is adopted. `conflict` if
   * this one runs them already, `busy` if the other one does not answer: it is never displaced while it lives.
   */
  'engine.takeOver': request(nothing, SchedulerStatus),
  /** The other side of it: this process lets go of the jobs for whoever asks. `conflict` if it does not run them. */
  'engine.handOver': request(nothing, nothing),
  'data.get': request(nothing, DataFacts),
  /** Reads all of the store and looks for damage. */
  'data.check': request(nothing, DataFacts),
  /** Opens the data folder in the system's file manager. */
  'data.reveal': request(nothing, nothing),
  /** Newest first. */
  'backups.list': request(nothing, z.array(Backup)),
  'backups.create': request(nothing, Backup),
  /**
   * Stops the engine, puts the copy in place of the store, and starts again. Runs that go on are left alone. The present store
   * becomes a copy first. Refused as `conflict` by a process that does not run the jobs.
   */
  'backups.restore': request(z.strictObject({ backupId: BackupId }), RescueReport),
  /** null while the store is open. */
  'rescue.get': request(nothing, RescueState.nullable()),
  /** Tries to open the store once more; answers like `rescue.get` afterwards. */
  'rescue.retry': request(nothing, RescueState.nullable()),
  /** What was done; the store is open afterwards. */
  'rescue.act': request(
    z.discriminatedUnion('choice', [
      z.strictObject({ choice: z.literal('restore'), backupId: BackupId }),
      z.strictObject({ choice: z.literal('repair') }),
      z.strictObject({ choice: z.literal('start_empty') }),
    ]),
    RescueReport,
  ),
  'rescue.cancelRepair': request(nothing, nothing),
  /** Writes what is readable of jobs and runs to a file that the user chooses; null if none was chosen. */
  'rescue.export': request(
    nothing,
    z
      .strictObject({
        file: z.string(),
        jobCount: z.number().int(),
        runCount: z.number().int(),
        /** Places at which something could not be read, and is left out. */
        gapCount: z.number().int(),
      })
      .nullable(),
  ),
  /** Ends this process, as the menu does. */
  'app.quit': request(nothing, nothing),
  'settings.get': request(nothing, Settings),
  'settings.save': request(Settings, Settings),
  /** Text for the system's clipboard. The page itself has no permission to write there. */
  'clipboard.write': request(z.strictObject({ text: z.string().max(CLIPBOARD_LENGTH_MAX) }), nothing),
  /** The system's own folder dialog; null when it was closed without a choice. */
  'folders.choose': request(z.strictObject({ start: z.string().max(4_000) }), z.string().nullable()),
  /** The window tells that its first real content is painted. */
  'window.drawn': request(nothing, nothing),
  'health.get': request(nothing, Health),
};

/** Facts that are announced. Nobody answers. */
export const events = {
  'jobs.changed': z.strictObject({ jobId: JobId.nullable() }),
  'runs.changed': z.strictObject({ runId: RunId, jobId: JobId }),
  'output.grew': z.strictObject({ runId: RunId }),
  'status.changed': z.strictObject({}),
  /** Copies, sizes, or what is wrong with the store: ask again. */
  'data.changed': z.strictObject({}),
  /** The tray or a second start asks the window to show a place. */
  'window.show': z.strictObject({
    place: z.enum(['jobs', 'new_job']),
    jobId: JobId.nullable(),
  }),
};

export type RequestName = keyof typeof requests;
export type EventName = keyof typeof events;
export type Input<N extends RequestName> = z.input<(typeof requests)[N]['input']>;
export type Output<N extends RequestName> = z.output<(typeof requests)[N]['output']>;
export type Reply<N extends RequestName> = Result<Output<N>, Failure>;
export type Payload<N extends EventName> = z.output<(typeof events)[N]>;

/** What the main process must supply: one handler for every request, no more and no fewer. */
export type Handlers = {
  readonly [N in RequestName]: (input: z.output<(typeof requests)[N]['input']>) => Promise<Reply<N>>;
};

/** What the preload script puts on `window.belfry`. */
export interface Bridge {
  request<N extends RequestName>(name: N, input: Input<N>): Promise<Reply<N>>;
  subscribe<N extends EventName>(name: N, listener: (payload: Payload<N>) => void): () => void;
}
