/**
 * Everything the engine needs from the world, as types only. Adapters implement these; the engine never imports one.
 * The store is asynchronous although SQLite is not, because a second adapter for several machines comes behind it (D2).
 */

import type { CommandCheck, EventName, Payload } from '../shared/ipc/contract';
import type { KindSettings } from '../shared/kinds/registry';
import type { Job, JobId } from '../shared/model/job';
import type { OutputPage } from '../shared/model/output';
import type {
  AttemptId,
  Decision,
  EndReason,
  HistoryEntry,
  Outcome,
  Run,
  RunId,
  Trigger,
} from '../shared/model/run';
import type { ScheduleId } from '../shared/model/schedule';
import type { Settings } from '../shared/model/settings';
import type { Instant } from '../shared/time';
import type { Fence, Lease } from './core/lease';
import type { Gap, ScheduleState } from './core/ledger';
import type { SparkSlot } from './core/spark';

export type { Fence, Gap, Lease, ScheduleState };

// ---- time, identity, words ----

export interface Clock {
  /** Wall time. May jump, in both directions. */
  now(): Instant;
  /** Milliseconds since an arbitrary start. Never goes back. Whether it counts sleep differs by system. */
  monotonic(): number;
}

export interface Timer {
  /** Calls `wake` once, no sooner than `delayMs`. Returns how to call it off. */
  after(delayMs: number, wake: () => void): () => void;
}

/** New identifiers, sortable by the time they were made. */
export interface Ids {
  next(): string;
}

/** Who and where this process is. */
export interface Host {
  /** Stable for this installation; made once and kept in the store. */
  readonly nodeId: string;
  /** Changes with every start of the machine; null where the system tells none. */
  readonly bootId: string | null;
  readonly pid: number;
  /** When this process began, in the system's own unit, so that a reused pid is not taken for us. */
  readonly processStart: string | null;
  /** The IANA zone in force now; asked anew each time because a laptop travels. */
  zone(): string;
  /** Milliseconds since the machine started, sleep included; null where it is not known. */
  uptimeMs(): number | null;
  /** Whether that process still lives. `dead` only with proof: another boot, no such pid, or a pid with another start. */
  isAlive(process: Pick<Lease, 'nodeId' | 'bootId' | 'pid' | 'processStart'>): 'alive' | 'dead' | 'unknown';
}

export interface Log {
  info(event: string, facts?: Record<string, unknown>): void;
  warn(event: string, facts?: Record<string, unknown>): void;
  error(event: string, facts?: Record<string, unknown>): void;
}

/** Tells windows and command lines that something changed. */
export type Announce = <N extends EventName>(name: N, payload: Payload<N>) => void;

// ---- running ----

/** What the system knows a process by. Compared as a whole: a bare pid proves nothing. */
export type ProcessIdentity = {
  readonly nodeId: string;
  readonly bootId: string | null;
  readonly pid: number;
  readonly processGroup: number;
  /** Start time in the system's own unit, or null where it is not to be had. */
  readonly processStart: string | null;
};

export type AttemptOrder = {
  readonly runId: RunId;
  readonly attemptId: AttemptId;
  readonly jobId: JobId;
  readonly jobName: string;
  readonly settings: KindSettings;
  readonly trigger: Trigger;
  readonly plannedAt: Instant | null;
  readonly attemptNumber: number;
  /** Start minus due time; null for runs nobody planned. */
  readonly lateMs: number | null;
};

/** How an attempt ended by itself. Timeouts and stops are the dispatcher's to tell. */
export type AttemptEnd = {
  readonly reason: EndReason | null;
  /** A sentence that names the thing: the program, the folder. */
  readonly detail: string | null;
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly endedAt: Instant;
  readonly outputBytes: number;
};

export interface LiveAttempt {
  readonly identity: ProcessIdentity;
  readonly ended: Promise<AttemptEnd>;
  /** Signals the whole group: `soft` asks, `hard` kills. Resolves when the signals are sent; repeated calls are harmless. */
  signal(strength: 'soft' | 'hard'): Promise<void>;
  /** Stops watching without touching the process: it goes on and can be adopted later. */
  detach(): void;
}

export type StartedAttempt =
  | { readonly kind: 'started'; readonly attempt: LiveAttempt }
  /** Nothing was left running. */
  | { readonly kind: 'failed'; readonly end: AttemptEnd };

