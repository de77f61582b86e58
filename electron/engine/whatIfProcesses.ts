/** Commands of "what would happen": they do nothing, succeed, and last as long as their job usually takes. */

import type { JobId } from '../../shared/model/job';
import type { AttemptId } from '../../shared/model/run';
import type { Adoption, AttemptEnd, LiveAttempt, ProcessIdentity, Runner } from '../ports/running';
import type { VirtualTime } from './virtualTime';

/** What the identity of every process of a sandbox begins with, so that none is taken for a real one. */
export const NODE_ID = 'what-if';
const FIRST_PID = 50_000;

type Process = {
  readonly identity: ProcessIdentity;
  end: AttemptEnd | null;
  callOff: () => void;
  readonly listeners: Set<(end: AttemptEnd) => void>;
};

export type WhatIfProcesses = {
  readonly runner: Runner;
  /** A command that goes on already, for so long. */
  goesOn(attemptId: AttemptId, ms: number): void;
  /** The power is gone, and everything that ran with it. */
  vanish(): void;
};

export function createWhatIfProcesses(
  time: VirtualTime,
  machine: { readonly bootId: () => string; readonly usualMsOf: (jobId: JobId) => number },
): WhatIfProcesses {
  const processes = new Map<AttemptId, Process>();
  let pid = FIRST_PID;

  const finish = (process: Process, how: Pick<AttemptEnd, 'exitCode' | 'signal' | 'reason'>): void => {
    if (process.end !== null) return;
    process.callOff();
    process.end = { ...how, detail: null, endedAt: time.clock.now(), outputBytes: 0 };
    for (const listener of process.listeners) listener(process.end);
    process.listeners.clear();
  };
  const spawn = (attemptId: AttemptId, ms: number): Process => {
    pid += 1;
    const known = { nodeId: NODE_ID, bootId: machine.bootId(), pid };
    const identity = { ...known, processGroup: pid, processStart: `start-${pid}` };
    const process: Process = { identity, end: null, callOff: () => {}, listeners: new Set() };
    processes.set(attemptId, process);
    process.callOff = time.timer.after(ms, () =>
      finish(process, { exitCode: 0, signal: null, reason: null }),
    );
    return process;
  };
  const watch = (process: Process): LiveAttempt => {
    let listener: (end: AttemptEnd) => void = () => {};
    const ended = new Promise<AttemptEnd>((resolve) => {
      listener = resolve;
      if (process.end === null) process.listeners.add(resolve);
      else resolve(process.end);
    });
    return {
      identity: process.identity,
      ended,
      signal: async (strength) => {
        const signal = strength === 'soft' ? 'SIGTERM' : 'SIGKILL';
        finish(process, { exitCode: null, signal, reason: 'signal' });
      },
      detach: () => void process.listeners.delete(listener),
    };
  };
  const adopt = async (attemptId: AttemptId): Promise<Adoption> => {
    const process = processes.get(attemptId);
    if (process === undefined) return { kind: 'gone', restarted: true };
    return process.end === null
      ? { kind: 'running', attempt: watch(process) }
      : { kind: 'ended', end: process.end };
  };

  return {
    runner: {
      lateResult: async () => null,
      start: async ({ attemptId, jobId }) => ({
        kind: 'started',
        attempt: watch(spawn(attemptId, machine.usualMsOf(jobId))),
      }),
      adopt: ({ attemptId }) => adopt(attemptId),
    },
    goesOn: (attemptId, ms) => void spawn(attemptId, ms),
    vanish() {
      for (const process of processes.values()) process.callOff();
      processes.clear();
    },
  };
}
