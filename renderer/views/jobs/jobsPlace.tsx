/** The place Jobs: the list, and beside it or over it the selected job. */
import { RotateCw } from 'lucide-react';
import { useDeferredValue, useEffect, useMemo, useRef, useState } from 'react';
import type { JobId, JobRow } from '../../../shared/model/job';
import { useSelected } from '../../store/select';
import { Button } from '../../ui/button';
import { EmptyState } from '../../ui/emptyState';
import { useIsNarrow } from '../../ui/layout';
import { SkeletonRows } from '../../ui/skeleton';
import { JobDetail } from '../detail/jobDetail';
import { useStores } from '../stores';
import { texts as shared } from '../texts';
import { EmptyJobs } from './emptyJobs';
import { parseFilter, sortRows } from './filter';
import { FilterBar } from './filterBar';
import { useHeldOrder } from './heldOrder';
import { JobList } from './jobList';
import { texts } from './texts';

export function JobsPlace() {
  const { jobs, reportDrawn } = useStores();
  const rows = useSelected(jobs, (state) => state.rows);
  const failure = useSelected(jobs, (state) => state.failure);
  const isAnswered = rows !== null || failure !== null;
  useEffect(() => {
    if (isAnswered) requestAnimationFrame(() => requestAnimationFrame(() => reportDrawn()));
  }, [isAnswered, reportDrawn]);
  if (rows === null) return <div className="card">{failure === null ? <Loading /> : <Failed />}</div>;
  if (rows.length === 0) {
    return (
      <div className="card" data-region="list">
        <EmptyJobs />
      </div>
    );
  }
  return <Filled rows={rows} />;
}

function Loading() {
  return (
    <SkeletonRows
      label={texts.loading}
      stillLabel={texts.stillLoading}
      rows={12}
      className="job-row skeleton-row"
    />
  );
}

function Failed() {
  const { jobs } = useStores();
  const message = useSelected(jobs, (state) => state.failure?.message);
  return (
    <EmptyState
      title={texts.failed.title}
      actions={
        <Button icon={RotateCw} onPress={() => jobs.getState().refresh()}>
          {shared.app.tryAgain}
        </Button>
      }
    >
      {texts.failed.calm} {message}
    </EmptyState>
  );
}

function Filled({ rows }: { rows: readonly JobRow[] }) {
  const { place } = useStores();
  const isNarrow = useIsNarrow();
  const filter = useSelected(place, (state) => state.filter);
  const sort = useSelected(place, (state) => state.sort);
  const isDetailOpen = useSelected(place, (state) => state.isDetailOpen);
  const selectedId = useSelected(place, (state) => state.selectedId);
  const [isHeld, setHeld] = useState(false);
  const wanted = useDeferredValue(filter);
  const sorted = useMemo(() => {
    const { matches } = parseFilter(wanted);
    return sortRows(rows.filter(matches), sort);
  }, [rows, wanted, sort]);
  const { rows: shown, isChanged, release } = useHeldOrder(sorted, isHeld, `${wanted} ${sort}`);
  useSelectionInRows(rows, shown);
  const hasDetail = selectedId !== null && (!isNarrow || isDetailOpen);
  return (
    <div className={`card jobs${hasDetail ? ' jobs-with-detail' : ''}`}>
      <div className="jobs-list" inert={isNarrow && hasDetail}>
        <div data-region="filter">
          <FilterBar isOrderChanged={isChanged} onRelease={release} />
        </div>
        <div className="jobs-rows" data-region="list">
          {shown.length === 0 ? <NoMatch filter={wanted} /> : <JobList rows={shown} onHold={setHeld} />}
        </div>
      </div>
      {hasDetail ? <JobDetail isOver={isNarrow} /> : null}
    </div>
  );
}

function NoMatch({ filter }: { filter: string }) {
  const { place } = useStores();
  return (
    <EmptyState
      title={texts.noMatch.title(filter)}
      actions={<Button onPress={() => place.getState().change({ filter: '' })}>{texts.clearFilter}</Button>}
    >
      {texts.noMatch.text}
    </EmptyState>
  );
}

/**
 * There is always a selected job while there are jobs; when it goes away the next one in the list takes its place. A job
 * that was selected before the list knows it, because it has just been made or brought back, is waited for.
 */
function useSelectionInRows(all: readonly JobRow[], shown: readonly JobRow[]): void {
  const { place, job, jobs } = useStores();
  const selectedId = useSelected(place, (state) => state.selectedId);
  const isUnknown = useSelected(
    job,
    (state) =>
      state.jobId === selectedId &&
      (state.failure !== null || (state.detail?.job.deletedAt ?? null) !== null),
  );
  const lastIndex = useRef(0);
  const listedId = useRef<JobId | null>(null);
  const index = shown.findIndex((row) => row.id === selectedId);
  useEffect(() => {
    if (index >= 0) lastIndex.current = index;
    if (index >= 0 || all.some((row) => row.id === selectedId)) {
      listedId.current = selectedId;
      return;
    }
    if (selectedId !== null && selectedId !== listedId.current && !isUnknown) {
      // Whether there is such a job at all is known to the engine alone.
      job.getState().open(selectedId);
      jobs.getState().refresh();
      return;
    }
    const next = shown[Math.min(lastIndex.current, shown.length - 1)] ?? all[0];
    if (next !== undefined) place.getState().select(next.id);
  }, [all, shown, index, selectedId, isUnknown, place, job, jobs]);
}
