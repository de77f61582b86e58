/** A job's policies, conditions and days in a few words each: for its overview, and beside its form. */
import type { Condition } from '../../shared/model/condition';
import type { Dates, LocalDate } from '../../shared/model/dates';
import type { Policies } from '../../shared/model/policies';
import { type Instant, toInstant } from '../../shared/time';
import { count, counted, dayOf, listed, span } from '../format';

/** Ranges of excluded days that are written out. */
const RANGES_SHOWN = 3;

export function missedWords({ mode, ageMsMax, countMax }: Policies['catchUp']): string {
  if (mode === 'none') return 'Skip it';
  const limit = ageMsMax === null ? '' : `, if less than ${span(ageMsMax)} late`;
  return mode === 'once'
    ? `Run once when the laptop wakes${limit}`
    : `Run each one when the laptop wakes, at most ${countMax}${limit}`;
}

function overlapWords({ mode, countMax }: Policies['overlap']): string {
  switch (mode) {
    case 'skip':
      return 'no overlap';
    case 'queue_one':
      return 'one waits for the end';
    case 'queue_all':
      return `up to ${countMax} wait for the end`;
    case 'replace':
      return 'a new run stops the old one';
    case 'allow':
      return `up to ${countMax} at once`;
  }
}

/** `Stop after 30 min · 3 retries · no overlap`. */
export function limitWords({ timeoutMs, retry, overlap, jitterMs, runsPerHourMax }: Policies): string {
  return [
    timeoutMs === null ? 'Never stopped' : `Stop after ${span(timeoutMs)}`,
    ...(retry.countMax === 0 ? [] : [counted(retry.countMax, 'retry', 'retries')]),
    overlapWords(overlap),
    ...(jitterMs === 0 ? [] : [`up to ${span(jitterMs)} later`]),
    ...(runsPerHourMax === null ? [] : [`at most ${count(runsPerHourMax)} in an hour`]),
  ].join(' · ');
}

function conditionName(condition: Condition): string {
  switch (condition.kind) {
    case 'mains':
      return 'The laptop is plugged in';
    case 'battery_above':
      return `The battery holds more than ${condition.percent} %`;
    case 'network':
      return 'There is a network';
    case 'host_answers':
      return `${condition.host}:${condition.port} answers`;
    case 'user_idle':
      return `Nobody is at the keyboard for ${span(condition.idleMs)}`;
    case 'check_command':
      return 'Its own check succeeds';
  }
}

const OTHERWISE: Readonly<Record<Condition['otherwise'], string>> = {
  run: 'then run anyway',
  skip: 'then skip',
  fail: 'then failed',
};

/** `The laptop is plugged in; wait up to 2 h, then skip`. */
export function conditionWords(condition: Condition): string {
  const { waitMsMax, otherwise } = condition;
  const wait = waitMsMax === 0 ? '' : `wait up to ${span(waitMsMax)}, `;
  return `${conditionName(condition)}; ${wait}${OTHERWISE[otherwise]}`;
}

/** The middle of a calendar day, so that no zone makes another day of it. */
const noonOf = (date: LocalDate): Instant => toInstant(Date.parse(`${date}T12:00:00Z`));

/** `From Tue 1 Jun, until Thu 30 Sep, not on Fri 24 Dec`, or null for a job of every day. */
export function datesWords({ from, until, excluded }: Dates, now: Instant): string | null {
  const day = (date: LocalDate): string => dayOf(noonOf(date), now, 'UTC');
  const ranges = excluded.map((one) =>
    one.from === one.until ? day(one.from) : `${day(one.from)} to ${day(one.until)}`,
  );
  const more = ranges.length - RANGES_SHOWN;
  const named = more > 0 ? [...ranges.slice(0, RANGES_SHOWN), `${count(more)} more`] : ranges;
  const parts = [
    ...(from === null ? [] : [`from ${day(from)}`]),
    ...(until === null ? [] : [`until ${day(until)}`]),
    ...(ranges.length === 0 ? [] : [`not on ${listed(named)}`]),
  ];
  if (parts.length === 0) return null;
  const text = parts.join(', ');
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
