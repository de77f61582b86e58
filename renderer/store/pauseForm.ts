/** How long a pause is to last, as people say it, and the moment that it stands for on this laptop's clock. */
import { HOUR_MS, type Instant, toInstant } from '../../shared/time';

export const PAUSE_CHOICES = ['hour', 'tomorrow', 'moment', 'open'] as const;
export type PauseChoice = (typeof PAUSE_CHOICES)[number];

/** `date` and `time` as the two inputs give them; only `moment` reads them. */
export type PauseForm = { readonly choice: PauseChoice; readonly date: string; readonly time: string };

type Reading =
  | { readonly ok: true; readonly until: Instant | null }
  | { readonly ok: false; readonly why: 'unread' | 'past' };

const MORNING_HOUR = 8;

export function readPause({ choice, date, time }: PauseForm, now: Instant): Reading {
  switch (choice) {
    case 'hour':
      return { ok: true, until: toInstant(now + HOUR_MS) };
    case 'tomorrow': {
      const day = new Date(now);
      const at = new Date(day.getFullYear(), day.getMonth(), day.getDate() + 1, MORNING_HOUR);
      return { ok: true, until: toInstant(at.getTime()) };
    }
    case 'moment': {
      const at = Date.parse(`${date}T${time}`);
      if (Number.isNaN(at)) return { ok: false, why: 'unread' };
      return at <= now ? { ok: false, why: 'past' } : { ok: true, until: toInstant(at) };
    }
    case 'open':
      return { ok: true, until: null };
  }
}
