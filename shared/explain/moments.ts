/** Moments as a sentence names them: the time of day, with the day where that is not understood, in one given zone. */

import { localMsOf } from '../schedule/zone';
import { DAY_MS, HOUR_MS, type Instant, MINUTE_MS, SECOND_MS } from '../time';

/** How the sentences of `words.ts` write a moment. `near` is the moment that the sentence is about. */
export type Moments = (at: Instant, near: Instant | null) => string;

const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** `09:00`, `09:00:30`, or on another day than `near` `Tue 3 Mar 2026 09:00`. */
export const momentsIn =
  (zone: string): Moments =>
  (at, near) => {
    const local = localMsOf(at, zone);
    const date = new Date(local);
    const seconds = Math.floor(local / SECOND_MS) % 60 === 0 ? 5 : 8;
    const clock = date.toISOString().slice(11, 11 + seconds);
    const isSameDay =
      near !== null && Math.floor(localMsOf(near, zone) / DAY_MS) === Math.floor(local / DAY_MS);
    if (isSameDay) return clock;
    const day = `${WEEKDAYS[date.getUTCDay()]} ${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]}`;
    return `${day} ${date.getUTCFullYear()} ${clock}`;
  };

/** `20 s`, `4 min`, `3 h 10 min`, `2 days`: rounded down, as a person would say it. */
export function lengthInWords(ms: number): string {
  if (ms < MINUTE_MS) return `${Math.max(1, Math.floor(ms / SECOND_MS))} s`;
  if (ms < HOUR_MS) return `${Math.floor(ms / MINUTE_MS)} min`;
  if (ms < DAY_MS) {
    const minutes = Math.floor((ms % HOUR_MS) / MINUTE_MS);
    return `${Math.floor(ms / HOUR_MS)} h${minutes === 0 ? '' : ` ${minutes} min`}`;
  }
  const days = Math.floor(ms / DAY_MS);
  return days === 1 ? '1 day' : `${days} days`;
}
