/** Sentences about runs and due times: the engine sends codes, and here they become words (ui.md, sections 2.2 and 17). */
import type { DisabledReason, NextDue } from '../../shared/model/job';
import type { Run, Trigger } from '../../shared/model/run';
import { assertNever } from '../../shared/result';
import { type Instant, MINUTE_MS, SECOND_MS } from '../../shared/time';
import { counted, duration, elapsed, exitCode, exitSentence, moment, spokenMoment, until } from '../format';
import type { GlyphName } from './glyph';
import { CAUSES } from './skipWords';
import { texts } from './texts';
import { waitSentence, waitWord } from './waitWords';

/** How loud a word is. */
export type Loudness = 'plain' | 'soon' | 'run' | 'warn' | 'fail' | 'dim';
export type Word = { readonly text: string; readonly spoken: string; readonly tone: Loudness };

const word = (text: string, tone: Loudness = 'plain', spoken = text): Word => ({ text, spoken, tone });

/** `24 of ~38 min`, in the unit of the usual length. */
function runningWords(since: Instant, usualMs: number | null, now: Instant): string {
  const elapsed = Math.max(0, now - since);
  if (usualMs === null || usualMs < SECOND_MS) return `running ${shortLength(elapsed)}`;
  const [unitMs, unit] = usualMs >= MINUTE_MS ? [MINUTE_MS, 'min'] : [SECOND_MS, 's'];
  return `${Math.floor(elapsed / unitMs)} of ~${Math.round(usualMs / unitMs)} ${unit}`;
}

const shortLength = (ms: number): string =>
  elapsed(ms < MINUTE_MS ? ms : Math.floor(ms / MINUTE_MS) * MINUTE_MS);

/** `attempt 2 of 4`. */
export const attemptOf = (attempt: number, attemptsMax: number): string =>
  `attempt ${attempt} of ${attemptsMax}`;

/** What stands in the Next column. */
export function nextWord(next: NextDue, now: Instant): Word {
  switch (next.code) {
    case 'running':
      return word(runningWords(next.since, next.usualMs, now), 'run');
    case 'due':
      return word(
        until(next.at, now),
        next.at - now < MINUTE_MS ? 'soon' : 'plain',
        spokenMoment(next.at, now),
      );
    case 'queued':
      return word('waits for a place', 'run');
    case 'retry': {
      const which = attemptOf(next.attempt, next.attemptsMax);
      const spoken = `retry ${spokenMoment(next.at, now)}, ${which}`;
      return word(`retry ${until(next.at, now)}`, 'warn', spoken);
    }
    case 'waiting':
      return word(waitWord(next.wait), 'warn', waitSentence(next.wait, now));
    case 'after_run':
      return word('after this run');
    case 'on_event':
      return word('On event', 'dim');
    case 'paused':
      return word(
        'Paused',
        'dim',
        next.until === null ? 'Paused' : `Paused until ${moment(next.until, now)}`,
      );
    case 'by_hand':
      return word('By hand', 'dim');
    case 'ended':
      return word('Ended', 'dim');
    case 'never':
      return word('Never', 'fail');
    default:
      return assertNever(next);
  }
}

export function glyphOfRun(run: Run): GlyphName {
  if (run.state === 'queued') return run.attemptCount > 0 ? 'retry' : 'due';
  if (run.state === 'running' || run.outcome === null) return 'run';
  switch (run.outcome) {
    case 'succeeded':
      return run.trigger === 'catch_up' ? 'caught' : 'ok';
    case 'failed':
      return 'fail';
    case 'timed_out':
      return 'timeout';
    case 'cancelled':
      return 'stopped';
    case 'abandoned':
      return 'interrupted';
    default:
      return assertNever(run.outcome);
  }
}

export const isBad = (run: Run): boolean =>
  run.outcome === 'failed' || run.outcome === 'timed_out' || run.outcome === 'abandoned';

/** How a run ended in two or three words: `Exit 23`, `Timed out`, `Stopped by you`. */
export function endWord(run: Run): string {
  if (run.outcome === null) return texts.states[glyphOfRun(run)];
  switch (run.reason) {
    case 'exit_code':
      return exitCode(run.exitCode ?? 0);
    case 'signal':
      return run.signal === null ? 'Killed' : `Killed, ${run.signal}`;
    case 'timeout':
      return 'Timed out';
    case 'stopped_by_user':
      return 'Stopped by you';
    case 'program_not_found':
      return 'Program not found';
    case 'not_executable':
      return 'Not allowed to run';
    case 'folder_missing':
      return 'Folder missing';
    case 'env_file_unreadable':
      return 'File of variables not usable';
    case 'shell_not_found':
      return 'Shell not found';
    case 'spawn_failed':
      return 'Could not start';
    case 'interrupted':
    case 'interrupted_restart':
      return 'Interrupted';
    case 'replaced':
      return 'Replaced';
    case 'condition_not_met':
      return 'Condition not met';
    case 'job_off':
      return 'Never began';
    case 'data_restored':
      return 'Not known';
    case null:
      return texts.states[glyphOfRun(run)];
    default:
      return assertNever(run.reason);
  }
}

