/**
 * The store as the engine sees it, as types only. Asynchronous although SQLite is not, because a second adapter for several
 * machines comes behind it (D2) and has to pass the same contract suites.
 */

import type { Wait } from '../../shared/model/condition';
import type { Job, JobId } from '../../shared/model/job';
import type { Pause, PauseId } from '../../shared/model/pause';
import type {
  Attempt,
  AttemptId,
  Decision,
  DecisionReason,
  EndReason,
  HistoryEntry,
  MissCause,
  Outcome,
  Run,
  RunId,
} from '../../shared/model/run';
import type { RunCounts, RunPage, RunQuery } from '../../shared/model/runSearch';
import type { ScheduleId } from '../../shared/model/schedule';
import type { Retention, Settings } from '../../shared/model/settings';
import type { Instant } from '../../shared/time';
import type { Fence, Lease } from '../core/lease';
import type { Gap, PendingOccurrence, ScheduleState } from '../core/ledger';
import type { SparkSlot } from '../core/spark';
import type { ProcessIdentity } from './running';

/** An attempt that is not closed yet, as recovery finds it. */
export type OpenAttempt = {
  readonly attemptId: AttemptId;
  readonly runId: RunId;
  readonly jobId: JobId;
  readonly number: number;
  readonly epoch: number;
  readonly startedAt: Instant;
  readonly identity: ProcessIdentity | null;
};

/** An attempt that was closed without its true end, as the look for late results finds it. */
export type LostAttempt = Pick<OpenAttempt, 'attemptId' | 'runId' | 'jobId' | 'identity'> & {
  readonly hasLateResult: boolean;
};

/** Facts kept per job so that a list never has to count its history. */
export type JobStats = {
  readonly jobId: JobId;
  readonly runCount: number;
  /** At most SPARK_SLOTS, oldest first. */
  readonly slots: readonly SparkSlot[];
  readonly lastRunAt: Instant | null;
  /** When the user last opened the job: news older than this is not news. */
  readonly seenAt: Instant | null;
  /** When the newest slot was added. */
  readonly newestAt: Instant | null;
};

export interface JobReader {
  /** Deleted jobs too: `deletedAt` tells. */
  get(jobId: JobId): Promise<Job | null>;
  /** Jobs that are not deleted, by name. */
  list(): Promise<Job[]>;
  /** Exactly this revision, for a run that was queued before an edit. */
  atRevision(jobId: JobId, revision: number): Promise<Job | null>;
  /** The job as it was defined at that moment; null before its first revision, or if that revision cannot be read. */
  definedAt(jobId: JobId, at: Instant): Promise<Job | null>;
  /**
   * Jobs whose stored row cannot be read: kept as they are, left out of everything else here and of
   * `schedules.active()`. `why` is for the log and the window.
   */
  quarantined(): Promise<{ jobId: string; why: string }[]>;
  /** One that is there, deleted or not, although its row cannot be read; null if it can be, or is not there. */
  unreadable(jobId: JobId): Promise<{ readonly deletedAt: Instant | null } | null>;
  count(): Promise<number>;
  /** Another number after every insert, update, deletion and restoration, by whichever process. Cheap: asked every step. */
  changeNumber(): Promise<number>;
  stats(jobId: JobId): Promise<JobStats>;
  allStats(): Promise<Map<JobId, JobStats>>;
}

export interface JobWriter extends JobReader {
  insert(job: Job): Promise<void>;
  /** Stores `job` as the next revision and syncs its schedules; false if `job.revision - 1` is not the current one. */
  update(job: Job): Promise<boolean>;
  /** Deletes softly; false if there is no such job, or it is deleted already. */
  setDeleted(jobId: JobId, at: Instant): Promise<boolean>;
  /** Undoes a deletion. Due times up to `at` are not made up (D3); false if there is no such deleted job. */
  restore(jobId: JobId, at: Instant): Promise<boolean>;
  setSeen(jobId: JobId, at: Instant): Promise<void>;
}

export interface ScheduleReader {
  /** Schedules of jobs that are enabled and not deleted. */
  active(): Promise<ScheduleState[]>;
  /** The same for one job: empty if it is off, deleted or unknown. */
  ofJob(jobId: JobId): Promise<ScheduleState[]>;
  /** Active schedules that start after a run of this job. */
  waitingFor(jobId: JobId): Promise<ScheduleState[]>;
  /** When the oldest job was made, deleted ones too; null if there never was one. A clock far before it is wrong. */
  beganAt(): Promise<Instant | null>;
  /** Which job waits for which, over all jobs that are not deleted, on or off: for the check against circles. */
  chains(): Promise<{ readonly jobId: JobId; readonly afterJobId: JobId }[]>;
}

