/** The selected job: what it is, whether something needs saying, and its overview, runs and log. */
import { RotateCw } from 'lucide-react';
import { useEffect, useRef } from 'react';
import type { JobDetail as Detail } from '../../../shared/ipc/contract';
import type { JobRow } from '../../../shared/model/job';
import { SECOND_MS } from '../../../shared/time';
import { count } from '../../format';
import type { DetailTab } from '../../store/place';
import { useSelected } from '../../store/select';
import { Button } from '../../ui/button';
import { EmptyState } from '../../ui/emptyState';
import { focusRegion } from '../../ui/regions';
import { SkeletonRows } from '../../ui/skeleton';
import { type TabEntry, Tabs } from '../../ui/tabs';
import { useStores } from '../stores';
import { texts as shared } from '../texts';
import { DetailBanner } from './detailBanner';
import { DetailHeader } from './detailHeader';
import { LogTab } from './logTab';
import { Overview } from './overview';
import { RunsTab } from './runsTab';
import { texts } from './texts';
import { UnreadableJob } from './unreadableJob';

/** How long a job is looked at before its failure or lateness is no longer news. */
const SEEN_AFTER_MS = SECOND_MS;

export function JobDetail({ isOver }: { isOver: boolean }) {
  const { jobs, place } = useStores();
  const selectedId = useSelected(place, (state) => state.selectedId);
  const row = useSelected(jobs, (state) => state.rows?.find(({ id }) => id === selectedId));
  useOpenJob();
  useMarkSeen(row);
  if (row === undefined) return null;
  const close = (): void => {
    place.getState().change({ isDetailOpen: false });
    requestAnimationFrame(() => focusRegion('list'));
  };
  return (
    <aside
      className={`detail${isOver ? ' detail-over' : ''}`}
      aria-label={row.name}
      data-region="detail"
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || event.defaultPrevented) return;
        event.preventDefault();
        close();
      }}
    >
      {row.disabledReason === 'quarantined' ? (
        <UnreadableJob row={row} onBack={isOver ? close : null} />
      ) : (
        <KnownJob row={row} onBack={isOver ? close : null} />
      )}
    </aside>
  );
}

function KnownJob({ row, onBack }: { row: JobRow; onBack: (() => void) | null }) {
  const { job } = useStores();
  const detail = useSelected(job, (state) => state.detail);
  const failure = useSelected(job, (state) => state.failure);
  return (
    <>
      <DetailHeader row={row} detail={detail} onBack={onBack} />
      {detail !== null ? (
        <>
          <DetailBanner row={row} detail={detail} />
          <DetailTabs row={row} detail={detail} />
        </>
      ) : failure !== null ? (
        <EmptyState
          title={texts.failed}
          actions={
            <Button icon={RotateCw} onPress={() => job.getState().refresh()}>
              {shared.app.tryAgain}
            </Button>
          }
        >
          {failure.message}
        </EmptyState>
      ) : (
        <SkeletonRows
          label={texts.loading}
          stillLabel={texts.stillLoading}
          rows={6}
          className="skeleton-fact"
        />
      )}
    </>
  );
}

function DetailTabs({ row, detail }: { row: JobRow; detail: Detail }) {
  const { place } = useStores();
  const tab = useSelected(place, (state) => state.tab);
  const tabs: readonly TabEntry<DetailTab>[] = [
    { id: 'overview', label: texts.tabs.overview, panel: <Overview row={row} detail={detail} /> },
    {
      id: 'runs',
      label: texts.tabs.runs,
      // The count is of runs that have ended; one that goes on is a line in the list as well.
      count: count(detail.runCount + (detail.activeRun === null ? 0 : 1)),
      panel: <RunsTab detail={detail} />,
    },
    { id: 'log', label: texts.tabs.log, panel: <LogTab detail={detail} /> },
  ];
  return (
    <Tabs
      label={texts.tabs.label}
      value={tab}
      tabs={tabs}
      onChange={(id) => place.getState().change({ tab: id })}
    />
  );
}

/** Opens in the stores what is selected in the place: the job, its history, and the output of the run in question. */
function useOpenJob(): void {
  const { job, history, output, place } = useStores();
  const selectedId = useSelected(place, (state) => state.selectedId);
  const shownRunId = useSelected(place, (state) => state.shownRunId);
  const ownRunId = useSelected(job, ({ detail }) => detail?.activeRun?.id ?? detail?.latestRun?.id ?? null);
  const openId = useSelected(job, ({ detail }) => detail?.job.id ?? null);
  useEffect(() => {
    job.getState().open(selectedId);
    history.getState().open(selectedId);
  }, [job, history, selectedId]);
  useEffect(() => {
    if (openId === selectedId) output.getState().open(shownRunId ?? ownRunId);
  }, [output, openId, selectedId, shownRunId, ownRunId]);
}

/** News is seen once its job was chosen and looked at; the job that happened to be open at the start was not chosen. */
function useMarkSeen(row: JobRow | undefined): void {
  const { jobs } = useStores();
  const jobId = row?.id;
  const atStart = useRef(jobId);
  useEffect(() => {
    if (jobId === undefined || jobId === atStart.current) return;
    atStart.current = undefined;
    const timer = setTimeout(() => void jobs.getState().markSeen(jobId), SEEN_AFTER_MS);
    return () => clearTimeout(timer);
  }, [jobs, jobId]);
}
