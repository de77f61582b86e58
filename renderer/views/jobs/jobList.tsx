/**
 * The list of jobs as a grid with one tab stop. Selection follows the focus and is kept by id, so that neither sorting nor
 * scrolling nor a live update takes it away.
 */
import {
  type KeyboardEvent,
  type RefObject,
  useCallback,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import type { JobId, JobRow as Row } from '../../../shared/model/job';
import { useSelected } from '../../store/select';
import { ColumnHeader, GridHead } from '../../ui/grid';
import { useIsNarrow } from '../../ui/layout';
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
const HEAD_HEIGHT = 27;

type JobListProps = { rows: readonly Row[]; onHold: (isHeld: boolean) => void };

/**
 * Gives the focus to a row once that row is in the page. Whoever comes to the list, at the start or from the editor, is in
 * its selected row at once, unless something else has the focus already.
 */
function useRowFocus(scroller: RefObject<HTMLDivElement | null>) {
  const wanted = useRef<JobId | 'selected' | null>(
    document.activeElement === document.body ? 'selected' : null,
  );
  const isInside = useRef(false);
  useLayoutEffect(() => {
    // The row that had the focus is gone, deleted or filtered away: the selected one takes over.
    if (isInside.current && document.activeElement === document.body) wanted.current = 'selected';
    if (wanted.current === null) return;
    const place = wanted.current === 'selected' ? '[aria-selected="true"]' : `[data-job="${wanted.current}"]`;
    const row = scroller.current?.querySelector<HTMLElement>(place);
    if (row === null || row === undefined) return;
    wanted.current = null;
    row.focus({ preventScroll: true });
  });
  return { wanted, isInside };
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
  const selectedId = useSelected(place, (state) => state.selectedId);
  const scroller = useRef<HTMLDivElement>(null);
  const { wanted, isInside } = useRowFocus(scroller);
  const [menu, setMenu] = useState<(Place & { jobId: JobId }) | null>(null);
  const index = rows.findIndex((row) => row.id === selectedId);
  const virtual = useRows({
    count: rows.length,
    rowHeight: ROW_HEIGHT,
    headHeight: HEAD_HEIGHT,
    scroller,
    keptIndex: index,
    keyOf: (at) => rows[at]?.id ?? at,
  });
  const select = useCallback(
    (jobId: JobId) => {
      place.getState().select(jobId);
      if (isNarrow) place.getState().change({ isDetailOpen: true });
    },
    [place, isNarrow],
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
    place.getState().select(row.id);
    virtual.scrollToIndex(to, { align: 'auto' });
  };
  const onKeyDown = useListCommands(rows, index, move, () => {
    const row = scroller.current?.querySelector(`[data-job="${selectedId}"]`)?.getBoundingClientRect();
    if (row !== undefined && selectedId !== null) openMenu(selectedId, row.left + 40, row.bottom - 4);
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
        onFocus={() => {
          isInside.current = true;
          onHold(true);
        }}
        onBlur={() => {
          isInside.current = false;
          onHold(false);
        }}
        onPointerEnter={() => onHold(true)}
        onPointerLeave={() => onHold(false)}
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

/** Turns key presses into movements and into what is done to the selected job. */
function useListCommands(
  rows: readonly Row[],
  index: number,
  move: (index: number) => void,
  openMenu: () => void,
): (event: KeyboardEvent) => void {
  const { place, navigation } = useStores();
  const actions = useJobActions();
  const handle = useMemo(createListKeys, []);
  const command = (name: ListCommand): void => {
    const row = rows[Math.max(0, index)];
    if (name === 'new') navigation.newJob();
    else if (name === 'filter') focusRegion('filter');
    else if (row !== undefined) {
      const acts: Readonly<Record<Exclude<ListCommand, 'new' | 'filter'>, () => void>> = {
        open: () => {
          place.getState().select(row.id);
          place.getState().change({ isDetailOpen: true });
          requestAnimationFrame(() => focusRegion('detail'));
        },
        run: () => actions.run(row.id, row.name),
        stop: () => actions.stopJob(row.id, row.name),
        edit: () => navigation.editJob(row.id),
        toggle: () => actions.setEnabled(row.id, row.name, !row.isEnabled),
        remove: () => actions.remove(row.id, row.name),
        duplicate: () => actions.duplicate(row.id),
        menu: openMenu,
      };
      acts[name]();
    }
  };
  return (event) =>
    handle(event, { rows, index, pageRows: PAGE_ROWS, now: () => event.timeStamp, move, command });
}

const PAGE_ROWS = 10;
