/** A job at a glance: its rules in words, how long it takes, and what it said last. */
import type { JobDetail } from '../../../shared/ipc/contract';
import type { Job, JobRow } from '../../../shared/model/job';
import { MINUTE_MS } from '../../../shared/time';
import { fullMoment, moment, momentToSecond, span, until } from '../../format';
import { useSelected } from '../../store/select';
import { useNow, useNowNear, useStores } from '../stores';
import { DurationChart } from './durationChart';
import { LastOutput } from './lastOutput';
import { texts } from './texts';

const words = texts.facts;

type OverviewProps = { row: JobRow; detail: JobDetail };

export function Overview({ row, detail }: OverviewProps) {
  return (
    <section className="detail-body" aria-label={texts.tabs.overview}>
      <Facts row={row} detail={detail} />
      <DurationChart detail={detail} />
      <LastOutput detail={detail} />
    </section>
  );
}

const missedWords = ({ catchUp }: Job['policies']): string => {
  if (catchUp.mode === 'none') return words.missedNone;
  return catchUp.ageMsMax === null ? words.missedOnce : words.missedOnceWithin(span(catchUp.ageMsMax));
};

const limitWords = ({ timeoutMs }: Job['policies']): string =>
  `${timeoutMs === null ? words.neverStop : words.stopAfter(span(timeoutMs))} · ${words.noOverlap}`;

function Facts({ row, detail }: OverviewProps) {
  const { job, sentences } = detail;
  return (
    <dl className="facts">
      <dt>{words.schedule}</dt>
      <dd>
        {sentences.length === 0 ? words.byHand : null}
        {sentences.map((sentence, index) => {
          const rule = job.schedules[index]?.rule;
          return (
            <div key={job.schedules[index]?.id ?? sentence}>
              {sentence}{' '}
              {rule?.kind === 'cron' ? <span className="mono facts-code">{rule.expression}</span> : null}
            </div>
          );
        })}
      </dd>
      <dt>{words.next}</dt>
      <dd className="num">
        <Upcoming row={row} detail={detail} />
      </dd>
      <dt>{words.missed}</dt>
      <dd>{missedWords(job.policies)}</dd>
      <dt>{words.limits}</dt>
      <dd className="num">{limitWords(job.policies)}</dd>
      <dt>{words.folder}</dt>
      <dd className={job.settings.folder === '' ? '' : 'mono'}>
        {job.settings.folder === '' ? words.home : job.settings.folder}
      </dd>
      {job.tags.length === 0 ? null : (
        <>
          <dt>{words.tags}</dt>
          <dd>{job.tags.join(', ')}</dd>
        </>
      )}
      {job.notes === '' ? null : (
        <>
          <dt>{words.notes}</dt>
          <dd className="facts-notes">{job.notes}</dd>
        </>
      )}
    </dl>
  );
}

function Upcoming({ row, detail }: OverviewProps) {
  const [first, ...others] = detail.upcoming;
  const near = useNowNear(first ?? null);
  const now = useNow('minute');
  const { status } = useStores();
  const isPaused = useSelected(status, (state) => state.status?.state === 'paused');
  if (first === undefined) {
    if (!row.isEnabled) return words.nextOff;
    return isPaused && detail.job.schedules.length > 0 ? words.nextPaused : words.nextNone;
  }
  // What comes more often than every minute cannot be told apart without its seconds.
  const isDense = detail.upcoming.some((at, index) => at - (detail.upcoming[index - 1] ?? 0) < MINUTE_MS);
  const written = isDense ? momentToSecond : moment;
  const start = (
    <>
      <span aria-hidden="true">{until(first, near)}</span>
      <span className="sr">{fullMoment(first, now)}</span>
    </>
  );
  if (others.length === 0) return start;
  return (
    <>
      {start}
      {words.afterwards(
        others
          .slice(0, 3)
          .map((at) => written(at, now))
          .join(', '),
      )}
    </>
  );
}
