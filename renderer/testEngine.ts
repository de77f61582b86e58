/** The engine in memory as tests use it: at a fixed moment, with schedules that are all alike. */
import type { RulePreview } from '../shared/ipc/contract';
import { type Dates, everyDay } from '../shared/model/dates';
import type { ScheduleRule } from '../shared/model/schedule';
import { MINUTE_MS, toInstant } from '../shared/time';
import { FakeEngine } from './fakeEngine';
import type { Attention } from './store/refresh';
import type { PageLife } from './store/stores';

/** Thursday 11 March 2027, 14:14:14 UTC. */
export const NOW = toInstant(Date.UTC(2027, 2, 11, 14, 14, 14));

/** Every rule is due each full minute, on excluded days for nothing. */
const everyMinute = (rule: ScheduleRule, rowsMax: number, dates: Dates = everyDay): RulePreview => {
  const start = Math.floor(NOW / MINUTE_MS) * MINUTE_MS;
  const name = rule.kind === 'cron' ? rule.expression : rule.kind;
  const next = Array.from({ length: rowsMax }, (_, index) => {
    const at = toInstant(start + (index + 1) * MINUTE_MS);
    const local = new Date(at).toISOString().slice(0, 19);
    const isExcluded = dates.excluded.some(
      ({ from, until }) => from <= local.slice(0, 10) && local.slice(0, 10) <= until,
    );
    const note = { code: 'excluded' as const, text: 'skipped: excluded dates' };
    return { at, local, zone: 'UTC', offsetMinutes: 0, ...(isExcluded ? { note } : {}) };
  });
  const words = { sentence: `As ${name} says`, shortSentence: name };
  return { valid: true, preview: { ...words, next, countNext7Days: 10_080, warnings: [] } };
};

/** A window that is seen all the time. */
export const SEEN: Attention = { isHidden: () => false, onChange: () => () => undefined };

export const createTestEngine = (): FakeEngine => new FakeEngine({ now: () => NOW, preview: everyMinute });

/** A page that is never closed and remembers drafts as long as it lives, beginning with this one. */
export function createTestPage(draft: string | null = null): PageLife {
  let kept = draft;
  return {
    drafts: {
      read: () => kept,
      write: (text) => {
        kept = text;
      },
    },
    onHide: () => undefined,
    onClosing: () => undefined,
    close: () => undefined,
  };
}
