/**
 * The lines of a log. Only those in view are in the page; they are fetched in windows. Following a live run never moves the
 * focus, and scrolling up ends it.
 */
import { ArrowDown } from 'lucide-react';
import { type RefObject, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import type { Run } from '../../../shared/model/run';
import { counted, size } from '../../format';
import { lineAt, type Totals } from '../../store/output';
import { useSelected } from '../../store/select';
import { Button } from '../../ui/button';
import { hasMod } from '../../ui/shortcut';
import { useRows, VirtualRows } from '../../ui/virtualRows';
import { useStores } from '../stores';
import { endSentence, isBad } from '../words';
import { LogLine } from './logLine';
import { LogToolbar, useCopyLog } from './logToolbar';
import { texts } from './texts';

const words = texts.log;
const LINE_HEIGHT = 17;
/** Lines may be announced no more often than this. */
const ANNOUNCE_MS = 10_000;

type Item =
  | { readonly kind: 'line'; readonly number: number }
  | { readonly kind: 'cut' }
  | { readonly kind: 'end' };

/** The lines with the row for a cut in its place and the end of the run below. */
function itemAt(index: number, totals: Totals): Item {
  const cut = totals.droppedBefore;
  if (cut !== null && index === cut) return { kind: 'cut' };
  const number = cut !== null && index > cut ? index - 1 : index;
  return number < totals.lineCount ? { kind: 'line', number } : { kind: 'end' };
}

const itemCount = (totals: Totals, hasEnd: boolean): number =>
  totals.lineCount + (totals.droppedBefore === null ? 0 : 1) + (hasEnd ? 1 : 0);

/** Where a line stands among the items. */
const indexOfLine = (number: number, { droppedBefore }: Totals): number =>
  droppedBefore !== null && number >= droppedBefore ? number + 1 : number;

export function LogView({ run }: { run: Run }) {
  const { output, place } = useStores();
  const totals = useSelected(output, (state) => state.totals);
  const pieces = useSelected(output, (state) => state.pieces);
  const search = useSelected(output, (state) => state.search);
  const isWrapped = useSelected(place, (state) => state.isLogWrapped);
  const hasTimes = useSelected(place, (state) => state.hasLogTimes);
  const copyLog = useCopyLog();
  const [foundAt, setFoundAt] = useState(0);
  const scroller = useRef<HTMLDivElement>(null);
  const hasEnd = run.state === 'finished';
  const rows = useRows({
    count: totals === null ? 0 : itemCount(totals, hasEnd),
    rowHeight: LINE_HEIGHT,
    scroller,
  });
  const follow = useFollow(scroller, rows.options.count, totals, rows.scrollToIndex);
  useNeededLines(rows.getVirtualItems(), totals, pieces);
  useSpokenGrowth(totals);
  const found = search?.found[foundAt];
  const go = useCallback(
    (at: number) => {
      setFoundAt(at);
      const { search: now, totals: known } = output.getState();
      const number = now?.found[at];
      if (number === undefined || known === null) return;
      follow.stop();
      rows.scrollToIndex(indexOfLine(number, known), { align: 'center' });
    },
    [output, rows, follow],
  );
  if (totals === null) return null;
  const isEmpty = totals.lineCount === 0 && !hasEnd;
  return (
    <>
      <LogToolbar
        run={run}
        foundAt={foundAt}
        onGo={go}
        onLeave={() => scroller.current?.focus({ preventScroll: true })}
        isFollowing={follow.isOn}
        onFollow={follow.set}
      />
      <div
        ref={scroller}
        role="log"
        aria-live="off"
        aria-label={words.name}
        className={`log${isWrapped ? ' log-wrapped' : ''}`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolled area has to be reachable by keyboard
        tabIndex={0}
        onScroll={follow.onScroll}
        onKeyDown={(event) => {
          if (!hasMod(event) || event.key.toLowerCase() !== 'a') return;
          event.preventDefault();
          window.getSelection()?.selectAllChildren(event.currentTarget);
        }}
        onCopy={(event) => {
          // All of the log is more than the lines that are in the page.
          if (window.getSelection()?.anchorNode !== event.currentTarget) return;
          event.preventDefault();
          void copyLog();
        }}
      >
        {isEmpty ? <p className="log-empty">{words.empty}</p> : null}
        <VirtualRows rows={rows} isMeasured>
          {(index) => {
            const item = itemAt(index, totals);
            if (item.kind === 'cut') return <p className="log-cut">{words.cut(size(totals.droppedBytes))}</p>;
            if (item.kind === 'end') return <EndLine run={run} />;
            return (
              <LogLine
                number={item.number}
                line={lineAt(output.getState(), item.number)}
                hasTime={hasTimes}
                sought={search?.text ?? ''}
                isCurrent={item.number === found}
              />
            );
          }}
        </VirtualRows>
      </div>
      {follow.newCount > 0 ? (
        <div className="log-new">
          <Button
            isSmall
            icon={ArrowDown}
            onPress={() => {
              follow.set(true);
              // The button goes away with what it told.
              scroller.current?.focus({ preventScroll: true });
            }}
          >
            {words.newLines(counted(follow.newCount, 'new line'))}
          </Button>
        </div>
      ) : null}
      <Footer run={run} totals={totals} />
    </>
  );
}

function EndLine({ run }: { run: Run }) {
  return <p className={`log-end${isBad(run) ? ' tone-fail' : ''}`}>{endSentence(run)}</p>;
}

function Footer({ run, totals }: { run: Run; totals: Totals }) {
  const errors = totals.stderrLineCount;
  return (
    <div className="log-footer">
      <span className="num">
        {totals.droppedBytes === 0
          ? words.footer(counted(totals.lineCount, 'line'), size(totals.byteCount))
          : words.footerCut(
              counted(totals.lineCount, 'line'),
              size(totals.byteCount),
              size(totals.droppedBytes),
            )}
        {errors === 0 ? '' : words.errors(counted(errors, 'error line'))}
      </span>
      <span className="grow" />
      <span>
        {run.wasAdopted ? `${words.adopted} ` : ''}
        {totals.isLive ? words.live : run.state === 'finished' ? words.ended : ''}
      </span>
    </div>
  );
}

type Follow = {
  readonly isOn: boolean;
  readonly newCount: number;
  set(isOn: boolean): void;
  stop(): void;
  onScroll(): void;
};

/** Keeps the end in view while it grows, until somebody scrolls away from it. */
function useFollow(
  scroller: RefObject<HTMLDivElement | null>,
  count: number,
  totals: Totals | null,
  scrollToIndex: (index: number, options: { align: 'end' }) => void,
): Follow {
  const [isOn, setOn] = useState(true);
  const [seenCount, setSeenCount] = useState(0);
  const lastTop = useRef(0);
  const lineCount = totals?.lineCount ?? 0;
  useLayoutEffect(() => {
    if (isOn && count > 0) scrollToIndex(count - 1, { align: 'end' });
  }, [isOn, count, scrollToIndex]);
  if (isOn && seenCount !== lineCount) setSeenCount(lineCount);
  return useMemo(
    () => ({
      isOn,
      newCount: isOn ? 0 : Math.max(0, lineCount - seenCount),
      set: setOn,
      stop: () => setOn(false),
      onScroll: () => {
        const area = scroller.current;
        if (area === null) return;
        const isUp = area.scrollTop < lastTop.current - 1;
        const isAtEnd = area.scrollHeight - area.scrollTop - area.clientHeight < LINE_HEIGHT;
        lastTop.current = area.scrollTop;
        if (isAtEnd) setOn(true);
        else if (isUp) setOn(false);
      },
    }),
    [isOn, lineCount, seenCount, scroller],
  );
}

/** Fetches the lines in view. `pieces` is named so that lines which were let go are fetched again. */
function useNeededLines(
  items: readonly { readonly index: number }[],
  totals: Totals | null,
  pieces: ReadonlyMap<number, unknown>,
): void {
  const { output } = useStores();
  const first = items[0]?.index ?? 0;
  const last = items.at(-1)?.index ?? -1;
  useEffect(() => {
    if (totals !== null && last >= 0 && pieces !== undefined) output.getState().need(first - 1, last);
  }, [output, first, last, totals, pieces]);
}

/** Tells screen readers of a live run how much came, not what. */
function useSpokenGrowth(totals: Totals | null): void {
  const { notices } = useStores();
  const latest = useRef(totals);
  latest.current = totals;
  const isLive = totals?.isLive ?? false;
  useEffect(() => {
    if (!isLive) return;
    let told = latest.current;
    const timer = setInterval(() => {
      const now = latest.current;
      const lines = (now?.lineCount ?? 0) - (told?.lineCount ?? 0);
      const errors = (now?.stderrLineCount ?? 0) - (told?.stderrLineCount ?? 0);
      told = now;
      if (lines > 0) {
        notices.getState().say(words.said(counted(lines, 'new line'), counted(errors, 'error line')));
      }
    }, ANNOUNCE_MS);
    return () => clearInterval(timer);
  }, [isLive, notices]);
}
