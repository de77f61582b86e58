/** Every run of a job and every due time that did not run, newest first. A run opens its log, and unfolds into its tries. */
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react';
import type { JobDetail } from '../../../shared/ipc/contract';
import type { Wait } from '../../../shared/model/condition';
import type { Job } from '../../../shared/model/job';
import type { Attempt, HistoryEntry, Run, RunId } from '../../../shared/model/run';
import type { Instant } from '../../../shared/time';
import { until } from '../../format';
import { entryKey } from '../../store/history';
import { useSelected } from '../../store/select';
import { EmptyState } from '../../ui/emptyState';
import { ColumnHeader, GridHead } from '../../ui/grid';
import { SkeletonRows } from '../../ui/skeleton';
import { useRows, VirtualRows } from '../../ui/virtualRows';
import { useNowNear, useStores } from '../stores';
import { AttemptCells, partsWord, WaitCells } from './attemptRow';
import { AskCell, RunCells, SkipCells } from './runCells';
import { texts } from './texts';

const words = texts.runs;
const ROW_HEIGHT = 30;
const HEAD_HEIGHT = 26;
/** How close to the end the next page is fetched. */
const MORE_AHEAD_ROWS = 40;

export function RunsTab({ detail }: { detail: JobDetail }) {
  return <RunHistory job={detail.job} nextAt={detail.upcoming[0] ?? null} />;
}

type RunHistoryProps = { job: Pick<Job, 'id' | 'name'>; nextAt: Instant | null };

/** The same for a job of which only the name is known. */
export function RunHistory({ job, nextAt }: RunHistoryProps) {
  const { history } = useStores();
  const entries = useSelected(history, (state) => state.entries);
  const failure = useSelected(history, (state) => state.failure);
  const now = useNowNear(nextAt);
  if (entries === null) {
    if (failure !== null) return <EmptyState title={words.failed}>{failure.message}</EmptyState>;
    return (
      <SkeletonRows
        label={words.loading}
        stillLabel={texts.stillLoading}
        rows={8}
        className="skeleton-fact"
      />
    );
  }
  if (entries.length === 0) {
    return <EmptyState title={nextAt === null ? words.none : words.noneDue(until(nextAt, now))} />;
  }
  return <RunList entries={entries} job={job} />;
}

/** The entry that a key press leads to, or null. */
function keyTarget(key: string, index: number, total: number): number | null {
  const steps: Readonly<Record<string, number>> = {
    ArrowDown: index + 1,
    j: index + 1,
    ArrowUp: index - 1,
    k: index - 1,
    PageDown: index + 10,
    PageUp: index - 10,
    Home: 0,
    End: total - 1,
  };
  const to = steps[key];
  return to === undefined ? null : Math.max(0, Math.min(total - 1, to));
}

/** A row: a run or a due time that did not run, and under an unfolded run its tries and waits. */
type Line =
  | { readonly kind: 'entry'; readonly key: string; readonly entry: HistoryEntry }
  | { readonly kind: 'attempt'; readonly key: string; readonly run: Run; readonly attempt: Attempt }
  | { readonly kind: 'wait'; readonly key: string; readonly run: Run; readonly wait: Wait };

type ByRun = ReadonlyMap<RunId, readonly Attempt[]>;

/** The parts of an unfolded run in the order in which they happened. */
function partsOf(run: Run, attempts: readonly Attempt[]): Line[] {
  const tries = attempts.map((attempt): Line => ({ kind: 'attempt', key: attempt.id, run, attempt }));
  const waits = run.waits.map(
    (wait): Line => ({ kind: 'wait', key: `${run.id} ${wait.since} ${wait.kind}`, run, wait }),
  );
  const beginOf = (line: Line): number =>
    line.kind === 'attempt' ? line.attempt.startedAt : line.kind === 'wait' ? line.wait.since : 0;
  return [...waits, ...tries].sort((one, other) => beginOf(one) - beginOf(other));
}

const linesOf = (entries: readonly HistoryEntry[], byRun: ByRun): readonly Line[] =>
  entries.flatMap((entry) => {
    const line: Line = { kind: 'entry', key: entryKey(entry), entry };
    const attempts = entry.entry === 'run' ? byRun.get(entry.run.id) : undefined;
    return entry.entry === 'run' && attempts !== undefined ? [line, ...partsOf(entry.run, attempts)] : [line];
  });

/** The moment that "why?" asks about. */
const askedMoment = (entry: HistoryEntry): Instant =>
  entry.entry === 'run'
    ? (entry.run.plannedAt ?? entry.run.startedAt ?? entry.run.queuedAt)
    : entry.decision.plannedAt;

type RunListProps = { entries: readonly HistoryEntry[]; job: Pick<Job, 'id' | 'name'> };

