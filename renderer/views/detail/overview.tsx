/** A job at a glance: its rules in words, how long it takes, and what it said last. */
import type { JobDetail } from '../../../shared/ipc/contract';
import type { JobRow } from '../../../shared/model/job';
import { MINUTE_MS } from '../../../shared/time';
import { moment, momentToSecond, until } from '../../format';
import { useSelected } from '../../store/select';
import { conditionWords, datesWords, limitWords, missedWords } from '../policyWords';
import { useNow, useNowNear, useStores } from '../stores';
import { DurationChart } from './durationChart';
import { LastOutput } from './lastOutput';
import { MomentLink } from './momentLink';
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

function Facts({ row, detail }: OverviewProps) {
  const { job, sentences } = detail;
  const now = useNow('minute');
  const days = datesWords(job.dates, now);
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
      {days === null ? null : (
        <>
          <dt>{words.days}</dt>
          <dd>{days}</dd>
        </>
      )}
      {job.conditions.length === 0 ? null : (
        <>
          <dt>{words.conditions}</dt>
          <dd>
            {job.conditions.map((condition) => (
              <div key={conditionWords(condition)}>{conditionWords(condition)}</div>
            ))}
          </dd>
        </>
      )}
      <dt>{words.missed}</dt>
      <dd>{missedWords(job.policies.catchUp)}</dd>
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
  return (
    <>
      <MomentLink job={detail.job} at={first} text={until(first, near)} />
      {others.slice(0, 3).map((at, index) => (
        <span key={at}>
          {index === 0 ? words.afterwards : ', '}
          <MomentLink job={detail.job} at={at} text={written(at, now)} />
        </span>
      ))}
    </>
  );
}
