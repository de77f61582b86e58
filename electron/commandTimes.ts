/** Moments and spans as a person types them on the command line: in the zone of this computer unless they say another. */

import { parseLocal } from '../shared/schedule/occurrences';
import { instantsOf, localMsOf } from '../shared/schedule/zone';
import { DAY_MS, type Instant, toInstant } from '../shared/time';
import { EXIT, Refusal } from './commandAnswers';

export type TypedTime = {
  readonly at: Instant;
  /** The clocks go forward over the time that was typed; `at` is the first moment after it. */
  readonly isInGap: boolean;
};

export type Here = { readonly now: Instant; readonly zone: string };

/** `09:00` is the one of today, `2026-05-04T09:00` one of this zone, and with `Z` or an offset one of the world. */
export function parseTime(text: string, { now, zone }: Here): TypedTime {
  const isZoned = /(Z|[+-]\d{2}:\d{2})$/.test(text) && text.includes('T');
  if (isZoned) {
    const at = Date.parse(text);
    if (!Number.isNaN(at)) return { at: toInstant(at), isInGap: false };
  }
  const today = new Date(localMsOf(now, zone)).toISOString().slice(0, 11);
  const clock = /^\d{1,2}:\d{2}(:\d{2})?$/.test(text)
    ? `${today}${text.padStart(text.length === 4 ? 5 : text.length, '0')}`
    : null;
  const local = parseLocal(clock ?? text.replace(' ', 'T'));
  if (local === undefined) {
    throw new Refusal(
      `“${text}” is not a time. Write 09:00, 2026-05-04T09:00 or 2026-05-04T09:00Z.`,
      EXIT.usage,
    );
  }
  const found = instantsOf(local, zone);
  if (found.kind === 'none') return { at: found.gapEnd, isInGap: true };
  return { at: found.kind === 'two' ? found.first : found.at, isInGap: false };
}

/** `22:00..07:30`: two times of day are the next such night, and end after they begin. */
export function parseSpan(text: string, here: Here): { from: Instant; to: Instant } {
  const [first = '', second = '', ...more] = text.split('..');
  if (second === '' || more.length > 0) {
    throw new Refusal(`“${text}” is not a span. Write two times with .. between them.`, EXIT.usage);
  }
  const isDaily = (part: string): boolean => !part.includes('-');
  let from = parseTime(first, here).at;
  let to = parseTime(second, here).at;
  if (isDaily(first) && isDaily(second)) {
    if (to <= from) to = toInstant(to + DAY_MS);
    if (to <= here.now) [from, to] = [toInstant(from + DAY_MS), toInstant(to + DAY_MS)];
  }
  if (to <= from) throw new Refusal(`“${text}” ends before it begins.`, EXIT.usage);
  return { from, to };
}
