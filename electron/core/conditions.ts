/**
 * Waiting for conditions, as rules over what a run has recorded: which condition a wait is for, when to ask again, and the
 * sentence when it was in vain. Whoever waits counts the time awake; the recorded `until` only tells a person.
 */

import type { Condition, ConditionKind, Wait } from '../../shared/model/condition';
import { type Run, WAITS_MAX } from '../../shared/model/run';
import { assertNever } from '../../shared/result';
import { type Instant, SECOND_MS, toInstant } from '../../shared/time';

/** Nobody waits longer than this without asking again, in milliseconds. */
export const ASK_MS_MAX = 30 * SECOND_MS;
/** The user's own command costs more than a look at a battery. */
const COMMAND_MS = 10 * SECOND_MS;
const HOST_MS_MIN = 5 * SECOND_MS;
/** An `until` is told anew when sleep or a moved clock made it wrong by more than this. */
const UNTIL_TOLERANCE_MS = 5 * SECOND_MS;

/** Milliseconds until a condition that was asked `askedCount` times in this wait is asked again. */
export function askAgainMs(kind: ConditionKind, askedCount: number): number {
  if (kind === 'check_command') return COMMAND_MS;
  if (kind === 'host_answers') return Math.min(HOST_MS_MIN * 2 ** Math.max(0, askedCount - 1), ASK_MS_MAX);
  return ASK_MS_MAX;
}

/** Whether an event of that sort is a reason to ask at once. A host may answer as soon as there is a network. */
export function concerns(change: 'power' | 'network' | 'idle', kind: ConditionKind): boolean {
  switch (kind) {
    case 'mains':
    case 'battery_above':
      return change === 'power';
    case 'network':
    case 'host_answers':
      return change === 'network';
    case 'user_idle':
      return change === 'idle';
    case 'check_command':
      return false;
    default:
      return assertNever(kind);
  }
}

/** Two conditions with the same key have the same answer at the same moment. */
export function questionOf(condition: Condition): string {
  const { waitMsMax: _wait, otherwise: _otherwise, ...question } = condition;
  return JSON.stringify(question);
}

/** The sentence of a run that failed because it waited in vain. */
export function vainSentence(condition: Condition): string {
  switch (condition.kind) {
    case 'mains':
      return 'The laptop was not plugged in within the time that this job waits.';
    case 'battery_above':
      return `The battery was not above ${condition.percent} % within the time that this job waits.`;
    case 'network':
      return 'There was no network within the time that this job waits.';
    case 'host_answers':
      return `${condition.host} did not answer on port ${condition.port} within the time that this job waits.`;
    case 'user_idle':
      return 'The computer was in use for the whole time that this job waits.';
    case 'check_command':
      return 'The check command did not succeed within the time that this job waits.';
    default:
      return assertNever(condition);
  }
}

const DETAIL_LENGTH_MAX = 300;

/** The answer's own words; of a host always its name, because a job may wait for two. */
function detailOf(condition: Condition, detail: string | null): string | null {
  if (condition.kind !== 'host_answers') return detail?.slice(0, DETAIL_LENGTH_MAX) ?? null;
  const host = `${condition.host}:${condition.port}`;
  if (detail === null) return host;
  return (detail.includes(condition.host) ? detail : `${host}: ${detail}`).slice(0, DETAIL_LENGTH_MAX);
}

const isOpen = ({ endedAt }: Wait): boolean => endedAt === null;

export const openWait = (waits: readonly Wait[]): Wait | null => waits.find(isOpen) ?? null;

/** With one more, which may go on or be over at once. The newest one is always kept. */
function withWait(waits: readonly Wait[], wait: Wait): Wait[] {
  return [...waits.slice(0, WAITS_MAX - 1), wait];
}

export function beginWait(
  waits: readonly Wait[],
  condition: Condition,
  facts: { readonly detail: string | null; readonly now: Instant; readonly leftMs: number },
): Wait[] {
  const { detail, now, leftMs } = facts;
  return withWait(waits, {
    kind: condition.kind,
    detail: detailOf(condition, detail),
    since: now,
    until: toInstant(now + Math.round(leftMs)),
    otherwise: condition.otherwise,
    endedAt: null,
    end: null,
  });
}

/** Ends the wait that goes on, if there is one. */
export const endWait = (waits: readonly Wait[], end: NonNullable<Wait['end']>, now: Instant): Wait[] =>
  waits.map((wait) =>
    isOpen(wait) ? { ...wait, endedAt: toInstant(Math.max(now, wait.since)), end } : wait,
  );

/** A wait of no length: nothing was waited for, and the run says why. */
export const noteWait = (
  waits: readonly Wait[],
  condition: Condition,
  facts: { readonly detail: string | null; readonly now: Instant; readonly end: 'unknown' | 'by_hand' },
): Wait[] => endWait(beginWait(waits, condition, { ...facts, leftMs: 0 }), facts.end, facts.now);

/** The same waits if the end of the open one is still told well enough, else with the moment as it is now. */
export function retoldUntil(waits: readonly Wait[], now: Instant, leftMs: number): readonly Wait[] {
  const open = openWait(waits);
  const until = toInstant(now + Math.round(leftMs));
  if (open === null || Math.abs(open.until - until) <= UNTIL_TOLERANCE_MS) return waits;
  return waits.map((wait) => (wait === open ? { ...wait, until } : wait));
}

/** Which condition a wait of an earlier life was for; -1 if the job has no such condition any more. */
export function indexOfWait({ kind, detail }: Wait, conditions: readonly Condition[]): number {
  const fits = (condition: Condition): boolean =>
    condition.kind === kind &&
    (condition.kind !== 'host_answers' || detail === null || detail.includes(condition.host));
  return conditions.findIndex(fits);
}

/** What is left of a wait that an engine was last alive to count at `aliveAt`. */
export const leftOf = ({ until, since }: Wait, aliveAt: Instant | null, waitMsMax: number): number =>
  Math.min(Math.max(0, until - Math.max(aliveAt ?? since, since)), waitMsMax);

/** Waits of the attempt to come; those before earlier attempts say nothing about it. */
const waitsOfThisStart = ({ waits, attemptCount, notBeforeAt }: WaitingFacts): readonly Wait[] =>
  attemptCount === 0 ? waits : waits.filter(({ since }) => notBeforeAt === null || since >= notBeforeAt);

type WaitingFacts = Pick<Run, 'waits' | 'attemptCount' | 'notBeforeAt'>;

/** A person said that it waits for nothing but a place. */
export const isReleasedByHand = (run: WaitingFacts): boolean =>
  waitsOfThisStart(run).some(({ end }) => end === 'by_hand');

/** Conditions that were waited for in vain already, by a job that runs then all the same. */
export const givenUp = (run: WaitingFacts, conditions: readonly Condition[]): ReadonlySet<number> =>
  new Set(
    waitsOfThisStart(run).flatMap((wait) => (wait.end === 'gave_up' ? [indexOfWait(wait, conditions)] : [])),
  );
