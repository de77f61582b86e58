/** What the job will do, in plain words and with its next moments. Defaults are written out: nothing happens unread. */
import { Info, TriangleAlert } from 'lucide-react';
import { useEffect } from 'react';
import { jobKinds } from '../../../shared/kinds/registry';
import type { PreviewRow, SchedulePreview } from '../../../shared/model/preview';
import { type Instant, MINUTE_MS, toInstant } from '../../../shared/time';
import { ahead, cityOf, count, dayOf, span } from '../../format';
import { readRule, type ScheduleForm } from '../../store/scheduleForm';
import { readSpan } from '../../store/spanForm';
import { Banner } from '../../ui/banner';
import { Icon } from '../../ui/icon';
import { texts as detailTexts } from '../detail/texts';
import { useNowNear, useStores } from '../stores';
import { useForm } from './fields';
import { useAnswer } from './sentence';
import { texts } from './texts';
import { hereZone } from './zoneField';

const words = texts.preview;

export function PreviewPane({ shownIndex }: { shownIndex: number }) {
  const schedule = useForm((form) => form.schedules[shownIndex]);
  return (
    <section className="preview" aria-label={words.title} data-region="preview">
      <h2>{words.title}</h2>
      <JobWords />
      {schedule === undefined ? null : <NextRuns key={schedule.key} schedule={schedule} />}
    </section>
  );
}

function JobWords() {
  const form = useForm((all) => all);
  const command = jobKinds[form.settings.kind].summary(form.settings);
  const timeoutMs = form.timeout.isOn ? readSpan(form.timeout.span) : null;
  const { facts } = detailTexts;
  const lateMs = form.lateLimit.isOn ? readSpan(form.lateLimit.span) : null;
  const missed =
    form.catchUp === 'none'
      ? facts.missedNone
      : lateMs === null
        ? facts.missedOnce
        : facts.missedOnceWithin(span(lateMs));
  return (
    <dl className="facts">
      <dt>{words.runs}</dt>
      <dd className="mono preview-command">{command || texts.summaries.nothing}</dd>
      <dt>{words.folder}</dt>
      <dd>{form.settings.folder || facts.home}</dd>
      <Sentences />
      {form.schedules.length === 0 ? null : (
        <>
          <dt>{words.missed}</dt>
          <dd>{missed}</dd>
        </>
      )}
      <dt>{words.limits}</dt>
      <dd>
        {timeoutMs === null ? facts.neverStop : facts.stopAfter(span(timeoutMs))} · {words.overlap}
      </dd>
      {form.isEnabled ? null : (
        <>
          <dt>{words.state}</dt>
          <dd>{words.off}</dd>
        </>
      )}
    </dl>
  );
}

function Sentences() {
  const schedules = useForm((form) => form.schedules);
  return (
    <>
      <dt>{words.when}</dt>
      <dd>
        {schedules.length === 0 ? words.byHand : null}
        {schedules.map((schedule) => (
          <ScheduleWords key={schedule.key} schedule={schedule} />
        ))}
      </dd>
    </>
  );
}

function ScheduleWords({ schedule }: { schedule: ScheduleForm }) {
  const { answer } = useAnswer(schedule);
  const { kind, cron } = schedule;
  const isTooLong = kind === 'cron' && cron.expression.trim() !== '' && readRule(schedule).rule === null;
  if (isTooLong) return <div className="tone-fail">{words.mistake}</div>;
  if (readRule(schedule).rule === null || answer === null) return <div>{texts.summaries.notSet}</div>;
  if (answer.valid) return <div>{answer.preview.sentence}</div>;
  return <div className="tone-fail">{kind === 'cron' ? words.mistake : answer.message}</div>;
}

function NextHead({ preview }: { preview?: SchedulePreview }) {
  const rows = preview?.next.filter(({ note }) => note?.code !== 'gap_skipped').length ?? 0;
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

function NextRuns({ schedule }: { schedule: ScheduleForm }) {
  const { editor } = useStores();
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
  return (
    <div className={isStale ? 'is-stale' : ''}>
      {isStale ? <Banner isQuiet kind="info" icon={<Icon of={Info} />} title={words.stale} /> : null}
      <NextHead preview={preview} />
      {preview.next.length === 0 ? <p className="section-text">{words.never}</p> : null}
      <ol className="next-runs">
        {numbered(preview.next).map(({ row, number }) => (
          <NextRow key={`${row.at} ${row.local}`} row={row} number={number} now={now} />
        ))}
      </ol>
    </div>
  );
}

/** Rows with their numbers; a time that is skipped has none. */
function numbered(rows: readonly PreviewRow[]) {
  let last = 0;
  return rows.map((row) => {
    if (row.note?.code === 'gap_skipped') return { row, number: null };
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
