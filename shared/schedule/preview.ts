/**
 * What the editor shows of a schedule while it is typed: words, next moments with notes about clock changes, a count
 * and warnings. The rows are exactly what the engine would plan, because they are asked from the same functions.
 */
import { PREVIEW_ROWS_MAX, type PreviewRow, type SchedulePreview } from '../model/preview';
import { type CronRule, LOCAL_ZONE, type OnceRule, type ScheduleRule } from '../model/schedule';
import { fail, ok, type Result } from '../result';
import { DAY_MS, type Instant, MINUTE_MS, toInstant } from '../time';
import { type CronWalk, cronWalkOf, firstInGap, nextCron } from './cronOccurrences';
import { clockText, listWords, weekdayDate } from './dayWords';
import { countBetween, nextOccurrence, type OccurrenceContext, onceAt, parseLocal } from './occurrences';
import { formMistakes } from './validate';
import { warningsOf } from './warnings';
import { sentence, shortSentence } from './words';
import { instantsOf, type LocalMs, localMsOf, offsetMsAt, resolveZone, type Stretch } from './zone';

type Note = NonNullable<PreviewRow['note']>;

/** Of the times that one gap swallowed, the first few are named. */
const NAMED_TIMES_MAX = 3;

const localText = (local: LocalMs): string => new Date(local).toISOString().slice(0, 19);

const rowAt = (at: number, zone: string, note?: Note, local = localMsOf(at, zone)): PreviewRow => ({
  at: toInstant(at),
  local: localText(local),
  zone,
  offsetMinutes: Math.round(offsetMsAt(at, zone) / MINUTE_MS),
  ...(note === undefined ? {} : { note }),
});

/** `02:30 does not exist that day` */
const missingTimes = (walk: CronWalk, stretch: Stretch): string => {
  const gapEnd = stretch.from + stretch.offsetMs;
  const named: LocalMs[] = [];
  let local = firstInGap(walk.times, stretch);
  while (local !== undefined && local < gapEnd && named.length <= NAMED_TIMES_MAX) {
    named.push(local);
    local = walk.times.atOrAfter(local + 1);
  }
  const isMany = named.length > NAMED_TIMES_MAX;
  const texts = named.slice(0, NAMED_TIMES_MAX).map(clockText);
  const names = isMany ? `${texts.join(', ')} and more` : listWords(texts);
  const [first = gapEnd] = named;
  const isSameDay = Math.floor(first / DAY_MS) === Math.floor(gapEnd / DAY_MS);
  return `${names} ${named.length > 1 ? 'do' : 'does'} not exist ${isSameDay ? 'that day' : `on ${weekdayDate(first)}`}`;
};

const REPEAT_NOTES: Readonly<Record<CronRule['repeat'], Note>> = {
  first: { code: 'repeat_first', text: 'clock repeats, runs the first time' },
  second: { code: 'repeat_second', text: 'clock repeats, runs the second time' },
  both: { code: 'repeat_both', text: 'clock repeats, runs both times' },
};

const frequentNote = (walk: CronWalk, stretch: Stretch, at: number, before: number): Note | undefined => {
  // Only the first row after the change says something; those before it belong to another stretch.
  if (before >= stretch.from) return undefined;
  const start = stretch.from + stretch.offsetMs;
  if (stretch.gapFrom !== undefined && firstInGap(walk.times, stretch) !== undefined) {
    const text = `${clockText(stretch.gapFrom)} to ${clockText(start)} does not exist that day`;
    return { code: 'gap_passed', text };
  }
  const more = walk.times.count(start, Math.max(start, stretch.isRepeatBelow));
  if (more === 0 || at + stretch.offsetMs >= stretch.isRepeatBelow) return undefined;
  const text = `${weekdayDate(start)} has ${more} more ${more === 1 ? 'run' : 'runs'}`;
  return { code: 'repeat_more', text };
};