export interface ScheduleWriter extends ScheduleReader {
  /** Never moves back: a smaller instant changes nothing (invariant of architecture.md, section 11). */
  setWatermark(scheduleId: ScheduleId, at: Instant): Promise<void>;
  /**
   * The clock went back: of schedules whose watermark lies beyond `to` only what a decision covers counts as decided after
   * it (`owedSince`). What is owed or has ended beyond it counts as of then.
   */
  rewind(to: Instant): Promise<void>;
  /**
   * Owes an occurrence until it is decided; false if that instant is owed or decided already. One more than a schedule may
   * owe (S-02) is decided here, as a skip for `queue_full`, and false as well.
   */
  addPending(scheduleId: ScheduleId, pending: PendingOccurrence): Promise<boolean>;
  removePending(scheduleId: ScheduleId, at: Instant): Promise<void>;
}

export interface DecisionReader {
  /** The decision that covers this occurrence, single or in a range. */
  at(scheduleId: ScheduleId, plannedAt: Instant): Promise<Decision | null>;
  /** Decisions about instants later than `after` and not later than `until`, newest first, at most `max`. */
  between(scheduleId: ScheduleId, span: { after: Instant; until: Instant; max: number }): Promise<Decision[]>;
  /** Every decision that this run answers, from old to new: its own and those merged into it. */
  ofRun(runId: RunId): Promise<Decision[]>;
  /** Merges and skips that reach beyond `after`, in which nothing has run yet: a clock that was ahead made them. */
  unrunAfter(after: Instant): Promise<{ jobId: JobId; decision: Decision }[]>;
}

export interface DecisionWriter extends DecisionReader {
  /** False if the occurrence is already decided: that is what keeps anything from running twice. */
  insert(decision: Decision): Promise<boolean>;
  /**
   * Takes back the newer part of a merge or a skip, or all of it (null): its occurrences are decided by nobody then. The
   * run that it was merged into counts them no longer. A decision to run, or one that is not stored, is a BugError.
   */
  reopen(decision: Decision, kept: { untilAt: Instant; count: number } | null): Promise<void>;
}

/** As much of a run that has not ended as a list needs. `wait`: the condition that it waits for now. */
export type ActiveRun = Pick<
  Run,
  'state' | 'queuedAt' | 'startedAt' | 'notBeforeAt' | 'attemptCount' | 'attemptsMax'
> & { readonly wait: Wait | null };

export interface RunReader {
  get(runId: RunId): Promise<Run | null>;
  /**
   * Queued and running, oldest first. For recovery: after a night there may be thousands, and each is read and checked.
   * Everybody else asks one of the next four, which read no more than they answer.
   */
  active(): Promise<Run[]>;
  activeCounts(): Promise<{ readonly running: number; readonly queued: number }>;
  /** For each job with a queued or running run the newest of them, in what a list shows. */
  activeByJob(): Promise<Map<JobId, ActiveRun>>;
  /** The queued and running runs of one job, oldest first. */
  activeOf(jobId: JobId): Promise<Run[]>;
  /** Whether a run of the job is queued or running. */
  isActive(jobId: JobId): Promise<boolean>;
  openAttempts(): Promise<OpenAttempt[]>;
  /** Attempts that were closed as interrupted at or after a moment, of one job or of all (null), newest first. */
  lostAttempts(query: { jobId: JobId | null; after: Instant; max: number }): Promise<LostAttempt[]>;
  /** Attempts of one run, oldest first. */
  attempts(runId: RunId): Promise<Attempt[]>;
  /** How many runs of the job nobody started by hand were queued after `since`: for the limit per hour. */
  plannedCountSince(jobId: JobId, since: Instant): Promise<number>;
  /** The run of the job that was going on at that moment, the newest of several; for explanations. Test runs are not told. */
  runningAt(jobId: JobId, at: Instant): Promise<Run | null>;
  /** Newest first. `after` is a cursor from an earlier page. */
  history(
    jobId: JobId,
    page: { after: string | null; limit: number },
  ): Promise<{ entries: HistoryEntry[]; next: string | null }>;
  /** Runs of all jobs, newest first. `after` is a cursor from an earlier page of the same query. */
  find(query: RunQuery, page: { after: string | null; limit: number }): Promise<RunPage>;
  /** From counters: costs the same however many runs there are. `days`: those that begin in the span. */
  counts(span: { from: Instant; until: Instant }): Promise<RunCounts>;
  /** Finished runs, oldest first, at most `max`. */
  recent(jobId: JobId, max: number): Promise<Run[]>;
}

