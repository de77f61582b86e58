/** What the editor is told about a rule while it is typed: the preview, or every mistake with its place. */

import type { RulePreview } from '../../shared/ipc/contract';
import type { ScheduleRule } from '../../shared/model/schedule';
import { parseCron } from '../../shared/schedule/cron';
import { previewSchedule } from '../../shared/schedule/preview';
import type { Instant } from '../../shared/time';

export function previewRule(
  rule: ScheduleRule,
  now: Instant,
  rowsMax: number,
  hostZone: string,
): RulePreview {
  const preview = previewSchedule(rule, now, rowsMax, { hostZone });
  if (preview.ok) return { valid: true, preview: preview.value };
  const parsed = rule.kind === 'cron' ? parseCron(rule.expression) : null;
  const mistakes = parsed?.ok === false ? [...parsed.error] : [];
  return { valid: false, message: preview.error.message, mistakes };
}
