/** The clauses that sentences are put together from: what the machine did, what a run waited for, who paused what. */

import type { Wait } from '../model/condition';
import type { DisabledReason } from '../model/job';
import type { EndReason, MissCause } from '../model/run';
import type { Instant } from '../time';
import type { Moments } from './moments';

export type GapFacts = {
  readonly cause: 'asleep' | 'off' | 'not_running';
  readonly from: Instant;
  readonly to: Instant;
};

export type PauseFacts = {
  readonly scope: 'all' | 'tag' | 'job';
  readonly tag: string | null;
  readonly note: string;
  readonly until: Instant | null;
};

const GAPS: Readonly<Record<GapFacts['cause'], string>> = {
  asleep: 'the laptop was asleep',
  off: 'the laptop was off',
  not_running: 'Belfry was not running',
};

const MISSES: Readonly<Record<MissCause, string>> = {
  asleep: 'the laptop was asleep',
  off: 'the laptop was off',
  not_running: 'Belfry was not running',
  clock_forward: 'the clock was set forward over it',
  zone_changed: 'the time passed when the laptop changed its time zone',
  busy: 'Belfry was busy',
  unknown: 'nobody knows any more why',
};

/** Why it could not be met on time. A gap that covers the moment tells more than the bare cause. */
export function missInWords(cause: MissCause, gap: GapFacts | null, near: Instant, moments: Moments): string {
  const isOfGap = cause === 'asleep' || cause === 'off' || cause === 'not_running';
  return gap !== null && isOfGap ? gapInWords(gap, near, moments) : MISSES[cause];
}

/** `the laptop was asleep from 22:10 to 07:32`. */
export const gapInWords = (gap: GapFacts, near: Instant, moments: Moments): string =>
  `${GAPS[gap.cause]} from ${moments(gap.from, near)} to ${moments(gap.to, near)}`;

/** What is waited for, to stand after "for". */
export function waitInWords({ kind, detail }: Pick<Wait, 'kind' | 'detail'>): string {
  const names: Readonly<Record<Wait['kind'], string>> = {
    mains: 'mains power',
    battery_above: 'a fuller battery',
    network: 'the network',
    host_answers: detail === null ? 'a host to answer' : `“${detail}” to answer`,
    user_idle: 'keyboard and mouse to rest',
    check_command: 'its check command',
  };
  return names[kind];
}

/** Who holds what: `paused by you, “on holiday”`. */
export function pauseInWords(scope: PauseFacts['scope'], pause: PauseFacts | null): string {
  const note = pause === null || pause.note === '' ? '' : `, “${pause.note}”`;
  const what: Readonly<Record<PauseFacts['scope'], string>> = {
    all: 'all jobs paused by you',
    tag: pause?.tag == null ? 'jobs of its tag paused by you' : `jobs tagged “${pause.tag}” paused by you`,
    job: 'paused by you',
  };
  return `${what[scope]}${note}`;
}

/** Why a job is off, to stand before "since". */
export const OFF: Readonly<Record<DisabledReason, string>> = {
  user: 'switched off by you',
  interrupted: 'switched off because a run was cut off and may still be going,',
  finished: 'over: its last run is done',
  quarantined: 'switched off because its stored form cannot be read,',
  schedule_error: 'switched off because its schedule cannot be worked out,',
};

/** Why a run ended in the queue. Reasons of runs that began stand here too, because a list of reasons has to be whole. */
export const NEVER_BEGAN: Readonly<Record<EndReason, string>> = {
  exit_code: 'its command failed',
  signal: 'its command was ended',
  timeout: 'it took too long',
  stopped_by_user: 'you stopped it while it waited',
  program_not_found: 'its program was not found',
  not_executable: 'its program may not be run',
  folder_missing: 'its folder is missing',
  env_file_unreadable: 'its file of variables cannot be read',
  shell_not_found: 'the shell was not found',
  spawn_failed: 'its command could not be started',
  interrupted: 'it was cut off',
  interrupted_restart: 'the laptop was restarted',
  replaced: 'a newer run took its place',
  condition_not_met: 'a condition was not met in time',
  job_off: 'the job was switched off or deleted while it waited',
  data_restored: 'a copy of Belfry’s data was put back, and what became of it is not known',
};
