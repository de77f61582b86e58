/** How a command is run and found again, as types only. A bare pid proves nothing. */

import type { CommandCheck } from '../../shared/ipc/contract';
import type { KindDraft, KindSettings } from '../../shared/kinds/registry';
import type { JobId } from '../../shared/model/job';
import type { OutputPage } from '../../shared/model/output';
import type { AttemptId, EndReason, RunId, Trigger } from '../../shared/model/run';
import type { Instant } from '../../shared/time';

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
  /** How an attempt that was given up ended after all, or null if that is not told. Looks for no process. */
  lateResult(attempt: { runId: RunId; attemptId: AttemptId }): Promise<AttemptEnd | null>;
}

/** Output of runs, read in windows. */
export interface OutputReader {
  /** null when the run has no output kept. `count` 0 asks for the totals only. */
  read(runId: RunId, from: number, count: number): Promise<OutputPage | null>;
}

/** Looks at a command without running it. */
export interface CommandInspector {
  check(settings: KindDraft): Promise<CommandCheck>;
}
