/** Every run of a job and every due time that did not run, newest first. A run opens its log. */
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import type { JobDetail } from '../../../shared/ipc/contract';
import type { HistoryEntry, Run } from '../../../shared/model/run';
import { counted, duration, elapsed, fullMoment, momentToSecond, until } from '../../format';
import { entryKey } from '../../store/history';
import { useSelected } from '../../store/select';
import { EmptyState } from '../../ui/emptyState';
import { ColumnHeader, GridCell, GridHead } from '../../ui/grid';
import { SkeletonRows } from '../../ui/skeleton';
import { useRows, VirtualRows } from '../../ui/virtualRows';
import { Glyph } from '../glyph';
import { glyphOfSkip, skipSentence, skipWord } from '../skipWords';
import { useNow, useNowNear, useStores } from '../stores';
import { endWord, glyphOfRun, isBad, whySentence, whyWord } from '../words';
import { texts } from './texts';

const words = texts.runs;
const ROW_HEIGHT = 30;
const HEAD_HEIGHT = 26;
/** How close to the end the next page is fetched. */
const MORE_AHEAD_ROWS = 40;

export function RunsTab({ detail }: { detail: JobDetail }) {
  const { history } = useStores();
  const entries = useSelected(history, (state) => state.entries);
  const failure = useSelected(history, (state) => state.failure);
  const [due] = detail.upcoming;
  const now = useNowNear(due ?? null);
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
    return <EmptyState title={due === undefined ? words.none : words.noneDue(until(due, now))} />;
  }
  return <RunList entries={entries} />;
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

function RunList({ entries }: { entries: readonly HistoryEntry[] }) {
  const { history, place } = useStores();
  const isLoadingMore = useSelected(history, (state) => state.isLoadingMore);
  const shownRunId = useSelected(place, (state) => state.shownRunId);
  const scroller = useRef<HTMLDivElement>(null);
  const [stop, setStop] = useState(0);
  const rows = useRows({
    count: entries.length,
    rowHeight: ROW_HEIGHT,
    headHeight: HEAD_HEIGHT,
    scroller,
    keptIndex: stop,
  });
  const lastShown = rows.getVirtualItems().at(-1)?.index ?? 0;
  useEffect(() => {
    if (lastShown > entries.length - MORE_AHEAD_ROWS) void history.getState().more();
  }, [history, lastShown, entries.length]);
  const open = (index: number): void => {
    setStop(index);
    const entry = entries[index];
    if (entry?.entry === 'run') place.getState().change({ tab: 'log', shownRunId: entry.run.id });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const to = keyTarget(event.key, stop, entries.length);
    if (event.key === 'Enter') open(stop);
    else if (to === null) return;
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
      aria-rowcount={entries.length + 1}
      onKeyDown={onKeyDown}
    >
      <GridHead className="run-row run-head">
        <ColumnHeader>
          <span className="sr">{words.columns.state}</span>
        </ColumnHeader>
        <ColumnHeader>{words.columns.started}</ColumnHeader>
        <ColumnHeader className="run-took">{words.columns.took}</ColumnHeader>
        <ColumnHeader>{words.columns.why}</ColumnHeader>
      </GridHead>
      <VirtualRows rows={rows} role="rowgroup">
        {(index) => {
          const entry = entries[index];
          return entry === undefined ? null : (
            <EntryRow
              key={entryKey(entry)}
              entry={entry}
              index={index}
              isStop={index === stop}
              isShown={entry.entry === 'run' && entry.run.id === shownRunId}
              onOpen={() => open(index)}
            />
          );
        }}
      </VirtualRows>
      {isLoadingMore ? <p className="run-more">{words.loadingMore}</p> : null}
    </div>
  );
}

type EntryRowProps = {
  entry: HistoryEntry;
  index: number;
  isStop: boolean;
  isShown: boolean;
  onOpen: () => void;
};

function EntryRow({ entry, index, isStop, isShown, onOpen }: EntryRowProps) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the grid around the rows handles every key
    <div
      role="row"
      className="run-row"
      data-entry-index={index}
      aria-rowindex={index + 2}
      aria-selected={isShown}
      tabIndex={isStop ? 0 : -1}
      onClick={onOpen}
    >
      {entry.entry === 'run' ? <RunCells run={entry.run} /> : <SkipCells entry={entry} />}
    </div>
  );
}

/** What is worth saying about a run: how it ended if that is news, else why it exists. */
const reasonWord = (run: Run): string =>
  isBad(run) || run.outcome === 'cancelled' ? endWord(run) : whyWord(run);

function RunCells({ run }: { run: Run }) {
  const now = useNow('minute');
  const begun = run.startedAt ?? run.queuedAt;
  return (
    <>
      <GridCell className="run-state">
        <Glyph name={glyphOfRun(run)} size={14} />
      </GridCell>
      <GridCell className="num ellipsis" title={fullMoment(begun, now)}>
        {momentToSecond(begun, now)}
      </GridCell>
      <GridCell className="run-took num">
        {run.state === 'finished' ? <Took run={run} /> : <Going run={run} />}
      </GridCell>
      <GridCell className={`ellipsis${isBad(run) ? ' tone-fail' : ''}`} title={whySentence(run, now)}>
        {reasonWord(run)}
      </GridCell>
    </>
  );
}

const Took = ({ run }: { run: Run }) => (run.durationMs === null ? null : duration(run.durationMs));

function Going({ run }: { run: Run }) {
  const now = useNowNear(run.startedAt);
  return run.startedAt === null ? null : elapsed(now - run.startedAt);
}

function SkipCells({ entry }: { entry: Extract<HistoryEntry, { entry: 'skip' }> }) {
  const now = useNow('minute');
  const { decision } = entry;
  const isRange = decision.count > 1;
  const text = isRange ? `${skipWord(decision)}, ${counted(decision.count, 'due time')}` : skipWord(decision);
  const title = isRange
    ? `${words.range(
        counted(decision.count, 'due time'),
        fullMoment(decision.plannedAt, now),
        fullMoment(decision.untilAt, now),
      )}. ${skipSentence(decision)}`
    : `${fullMoment(decision.plannedAt, now)}. ${skipSentence(decision)}`;
  return (
    <>
      <GridCell className="run-state">
        <Glyph name={glyphOfSkip(decision)} size={14} />
      </GridCell>
      <GridCell className="num ellipsis" title={title}>
        {momentToSecond(decision.plannedAt, now)}
      </GridCell>
      <GridCell className="run-took">{null}</GridCell>
      <GridCell className="ellipsis" title={title}>
        {text}
      </GridCell>
    </>
  );
}