/** Every method that takes a fence answers false when the lease is lost: the caller stops and does not try again. */
export interface RunWriter extends RunReader {
  /** A new run in state `queued`. */
  insert(run: Run): Promise<void>;
  /** Queued to running, with its attempt, before anything is spawned (D4, S-42). */
  begin(
    start: { runId: RunId; attemptId: AttemptId; number: number; startedAt: Instant },
    fence: Fence,
  ): Promise<boolean>;
  recordProcess(attemptId: AttemptId, identity: ProcessIdentity, fence: Fence): Promise<boolean>;
  /** Takes an attempt of an older epoch over into this one. */
  takeOver(attemptId: AttemptId, fromEpoch: number, fence: Fence): Promise<boolean>;
  /** Closes the attempt and its run and adds to the job's stats, in the caller's transaction. */
  finish(
    end: {
      runId: RunId;
      attemptId: AttemptId;
      outcome: Outcome;
      reason: EndReason | null;
      detail: string | null;
      exitCode: number | null;
      signal: string | null;
      endedAt: Instant;
      durationMs: number | null;
      outputBytes: number;
      wasAdopted: boolean;
    },
    fence: Fence,
  ): Promise<boolean>;
  /**
   * Closes the attempt only, and puts its run back into the queue: the next `begin` makes the next attempt of the same
   * run, not before `notBeforeAt`. The job's stats do not change.
   */
  requeue(
    end: {
      attemptId: AttemptId;
      runId: RunId;
      outcome: Outcome;
      reason: EndReason | null;
      exitCode: number | null;
      signal: string | null;
      endedAt: Instant;
      notBeforeAt: Instant | null;
    },
    fence: Fence,
  ): Promise<boolean>;
  /** Closes a run that is queued and will not start, or not again. False if it is not queued. */
  closeQueued(
    runId: RunId,
    end: {
      outcome: Extract<Outcome, 'cancelled' | 'failed' | 'abandoned'>;
      reason: EndReason;
      detail: string | null;
      endedAt: Instant;
    },
  ): Promise<boolean>;
  /**
   * Takes back a run that never began: what it was to answer is skipped, for this reason, and the run is gone. False if it has
   * begun, has ended, or was started by hand.
   */
  withdraw(
    runId: RunId,
    why: { reason: DecisionReason; missCause: MissCause | null; at: Instant },
  ): Promise<boolean>;
  /** A queued run stands for `count` occurrences more; false if it is not queued any more. */
  addMerged(runId: RunId, count: number): Promise<boolean>;
  /** Replaces what the run waited for. The run has not ended. */
  setWaits(runId: RunId, waits: readonly Wait[]): Promise<void>;
  setNotBefore(runId: RunId, at: Instant | null): Promise<void>;
  /** The true end of an attempt that is closed already. False if it is open, unknown, or has one. */
  recordLateResult(
    attempt: { runId: RunId; attemptId: AttemptId },
    result: { exitCode: number | null; signal: string | null; endedAt: Instant; recordedAt: Instant },
  ): Promise<boolean>;
}

export interface PauseReader {
  /** Pauses that hold at that moment, newest first. */
  at(at: Instant): Promise<Pause[]>;
  /** Every pause that held at some moment after `after` and not after `until`, oldest first. */
  between(after: Instant, until: Instant): Promise<Pause[]>;
}

export interface PauseWriter extends PauseReader {
  insert(pause: Pause): Promise<void>;
  /** False if there is no such pause, or it has ended. */
  end(pauseId: PauseId, at: Instant): Promise<boolean>;
}

export interface LeaseReader {
  /** null when nobody ever took it, or the last holder released it. */
  get(): Promise<Lease | null>;
  /** The highest epoch ever taken, 0 for none. It outlives a release: the next lease has to go above it. */
  lastEpoch(): Promise<number>;
}

export interface LeaseWriter extends LeaseReader {
  /**
   * Takes the lease if `expected` (the row just read, or null for none) is still what is stored. The new epoch is
   * above `lastEpoch()`; anything else is a BugError.
   */
  take(lease: Lease, expected: { holderId: string; epoch: number } | null): Promise<boolean>;
  renew(fence: Fence, at: Instant): Promise<boolean>;
  release(fence: Fence): Promise<boolean>;
}

/** What a gap did: due times that were missed in it, the jobs they belong to, and the runs that make up for them. */
export type GapCounts = {
  readonly caughtUpCount: number;
  readonly missedCount: number;
  readonly missedJobCount: number;
};

