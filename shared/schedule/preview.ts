/**
 * What the editor shows of a schedule while it is typed: words, next moments with notes about clock changes, a count
 * and warnings. The rows are exactly what the engine would plan, because they are asked from the same functions.
 */
import { type Dates, everyDay } from '../model/dates';
import { PREVIEW_ROWS_MAX, type PreviewRow, type SchedulePreview } from '../model/preview';
import type { CronRule, OnceRule, ScheduleRule } from '../model/schedule';
import { fail, ok, type Result } from '../result';
import { DAY_MS, type Instant, MINUTE_MS, toInstant } from '../time';
import { type CronWalk, cronWalkOf, firstInGap } from './cronOccurrences';
import { countRunnable, excludedSpans } from './dates';
import { clockText, listWords, weekdayDate } from './dayWords';
import type { Span } from './localDays';
import { countBetween, nextOccurrence, type OccurrenceContext, parseLocal, zoneOfRule } from './occurrences';
import { formMistakes } from './validate';
import { warningsOf } from './warnings';
import { type SentenceContext, sentence, shortSentence } from './words';
import { instantsOf, type LocalMs, localMsOf, offsetMsAt, type Stretch } from './zone';

type Note = NonNullable<PreviewRow['note']>;

/** A schedule of every second has more than a million in a fortnight; nobody wants to know exactly. */
const EXCLUDED_COUNT_MAX = 1_000_000;
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

const onceRow = (rule: OnceRule, at: Instant, zone: string): PreviewRow => {
  const local = parseLocal(rule.local) ?? at;
  const { kind } = instantsOf(local, zone);
  if (kind === 'two') return rowAt(at, zone, REPEAT_NOTES.first);
  if (kind === 'one') return rowAt(at, zone);
  return rowAt(at, zone, { code: 'gap_run_after', text: `${clockText(local)} does not exist that day` });
};

/** One row for a stretch of excluded days, at the first of the occurrences that it swallows. */
const excludedRow = (at: Instant, rule: ScheduleRule, span: Span, context: OccurrenceContext): PreviewRow => {
  const zone = zoneOfRule(rule, context);
  const last = span.to - 1;
  const { count, isMore } = countBetween(rule, at, toInstant(last), context, { max: EXCLUDED_COUNT_MAX });
  const more = `${count.toLocaleString('en-US')}${isMore ? ' or' : ''} more until ${weekdayDate(localMsOf(last, zone))}`;
  return rowAt(at, zone, {
    code: 'excluded',
    text: count === 0 ? 'skipped: excluded date' : `skipped, and ${more}: excluded dates`,
  });
};

/** The next `count` occurrences, and among them the times that are skipped, which do not count. */
const rowsOf = (
  rule: ScheduleRule,
  from: Instant,
  count: number,
  context: OccurrenceContext,
  dates: Dates,
): PreviewRow[] => {
  const zone = zoneOfRule(rule, context);
  const bounded = { ...context, dates };
  // A rule that skips is walked as if it did not, to meet the moments at which it skips.
  const walked: ScheduleRule = rule.kind === 'cron' ? { ...rule, gap: 'run_after' } : rule;
  const walk = walked.kind === 'cron' ? cronWalkOf(walked, zone) : undefined;
  const excluded = excludedSpans(dates.excluded, zone, { from, to: Number.POSITIVE_INFINITY });
  const rows: PreviewRow[] = [];
  let planned = 0;
  let before: number = from;
  while (planned < count && rows.length < PREVIEW_ROWS_MAX) {
    const at = nextOccurrence(walked, toInstant(before), bounded);
    if (at === undefined) break;
    const span = excluded.find((each) => at >= each.from && at < each.to);
    if (span !== undefined) {
      rows.push(excludedRow(at, walked, span, bounded));
      before = span.to - 1;
      continue;
    }
    const row =
      rule.kind === 'cron' && walk !== undefined
        ? cronRow(walk, rule, at, before, zone)
        : rule.kind === 'once'
          ? onceRow(rule, at, zone)
          : rowAt(at, zone);
    rows.push(row);
    if (row.note?.code !== 'gap_skipped') planned += 1;
    before = at;
  }
  return rows;
};

/**
 * Previews a rule as of `from`, with the next `count` occurrences (at most PREVIEW_ROWS_MAX rows). A rule that never
 * runs has a preview without rows. One with mistakes fails with `invalid_input` and a sentence per field. `dates` are the
 * days of the job: nothing is told of before the first and after the last, and excluded ones have a row that says so.
 */
export const previewSchedule = (
  rule: ScheduleRule,
  from: Instant,
  count: number,
  context: SentenceContext,
  dates: Dates = everyDay,
): Result<SchedulePreview> => {
  const mistakes = formMistakes(rule);
  const [first] = mistakes;
  if (first !== undefined) {
    const fields = Object.fromEntries([...mistakes].reverse().map(({ path, message }) => [path, message]));
    return fail('invalid_input', first.message, fields);
  }
  const asOfNow = { createdAt: from, ...context };
  return ok({
    sentence: sentence(rule, context),
    shortSentence: shortSentence(rule, context),
    next: rowsOf(rule, from, Math.min(count, PREVIEW_ROWS_MAX), asOfNow, dates),
    countNext7Days: countRunnable(rule, from, toInstant(from + 7 * DAY_MS), asOfNow, dates),
    warnings: warningsOf(rule, from, asOfNow),
  });
};