const cronRow = (walk: CronWalk, rule: CronRule, at: number, before: number, zone: string): PreviewRow => {
  const stretch = walk.offsets.stretchAt(at);
  const local = at + stretch.offsetMs;
  if (!walk.isFixed) return rowAt(at, zone, frequentNote(walk, stretch, at, before));
  const skipped = at === stretch.from ? firstInGap(walk.times, stretch) : undefined;
  if (skipped !== undefined && walk.times.atOrAfter(local) !== local) {
    if (rule.gap === 'run_after') {
      return rowAt(at, zone, { code: 'gap_run_after', text: missingTimes(walk, stretch) });
    }
    return rowAt(at, zone, { code: 'gap_skipped', text: 'skipped: this time does not exist' }, skipped);
  }
  const isTwice = instantsOf(local, zone).kind === 'two';
  return rowAt(at, zone, isTwice ? REPEAT_NOTES[rule.repeat] : undefined);
};

/** The next `count` occurrences, and among them the skipped times, which do not count. */
const cronRows = (rule: CronRule, from: Instant, count: number, context: OccurrenceContext): PreviewRow[] => {
  const zone = resolveZone(rule.zone, context.hostZone);
  // A rule that skips is walked as if it did not, to meet the moments at which it skips.
  const walk = cronWalkOf({ ...rule, gap: 'run_after' }, zone);
  const rows: PreviewRow[] = [];
  let planned = 0;
  let before: number = from;
  while (planned < count && rows.length < PREVIEW_ROWS_MAX) {
    const at = nextCron(walk, before);
    if (at === undefined) break;
    const row = cronRow(walk, rule, at, before, zone);
    rows.push(row);
    if (row.note?.code !== 'gap_skipped') planned += 1;
    before = at;
  }
  return rows;
};

const onceRows = (rule: OnceRule, from: Instant, context: OccurrenceContext): PreviewRow[] => {
  const zone = resolveZone(rule.zone, context.hostZone);
  const local = parseLocal(rule.local);
  const at = onceAt(rule, context);
  if (local === undefined || at <= from) return [];
  const found = instantsOf(local, zone);
  if (found.kind === 'two') return [rowAt(at, zone, REPEAT_NOTES.first)];
  if (found.kind === 'one') return [rowAt(at, zone)];
  return [rowAt(at, zone, { code: 'gap_run_after', text: `${clockText(local)} does not exist that day` })];
};

const rowsOf = (
  rule: ScheduleRule,
  from: Instant,
  count: number,
  context: OccurrenceContext,
): PreviewRow[] => {
  if (rule.kind === 'cron') return cronRows(rule, from, count, context);
  if (rule.kind === 'once') return onceRows(rule, from, context);
  const rows: PreviewRow[] = [];
  let at = nextOccurrence(rule, from, context);
  while (at !== undefined && rows.length < count) {
    rows.push(rowAt(at, resolveZone(LOCAL_ZONE, context.hostZone)));
    at = nextOccurrence(rule, at, context);
  }
  return rows;
};

/**
 * Previews a rule as of `from`, with the next `count` occurrences (at most PREVIEW_ROWS_MAX rows). A rule that never
 * runs has a preview without rows. One with mistakes fails with `invalid_input` and a sentence per field.
 */
export const previewSchedule = (
  rule: ScheduleRule,
  from: Instant,
  count: number,
  context: OccurrenceContext,
): Result<SchedulePreview> => {
  const mistakes = formMistakes(rule);
  const [first] = mistakes;
  if (first !== undefined) {
    const fields = Object.fromEntries([...mistakes].reverse().map(({ path, message }) => [path, message]));
    return fail('invalid_input', first.message, fields);
  }
  const asOfNow = { createdAt: from, ...context };
  const week = countBetween(rule, from, toInstant(from + 7 * DAY_MS), asOfNow);
  return ok({
    sentence: sentence(rule, context),
    shortSentence: shortSentence(rule),
    next: rowsOf(rule, from, Math.min(count, PREVIEW_ROWS_MAX), asOfNow),
    countNext7Days: week.count,
    warnings: warningsOf(rule, from, asOfNow),
  });
};
