/**
 * The creation minute (S-31, S-32): a job made at 09:00:37 for 09:00 runs at once, instead of a day later. On creation
 * only, and only where waiting would feel like a mistake: a schedule that runs again within the minute just goes on.
 */

import type { Dates } from '../../shared/model/dates';
import type { ScheduleRule } from '../../shared/model/schedule';
import { nextOccurrence, previousOccurrence } from '../../shared/schedule/occurrences';
import { type Instant, MINUTE_MS, toInstant } from '../../shared/time';

/**
 * The occurrence of the minute in which the schedule was created, if it has passed already; else null. Before the first day
 * and after the last there is none; one on an excluded day is owed, and recorded as skipped.
 */
export function creationOccurrence(
  rule: ScheduleRule,
  createdAt: Instant,
  { hostZone, dates }: { readonly hostZone: string; readonly dates: Dates },
): Instant | null {
  if (rule.kind !== 'cron') return null;
  const context = { hostZone, createdAt, dates };
  const at = previousOccurrence(rule, toInstant(createdAt + 1), context);
  if (at === undefined || at < Math.floor(createdAt / MINUTE_MS) * MINUTE_MS) return null;
  const next = nextOccurrence(rule, at, context);
  return next !== undefined && next - at < MINUTE_MS ? null : at;
}