/** `after 4 min 2 s`, or nothing if it is not known. */
function after({ durationMs }: Run): string {
  if (durationMs === null) return '';
  return durationMs < 10 ? ' within 0.01 s' : ` after ${duration(durationMs)}`;
}

/** The end of a run as a sentence: `Exit 127: the command was not found.` */
export function endSentence(run: Run): string {
  const detail = run.detail === null ? '' : ` ${run.detail}`;
  switch (run.reason) {
    case 'exit_code': {
      const sentence = exitSentence(run.exitCode ?? 0);
      const took = run.durationMs === null ? '' : ` It took ${duration(run.durationMs)}.`;
      return sentence.includes(':') ? `${sentence}.${took}` : `${sentence}${after(run)}.`;
    }
    case 'signal':
      return `Killed by the system${run.signal === null ? '' : ` (${run.signal})`}${after(run)}.`;
    case 'timeout':
      return `Timed out: killed${after(run)}.`;
    case 'stopped_by_user':
      return `Stopped by you${after(run)}.`;
    case 'program_not_found':
    case 'not_executable':
    case 'folder_missing':
    case 'env_file_unreadable':
    case 'shell_not_found':
    case 'spawn_failed':
      return run.detail ?? `${endWord(run)}.`;
    case 'interrupted':
      return `Belfry stopped in the middle, so the true end is not known.${detail}`;
    case 'interrupted_restart':
      return `The laptop was switched off or restarted in the middle.${detail}`;
    case 'replaced':
      return `Stopped${after(run)}, so that the newer run could start.`;
    case 'condition_not_met':
      return run.detail ?? 'What it waited for did not come in time.';
    case 'job_off':
      return 'It never began: its job was switched off or deleted while it waited.';
    case 'data_restored':
      return 'A copy of Belfry’s data was put back, so what became of this run is not known.';
    case null:
      return run.outcome === 'succeeded' ? `Exit 0${after(run)}.` : `${endWord(run)}.`;
    default:
      return assertNever(run.reason);
  }
}

const TRIGGERS: Readonly<Record<Trigger, string>> = {
  schedule: 'Due',
  catch_up: 'Caught up',
  creation: 'Due as it was made',
  manual: 'By hand',
  cli: 'Command line',
  chain: 'After another job',
  event: 'Event',
  test: 'Test',
};

/** How late a run began, or null if it was on time or nobody planned it. */
export const lateMs = (run: Run): number | null =>
  run.trigger !== 'catch_up' || run.plannedAt === null
    ? null
    : (run.startedAt ?? run.queuedAt) - run.plannedAt;

/** Why a run exists: `Due`, `By hand`, `Caught up: the laptop was asleep, 21 min late; 3 due times in one`. */
export function whyWord(run: Run): string {
  if (run.trigger !== 'catch_up') return TRIGGERS[run.trigger];
  const cause = run.missCause === null ? '' : `: ${CAUSES[run.missCause]}`;
  const merged = run.mergedCount === 0 ? '' : `; ${counted(run.mergedCount + 1, 'due time')} in one`;
  const late = lateWords(run);
  return `${TRIGGERS.catch_up}${cause}${late === null ? '' : `, ${late}`}${merged}`;
}

/** `21 min late`, or null for less than anybody would call late. */
function lateWords(run: Run): string | null {
  const late = lateMs(run);
  return late === null || late < SECOND_MS ? null : `${shortLength(late)} late`;
}

/** The same as sentences, with the reason for being late. */
export function whySentence(run: Run, now: Instant): string {
  const late = lateMs(run);
  if (late === null || run.plannedAt === null) return `${TRIGGERS[run.trigger]}.`;
  const cause = run.missCause === null ? '' : ` because ${CAUSES[run.missCause]}`;
  const merged =
    run.mergedCount === 0 ? '' : ` It also stands for ${counted(run.mergedCount, 'older due time')}.`;
  return `Due ${moment(run.plannedAt, now)}, ${lateWords(run)?.replace(/^/, 'ran ') ?? 'caught up'}${cause}.${merged}`;
}

/** Why a job is off. */
export const disabledSentence: Readonly<Record<DisabledReason, string>> = {
  user: 'Its due times are not run. Run now still works.',
  interrupted: 'A run of it was interrupted, and its process may still go on.',
  finished: 'Its schedule has ended.',
  quarantined: 'Its stored settings could not be read.',
  schedule_error: 'Its schedule cannot be followed any more.',
};
