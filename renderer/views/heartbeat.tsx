/** The card that always answers "is it working?": the state, what is due next, and the last time the laptop slept. */
import { Database, Ellipsis } from 'lucide-react';
import type { SchedulerStatus } from '../../shared/model/settings';
import { clockTime, counted, moment } from '../format';
import { useSelected } from '../store/select';
import { IconMenu } from '../ui/menu';
import { texts as dataTexts } from './data/texts';
import { Bell } from './glyph';
import { useNow, useStores } from './stores';
import { texts } from './texts';

const words = texts.heartbeat;

/** The state in one short line. */
export function stateLine(status: SchedulerStatus | null): string {
  const isAtWork = status?.state === 'running' || status?.state === 'paused';
  if (isAtWork && status.problem !== null) return words.trouble;
  switch (status?.state) {
    case 'running':
      return words.running;
    case 'paused':
      return words.paused;
    case 'standby':
      return words.standby;
    case 'store_failed':
      return words.storeFailed;
    case 'stopped':
      return words.stopped;
    default:
      return words.starting;
  }
}

export function Heartbeat() {
  const { status, place } = useStores();
  const now = useSelected(status, (state) => state.status);
  const isAlive = now?.state === 'running' && now.problem === null;
  const showData = (): void => place.getState().change({ question: { ask: 'data' } });
  return (
    <section className="heartbeat" aria-label={words.label}>
      <div className="heartbeat-head">
        <b className="heartbeat-state">
          <Bell size={16} isRinging={isAlive} />
          {stateLine(now)}
        </b>
        <IconMenu
          isSmall
          label={dataTexts.menu}
          icon={Ellipsis}
          entries={[{ id: 'data', label: dataTexts.open, icon: Database, onChoose: showData }]}
        />
      </div>
      {now === null ? null : <Details status={now} />}
    </section>
  );
}

function Details({ status }: { status: SchedulerStatus }) {
  // The banner tells all of it; here its beginning is enough.
  if (status.problem !== null) return <span className="heartbeat-trouble">{status.problem}</span>;
  if (status.state === 'paused') return <PausedLine />;
  if (status.state === 'standby' && status.holder !== null) {
    const { pid, since } = status.holder;
    return <span className="num">{words.standbyDetail(pid, clockTime(since))}</span>;
  }
  return (
    <>
      <NextLine status={status} />
      <GapLine status={status} />
    </>
  );
}

function PausedLine() {
  const { pauses } = useStores();
  const now = useNow('minute');
  const until = useSelected(
    pauses,
    (state) => state.pauses.find(({ scope }) => scope.kind === 'all')?.until ?? null,
  );
  return <span>{until === null ? words.pausedDetail : words.pausedUntil(moment(until, now))}</span>;
}

function NextLine({ status }: { status: SchedulerStatus }) {
  const now = useNow('minute');
  if (status.next === null) return <span>{status.jobCount === 0 ? words.noJobs : words.nothingDue}</span>;
  const { at, dueCount } = status.next;
  return (
    <span className="num">
      {words.next} <span className="heartbeat-next">{moment(at, now)}</span>{' '}
      {words.due(counted(dueCount, 'job'))}
    </span>
  );
}

/** What ended each kind of gap. */
const GAP_ENDS = { asleep: words.woke, off: words.on, not_running: words.started } as const;

function GapLine({ status }: { status: SchedulerStatus }) {
  const now = useNow('minute');
  if (status.lastGap === null) return null;
  const { cause, to, caughtUpCount } = status.lastGap;
  const time = moment(to, now);
  return (
    <span className="num">
      {GAP_ENDS[cause](time)} {caughtUpCount > 0 ? words.caughtUp(caughtUpCount) : null}
    </span>
  );
}