function RunList({ entries, job }: RunListProps) {
  const { history, attempts, place, why } = useStores();
  const isLoadingMore = useSelected(history, (state) => state.isLoadingMore);
  const shownRunId = useSelected(place, (state) => state.shownRunId);
  const byRun = useSelected(attempts, (state) => state.byRun);
  const lines = useMemo(() => linesOf(entries, byRun), [entries, byRun]);
  const scroller = useRef<HTMLDivElement>(null);
  const [stop, setStop] = useState(0);
  const rows = useRows({
    count: lines.length,
    rowHeight: ROW_HEIGHT,
    headHeight: HEAD_HEIGHT,
    scroller,
    keptIndex: stop,
  });
  const lastShown = rows.getVirtualItems().at(-1)?.index ?? 0;
  useEffect(() => {
    if (lastShown > lines.length - MORE_AHEAD_ROWS) void history.getState().more();
  }, [history, lastShown, lines.length]);
  const ask = (entry: HistoryEntry): void => void why.getState().ask(job.id, job.name, askedMoment(entry));
  const open = (index: number): void => {
    setStop(index);
    const line = lines[index];
    if (line === undefined) return;
    if (line.kind === 'entry' && line.entry.entry === 'skip') ask(line.entry);
    else {
      const run = line.kind === 'entry' ? runOf(line.entry) : line.run;
      if (run !== null) place.getState().change({ tab: 'log', shownRunId: run.id });
    }
  };
  /** Right unfolds and Left folds, as in a tree. */
  const fold = (key: string): boolean => {
    const line = lines[stop];
    const run = line?.kind === 'entry' ? runOf(line.entry) : null;
    if (run === null || partsWord(run) === null) return false;
    if ((key === 'ArrowRight') === byRun.has(run.id)) return false;
    attempts.getState().toggle(run.id);
    return true;
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    // The buttons of a row are pressed, not the row.
    if (event.target instanceof HTMLButtonElement) return;
    const line = lines[stop];
    const to = keyTarget(event.key, stop, lines.length);
    if (event.key === 'Enter') open(stop);
    else if (event.key === 'w' && line?.kind === 'entry') ask(line.entry);
    else if (event.key === 'ArrowRight' || event.key === 'ArrowLeft') {
      if (!fold(event.key)) return;
    } else if (to === null) return;
    else {
      setStop(to);
      rows.scrollToIndex(to, { align: 'auto' });
      requestAnimationFrame(() =>
        scroller.current
          ?.querySelector<HTMLElement>(`[data-entry-index="${to}"]`)
          ?.focus({ preventScroll: true }),
      );
    }
    event.preventDefault();
  };
  return (
    <div
      ref={scroller}
      role="grid"
      className="run-list"
      aria-label={words.name}
      aria-rowcount={lines.length + 1}
      onKeyDown={onKeyDown}
    >
      <RunsHead />
      <VirtualRows rows={rows} role="rowgroup">
        {(index) => {
          const line = lines[index];
          return line === undefined ? null : (
            <LineRow
              key={line.key}
              line={line}
              index={index}
              isStop={index === stop}
              shownRunId={shownRunId}
              onOpen={() => open(index)}
              onAsk={ask}
            />
          );
        }}
      </VirtualRows>
      {isLoadingMore ? <p className="run-more">{words.loadingMore}</p> : null}
    </div>
  );
}

function RunsHead() {
  return (
    <GridHead className="run-row run-head">
      <ColumnHeader>
        <span className="sr">{words.columns.state}</span>
      </ColumnHeader>
      <ColumnHeader>{words.columns.started}</ColumnHeader>
      <ColumnHeader className="run-took">{words.columns.took}</ColumnHeader>
      <ColumnHeader>{words.columns.why}</ColumnHeader>
      <ColumnHeader>
        <span className="sr">{words.columns.ask}</span>
      </ColumnHeader>
    </GridHead>
  );
}

const runOf = (entry: HistoryEntry): Run | null => (entry.entry === 'run' ? entry.run : null);

type LineRowProps = {
  line: Line;
  index: number;
  isStop: boolean;
  shownRunId: RunId | null;
  onOpen: () => void;
  onAsk: (entry: HistoryEntry) => void;
};

function LineRow({ line, index, isStop, shownRunId, onOpen, onAsk }: LineRowProps) {
  const run = line.kind === 'entry' ? runOf(line.entry) : line.run;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the grid around the rows handles every key
    <div
      role="row"
      className={`run-row${line.kind === 'entry' ? '' : ' run-row-part'}`}
      data-entry-index={index}
      aria-rowindex={index + 2}
      aria-selected={line.kind === 'entry' && run !== null && run.id === shownRunId}
      tabIndex={isStop ? 0 : -1}
      onClick={onOpen}
    >
      {line.kind === 'attempt' ? (
        <AttemptCells run={line.run} attempt={line.attempt} />
      ) : line.kind === 'wait' ? (
        <WaitCells wait={line.wait} />
      ) : (
        <>
          {line.entry.entry === 'run' ? (
            <RunCells run={line.entry.run} />
          ) : (
            <SkipCells decision={line.entry.decision} />
          )}
          <AskCell onAsk={() => onAsk(line.entry)} isStop={isStop} />
        </>
      )}
    </div>
  );
}