/** Small single values. */
export interface SettingReader {
  preferences(): Promise<Settings>;
  /** The last instant at which an engine is known to have been alive. */
  aliveAt(): Promise<Instant | null>;
  lastGap(): Promise<(Gap & GapCounts) | null>;
  /** Gaps that reach beyond `after` and begin not after `until`, oldest first, at most `max`. */
  gapsBetween(span: { after: Instant; until: Instant; max: number }): Promise<Gap[]>;
  /** When all of the store was last checked, and what was found. */
  lastCheck(): Promise<{ readonly at: Instant; readonly finding: string | null } | null>;
  /** When the last copy of the store was made by the engine. */
  lastBackupAt(): Promise<Instant | null>;
  /** The `Host.nodeId` of this installation, or null before its first start. */
  nodeId(): Promise<string | null>;
}

export interface SettingWriter extends SettingReader {
  setPreferences(settings: Settings): Promise<void>;
  setAliveAt(at: Instant): Promise<void>;
  setLastCheck(check: { readonly at: Instant; readonly finding: string | null }): Promise<void>;
  setLastBackupAt(at: Instant): Promise<void>;
  /** A span in which nobody could keep a schedule; overlapping ones are stored once. */
  insertGap(gap: Gap, counts: GapCounts): Promise<void>;
  /** Once only: a second, different id is a BugError. */
  setNodeId(nodeId: string): Promise<void>;
}

/** What may go. Answers and removes in small portions, so that no transaction holds others up. */
export interface RetentionReader {
  /** Finished runs beyond what is to be kept, at most `max`, test runs by their age alone. Their output goes first. */
  expiredRuns(rules: Retention, limits: { now: Instant; max: number }): Promise<RunId[]>;
  /** Finished runs whose output is to go, oldest first, at most `max`: by age, or because all output is too large. */
  expiredOutputs(rules: Retention, limits: { now: Instant; max: number }): Promise<RunId[]>;
  /** Bytes of all output that is kept, in all and of each job. */
  outputBytes(): Promise<{ readonly total: number; readonly byJob: ReadonlyMap<JobId, number> }>;
  /** Runs that are stored, and when the oldest was queued. */
  stored(): Promise<{ readonly runCount: number; readonly oldestRunAt: Instant | null }>;
}

export interface RetentionWriter extends RetentionReader {
  outputsRemoved(runIds: readonly RunId[], at: Instant): Promise<void>;
  /** With their attempts and words. Runs that are not finished are left alone. Returns how many went. */
  removeRuns(runIds: readonly RunId[]): Promise<number>;
  /**
   * Decisions about occurrences before `before` whose run is gone, or that have none; at most `max`. What no watermark covers yet
   * stays. Returns how many went.
   */
  removeDecisions(limits: { before: Instant; max: number }): Promise<number>;
  /** Gives at most so many free pages back to the disk; returns how many went. */
  giveBack(pagesMax: number): Promise<number>;
}

export interface Reader {
  readonly retention: RetentionReader;
  readonly jobs: JobReader;
  readonly schedules: ScheduleReader;
  readonly decisions: DecisionReader;
  readonly runs: RunReader;
  readonly pauses: PauseReader;
  readonly leases: LeaseReader;
  readonly settings: SettingReader;
}

export interface Writer extends Reader {
  readonly retention: RetentionWriter;
  readonly jobs: JobWriter;
  readonly schedules: ScheduleWriter;
  readonly decisions: DecisionWriter;
  readonly runs: RunWriter;
  readonly pauses: PauseWriter;
  readonly leases: LeaseWriter;
  readonly settings: SettingWriter;
}

/**
 * What the disk or another process does to us is thrown as a StoreError (core/storeError.ts) with a code; a row that
 * contradicts the schema is a BugError. `work` awaits nothing but the store: it is cut off after ten seconds.
 */
export interface Store {
  /** A consistent snapshot. A function that takes a Reader cannot write. */
  read<T>(work: (reader: Reader) => Promise<T>): Promise<T>;
  /**
   * One transaction at a time; an exception rolls back and is thrown on. Nesting is a BugError. With `mayUseReserve` it may use
   * the room that is kept back for ending what was begun: ends of runs, the lease, and what makes room.
   */
  transact<T>(
    work: (writer: Writer) => Promise<T>,
    options?: { readonly mayUseReserve: boolean },
  ): Promise<T>;
  /** Waits for the transaction in hand, refuses later ones. */
  close(): Promise<void>;
}
