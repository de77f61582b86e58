/**
 * The list of jobs as a grid with one tab stop. Selection follows the focus and is kept by id, so that neither sorting nor
 * scrolling nor a live update takes it away.
 */
import {
  type FocusEvent,
  type KeyboardEvent,
  type RefObject,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import type { JobId, JobRow as Row } from '../../../shared/model/job';
import { useSelected } from '../../store/select';
import { ColumnHeader, GridHead } from '../../ui/grid';
import { useIsNarrow, useIsSlim } from '../../ui/layout';
import { ContextMenu, type Place } from '../../ui/menu';
import { focusRegion } from '../../ui/regions';
import { useRows, VirtualRows } from '../../ui/virtualRows';
import { useStores } from '../stores';
import { useJobActions } from './actions';
import { JobRow } from './jobRow';
import { createListKeys, type ListCommand } from './listKeys';
import { rowEntries } from './rowMenu';
import { texts } from './texts';

const ROW_HEIGHT = 32;
/** With the schedule as a second line under the name. */
const TALL_ROW_HEIGHT = 46;
const HEAD_HEIGHT = 27;

type JobListProps = { rows: readonly Row[]; onHold: (isHeld: boolean) => void };

/**
 * Gives the focus to a row once that row is in the page. Whoever comes to the list, at the start or from the editor, is in
 * its selected row at once, unless something else has the focus already. A job that becomes the selected one in another
 * way than by moving, a copy or one that was brought back, takes the focus of the list with it.
 */
function useRowFocus(scroller: RefObject<HTMLDivElement | null>, selectedId: JobId | null) {
  const wanted = useRef<JobId | 'selected' | null>(null);
  const isInside = useRef(false);
  const followedId = useRef<JobId | null | undefined>(undefined);
  useLayoutEffect(() => {
    const isLost = document.activeElement === document.body;
    const isNew = followedId.current !== selectedId;
    followedId.current = selectedId;
    // The row that had the focus is gone, deleted or filtered away: the selected one takes over.
    if (isInside.current ? isLost || (isNew && wanted.current === null) : isNew && isLost)
      wanted.current = 'selected';
    if (wanted.current === null) return;
    const place = wanted.current === 'selected' ? '[aria-selected="true"]' : `[data-job="${wanted.current}"]`;
    const row = scroller.current?.querySelector<HTMLElement>(place);
    if (row === null || row === undefined) return;
    wanted.current = null;
    row.focus({ preventScroll: true });
  });
  return { wanted, isInside };
}

/** Tells whether somebody is in the list, with the pointer or with the focus: each is inside until it has left itself. */
function useHold(isInside: RefObject<boolean>, onHold: (isHeld: boolean) => void) {
  const isPointed = useRef(false);
  const tell = (): void => onHold(isPointed.current || isInside.current);
  // A list that goes away, because the filter finds nothing, holds nothing any more.
  useEffect(() => () => onHold(false), [onHold]);
  const point = (isOver: boolean) => () => {
    isPointed.current = isOver;
    tell();
  };
  return {
    onFocus: () => {
      isInside.current = true;
      tell();
    },
    onBlur: (event: FocusEvent<HTMLElement>) => {
      // From one row to another is not out of the list: rows must not move under a click that is half done.
      if (event.relatedTarget instanceof Node && event.currentTarget.contains(event.relatedTarget)) return;
      isInside.current = false;
      tell();
    },
    onPointerEnter: point(true),
    onPointerLeave: point(false),
  };
}

function Head() {
  return (
    <GridHead className="job-row job-head">
      <ColumnHeader>
        <span className="sr">{texts.columns.state}</span>
      </ColumnHeader>
      <ColumnHeader>{texts.columns.job}</ColumnHeader>
      <ColumnHeader>{texts.columns.schedule}</ColumnHeader>
      <ColumnHeader>{texts.columns.strip}</ColumnHeader>
      <ColumnHeader className="job-next">{texts.columns.next}</ColumnHeader>
    </GridHead>
  );
}

export function JobList({ rows, onHold }: JobListProps) {
  const { place } = useStores();
  const isNarrow = useIsNarrow();
  const rowHeight = useIsSlim() ? TALL_ROW_HEIGHT : ROW_HEIGHT;
  const selectedId = useSelected(place, (state) => state.selectedId);
  const scroller = useRef<HTMLDivElement>(null);
  const { wanted, isInside } = useRowFocus(scroller, selectedId);
  const hold = useHold(isInside, onHold);
  const [menu, setMenu] = useState<(Place & { jobId: JobId }) | null>(null);
  const index = rows.findIndex((row) => row.id === selectedId);
  // The same function until the rows change: a new one makes every row be measured anew.
  const keyOf = useCallback((at: number) => rows[at]?.id ?? at, [rows]);
  const virtual = useRows({
    count: rows.length,
    rowHeight,
    headHeight: HEAD_HEIGHT,
    scroller,
    keptIndex: index,
    keyOf,
  });
  const scrollTo = virtual.scrollToIndex;
  const latestIndex = useRef(index);
  latestIndex.current = index;
  const isListed = index >= 0;
  useEffect(() => {
    // Named so that another selected job, or one that has just come into the list, is brought into view.
    if (selectedId !== null && isListed) scrollTo(latestIndex.current, { align: 'auto' });
  }, [selectedId, isListed, scrollTo]);
  const select = useCallback(
    (jobId: JobId) => {
      if (place.getState().selectedId !== jobId) place.getState().select(jobId);
    },
    [place],
  );
  const open = useCallback(
    (jobId: JobId) => {
      select(jobId);
      if (isNarrow) place.getState().change({ isDetailOpen: true });
    },
    [place, select, isNarrow],
  );
  const openMenu = useCallback(
    (jobId: JobId, x: number, y: number) => {
      place.getState().select(jobId);
      setMenu({ jobId, x, y });
    },
    [place],
  );
  const move = (to: number): void => {
    const row = rows[to];
    if (row === undefined) return;
    wanted.current = row.id;
    select(row.id);
    scrollTo(to, { align: 'auto' });
  };
  const onKeyDown = useListCommands(rows, index, move, (jobId) => {
    const row = scroller.current?.querySelector(`[data-job="${jobId}"]`)?.getBoundingClientRect();
    if (row !== undefined) openMenu(jobId, row.left + 40, row.bottom - 4);
  });
  return (
    <>
      <div
        ref={scroller}
        role="grid"
        className="job-list"
        aria-label={texts.list}
        aria-rowcount={rows.length + 1}
        data-entry="rows"
        onKeyDown={onKeyDown}
        {...hold}
      >
        <Head />
        <VirtualRows rows={virtual} role="rowgroup">
          {(at) => {
            const row = rows[at];
            return row === undefined ? null : (
              <JobRow
                row={row}
                index={at}
                isSelected={at === index}
                isTabStop={at === Math.max(0, index)}
                onSelect={select}
                onOpen={open}
                onMenu={openMenu}
              />
            );
          }}
        </VirtualRows>
      </div>
      <ListMenu rows={rows} at={menu} onClose={() => setMenu(null)} />
    </>
  );
}

/** The context menu, for whatever row it was opened on. */
function ListMenu(props: {
  rows: readonly Row[];
  at: (Place & { jobId: JobId }) | null;
  onClose: () => void;
}) {
  const { rows, at, onClose } = props;
  const { navigation } = useStores();
  const actions = useJobActions();
  const row = at === null ? undefined : rows.find((one) => one.id === at.jobId);
  return (
    <ContextMenu
      label={texts.actions.menu}
      at={row === undefined ? null : at}
      entries={row === undefined ? [] : rowEntries(row, actions, navigation)}
      onClose={onClose}
    />
  );
}

/**
 * Turns key presses into movements and into what is done to a job: the one whose row has the focus, which is what the ring
 * around it promises, whatever is selected at that moment.
 */
function useListCommands(
  rows: readonly Row[],
  index: number,
  move: (index: number) => void,
  openMenu: (jobId: JobId) => void,
): (event: KeyboardEvent) => void {
  const { place, navigation, notices } = useStores();
  const actions = useJobActions();
  const handle = useMemo(createListKeys, []);
  const command = (name: ListCommand, at: number): void => {
    const row = rows[at];
    if (name === 'new') navigation.newJob();
    else if (name === 'filter') focusRegion('filter');
    else if (row !== undefined) {
      const acts: Readonly<Record<Exclude<ListCommand, 'new' | 'filter'>, () => void>> = {
        open: () => {
          place.getState().change({ isDetailOpen: true });
          requestAnimationFrame(() => focusRegion('detail'));
        },
        run: () => actions.run(row.id, row.name),
        stop: () => actions.stopJob(row.id, row.name),
        edit: () => navigation.editJob(row.id),
        toggle: () => actions.setEnabled(row.id, row.name, !row.isEnabled),
        remove: () => actions.remove(row.id, row.name),
        duplicate: () => actions.duplicate(row.id),
        menu: () => openMenu(row.id),
      };
      if (place.getState().selectedId !== row.id) place.getState().select(row.id);
      const isUnreadable = row.disabledReason === 'quarantined';
      if (isUnreadable && NEEDS_SETTINGS.has(name)) notices.getState().show(texts.said.unreadable);
      else acts[name]();
    }
  };
  return (event) => {
    const focusedId =
      event.target instanceof HTMLElement
        ? event.target.closest<HTMLElement>('[data-job]')?.dataset.job
        : null;
    const focused = rows.findIndex((row) => row.id === focusedId);
    const at = focused >= 0 ? focused : Math.max(0, index);
    handle(event, {
      rows,
      index: at,
      pageRows: PAGE_ROWS,
      now: () => event.timeStamp,
      move,
      command: (name) => command(name, at),
    });
  };
}

const PAGE_ROWS = 10;
/** What cannot be done to a job whose stored form cannot be read. */
const NEEDS_SETTINGS: ReadonlySet<ListCommand> = new Set(['run', 'edit', 'toggle', 'duplicate']);
