/** What the editor is told about a rule while it is typed: the preview, or every mistake with its place. */

import type { RulePreview } from '../../shared/ipc/contract';
import { type Dates, everyDay } from '../../shared/model/dates';
import type { ScheduleRule } from '../../shared/model/schedule';
import { parseCron } from '../../shared/schedule/cron';
import { previewSchedule } from '../../shared/schedule/preview';
import { formMistakes, validateSchedule } from '../../shared/schedule/validate';
import type { Instant } from '../../shared/time';

export function previewRule(
  rule: ScheduleRule,
  now: Instant,
  rowsMax: number,
  hostZone: string,
  dates: Dates = everyDay,
): RulePreview {
  // One moment that is over has a preview, though an empty one, and cannot be saved.
  const [mistake] =
    rule.kind === 'once' ? validateSchedule(rule, now, { hostZone, createdAt: now }) : formMistakes(rule);
  if (mistake !== undefined) {
    const parsed = rule.kind === 'cron' ? parseCron(rule.expression) : null;
    const mistakes = parsed?.ok === false ? [...parsed.error] : [];
    return { valid: false, message: mistake.message, field: mistake.path, mistakes };
  }
  const preview = previewSchedule(rule, now, rowsMax, { hostZone }, dates);
  return preview.ok
    ? { valid: true, preview: preview.value }
    : { valid: false, message: preview.error.message, mistakes: [] };
}