export type Adoption =
  | { readonly kind: 'running'; readonly attempt: LiveAttempt }
  | { readonly kind: 'ended'; readonly end: AttemptEnd }
  /** Provably over without a result: `restarted` if the machine was restarted meanwhile. */
  | { readonly kind: 'gone'; readonly restarted: boolean }
  /** Provably never begun: the crash came between the commit as running and the spawn, in this boot of the machine. */
  | { readonly kind: 'never_started' }
  /** It may still be alive, but cannot be watched. Fails closed: never repeated. */
  | { readonly kind: 'unknown'; readonly why: string };

export interface Runner {
  /** Starts an attempt that is already committed as running. Answers even for a command that cannot start. */
  start(order: AttemptOrder): Promise<StartedAttempt>;
  /** Finds an attempt that an earlier process started. `identity` is null if the crash came before it was recorded. */
  adopt(attempt: { runId: RunId; attemptId: AttemptId; identity: ProcessIdentity | null }): Promise<Adoption>;
}

/** Output of runs, read in windows. */
export interface OutputReader {
  /** null when the run has no output kept. `count` 0 asks for the totals only. */
  read(runId: RunId, from: number, count: number): Promise<OutputPage | null>;
}

/** Looks at a command without running it. */
export interface CommandInspector {
  check(settings: KindSettings): Promise<CommandCheck>;
}

// ---- the store ----

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
  /**
   * Jobs whose stored row cannot be read: kept as they are, left out of everything else here and of
   * `schedules.active()`. `why` is for the log and the window.
   */
  quarantined(): Promise<{ jobId: string; why: string }[]>;
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
}

export interface ScheduleWriter extends ScheduleReader {
  /** Never moves back: a smaller instant changes nothing (invariant of architecture.md, section 11). */
  setWatermark(scheduleId: ScheduleId, at: Instant): Promise<void>;
  setPendingCreation(scheduleId: ScheduleId, at: Instant | null): Promise<void>;
}

export interface DecisionReader {
  /** The decision that covers this occurrence, single or in a range. */
  at(scheduleId: ScheduleId, plannedAt: Instant): Promise<Decision | null>;
  /** Decisions about instants later than `after` and not later than `until`, newest first, at most `max`. */
  between(scheduleId: ScheduleId, span: { after: Instant; until: Instant; max: number }): Promise<Decision[]>;
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

/** As much of a run that has not ended as a list needs. */
export type ActiveRun = Pick<Run, 'state' | 'queuedAt' | 'startedAt'>;

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
  /** Newest first. `after` is a cursor from an earlier page. */
  history(
    jobId: JobId,
    page: { after: string | null; limit: number },
  ): Promise<{ entries: HistoryEntry[]; next: string | null }>;
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
   * run. The job's stats do not change.
   */
  requeue(
    end: { attemptId: AttemptId; runId: RunId; outcome: Outcome; reason: EndReason; endedAt: Instant },
    fence: Fence,
  ): Promise<boolean>;
  /** Closes a run that was queued and will not start. */
  cancelQueued(runId: RunId, at: Instant, reason: EndReason): Promise<boolean>;
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

/** Small single values. */
export interface SettingReader {
  preferences(): Promise<Settings>;
  /** Since when all jobs are paused, or null. */
  pausedSince(): Promise<Instant | null>;
  /** The last instant at which an engine is known to have been alive. */
  aliveAt(): Promise<Instant | null>;
  lastGap(): Promise<(Gap & { caughtUpCount: number }) | null>;
  /** The `Host.nodeId` of this installation, or null before its first start. */
  nodeId(): Promise<string | null>;
}

export interface SettingWriter extends SettingReader {
  setPreferences(settings: Settings): Promise<void>;
  setPausedSince(at: Instant | null): Promise<void>;
  setAliveAt(at: Instant): Promise<void>;
  /** A span in which the machine slept or no engine ran; overlapping ones are stored once. */
  insertGap(gap: Gap, caughtUpCount: number): Promise<void>;
  /** Once only: a second, different id is a BugError. */
  setNodeId(nodeId: string): Promise<void>;
}

export interface Reader {
  readonly jobs: JobReader;
  readonly schedules: ScheduleReader;
  readonly decisions: DecisionReader;
  readonly runs: RunReader;
  readonly leases: LeaseReader;
  readonly settings: SettingReader;
}

export interface Writer extends Reader {
  readonly jobs: JobWriter;
  readonly schedules: ScheduleWriter;
  readonly decisions: DecisionWriter;
  readonly runs: RunWriter;
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
  /** One transaction at a time; an exception rolls back and is thrown on. Nesting is a BugError. */
  transact<T>(work: (writer: Writer) => Promise<T>): Promise<T>;
  /** Waits for the transaction in hand, refuses later ones. */
  close(): Promise<void>;
}
