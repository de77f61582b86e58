/** The next moments of one schedule, as the engine plans them, within the days of the job. */
import { Info, TriangleAlert } from 'lucide-react';
import { useEffect } from 'react';
import type { PreviewRow, SchedulePreview } from '../../../shared/model/preview';
import { type Instant, MINUTE_MS, toInstant } from '../../../shared/time';
import { ahead, cityOf, count, dayOf } from '../../format';
import { readRule, type ScheduleForm } from '../../store/scheduleForm';
import { Banner } from '../../ui/banner';
import { Icon } from '../../ui/icon';
import { useNowNear, useStores } from '../stores';
import { useForm } from './fields';
import { useAnswer } from './sentence';
import { texts } from './texts';
import { hereZone } from './zoneField';

const words = texts.preview;

function NextHead({ preview, rows: all = [] }: { preview?: SchedulePreview; rows?: readonly PreviewRow[] }) {
  const rows = all.filter(isPlanned).length;
  const zone = preview?.next[0]?.zone;
  return (
    <h3 className="detail-section">
      {rows === 0 ? words.nextNone : words.next(rows)}
      {preview === undefined || rows === 0 ? null : (
        <span className="detail-aside num">
          {words.inWeek(count(preview.countNext7Days))}
          {zone === undefined ? '' : ` · ${words.zone(cityOf(zone))}`}
        </span>
      )}
    </h3>
  );
}

export function NextRuns({ schedule }: { schedule: ScheduleForm }) {
  const { editor } = useStores();
  const hasDays = useForm(
    ({ dates }) => dates.from !== '' || dates.until !== '' || dates.excluded.length > 0,
  );
  const { answer, lastGood } = useAnswer(schedule);
  const preview = answer?.valid ? answer.preview : lastGood;
  const isStale = answer?.valid === false && lastGood !== null && readRule(schedule).rule !== null;
  const first = preview?.next[0]?.at ?? null;
  const now = useNowNear(first);
  useEffect(() => {
    if (first !== null && first <= now) editor.getState().refreshPreview();
  }, [editor, first, now]);
  if (preview === null || readRule(schedule).rule === null) {
    return (
      <div>
        <NextHead />
        <p className="section-text">{words.none}</p>
      </div>
    );
  }
  const rows = preview.next;
  return (
    <div className={isStale ? 'is-stale' : ''}>
      {isStale ? <Banner isQuiet kind="info" icon={<Icon of={Info} />} title={words.stale} /> : null}
      <NextHead preview={preview} rows={rows} />
      {rows.length === 0 ? <p className="section-text">{hasDays ? words.outside : words.never}</p> : null}
      <ol className="next-runs">
        {numbered(rows).map(({ row, number }) => (
          <NextRow key={`${row.at} ${row.local}`} row={row} number={number} now={now} />
        ))}
      </ol>
    </div>
  );
}

/** A time that a clock change takes away, and stretches of excluded days, stand in the list and are no runs. */
const isPlanned = ({ note }: PreviewRow): boolean =>
  note?.code !== 'gap_skipped' && note?.code !== 'excluded';

/** Rows with their numbers; a time that is skipped has none. */
function numbered(rows: readonly PreviewRow[]) {
  let last = 0;
  return rows.map((row) => {
    if (!isPlanned(row)) return { row, number: null };
    last += 1;
    return { row, number: last };
  });
}

/** Wall time as the engine gave it, in the words of this window; seconds only where they say something. */
function wallWords(local: string, now: Instant): { readonly day: string; readonly time: string } {
  const [date = '', time = ''] = local.split('T');
  const day = dayOf(toInstant(Date.parse(`${date}T12:00:00Z`)), now, 'UTC');
  return { day, time: time.endsWith(':00') ? time.slice(0, 5) : time };
}

/** Minutes east of UTC on this laptop's clock. */
const offsetAt = (at: Instant): number => -new Date(at).getTimezoneOffset();

/** The same moment on this laptop's clock, with its day if that is another one. */
function hereWords(row: PreviewRow, now: Instant): string {
  const local = new Date(row.at + offsetAt(row.at) * MINUTE_MS).toISOString().slice(0, 19);
  const { day, time } = wallWords(local, now);
  return local.slice(0, 10) === row.local.slice(0, 10) ? time : `${day} ${time}`;
}

function NextRow({ row, number, now }: { row: PreviewRow; number: number | null; now: Instant }) {
  const { day, time } = wallWords(row.local, now);
  const here = hereZone();
  const isElsewhere = offsetAt(row.at) !== row.offsetMinutes;
  if (number === null) {
    return (
      <li className="next-run next-run-skipped">
        <span className="next-number">
          <Icon of={TriangleAlert} size={13} />
        </span>
        <span>{day}</span>
        <s>{time}</s>
        <span className="next-note">{row.note?.text ?? words.skipped}</span>
      </li>
    );
  }
  return (
    <li className={`next-run${row.note === undefined ? '' : ' next-run-noted'}`}>
      <span className="next-number">{number}</span>
      <span>{day}</span>
      <span>{time}</span>
      <span className="next-ahead">{ahead(row.at, now)}</span>
      {isElsewhere ? (
        <span className="next-here">{words.here(hereWords(row, now), cityOf(here))}</span>
      ) : null}
      {row.note === undefined ? null : <span className="next-note">{row.note.text}</span>}
    </li>
  );
}
