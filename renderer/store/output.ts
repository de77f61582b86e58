/**
 * Output of one run as windows over its lines: what a view needs is fetched in pieces, what it left behind is let go. A
 * live run is followed by its announcements; only the piece that grew is asked for again.
 */
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { Bridge } from '../../shared/ipc/contract';
import { OUTPUT_LINES_MAX, type OutputLine, type OutputPage } from '../../shared/model/output';
import type { RunId } from '../../shared/model/run';
import type { Failure } from '../../shared/result';
import { type Attention, createRefresher } from './refresh';

export const PIECE_LINES = 500;
/** Characters of all pieces together; at two bytes each this stays well under the 32 MB of a log viewer. */
const KEPT_CHARACTERS_MAX = 10_000_000;
/** A search stops here: a person looking at more lines than this needs another tool. */
export const SEARCH_LINES_MAX = 1_000_000;

export type Totals = Omit<OutputPage, 'lines'>;
export type Search = {
  readonly text: string;
  /** Numbers of the lines that match, ascending. */
  readonly found: readonly number[];
  readonly isDone: boolean;
};

export type OutputState = {
  readonly runId: RunId | null;
  /** null until the first answer about `runId`. */
  readonly totals: Totals | null;
  readonly failure: Failure | null;
  /** By number of the piece. */
  readonly pieces: ReadonlyMap<number, readonly OutputLine[]>;
  readonly search: Search | null;
  open(runId: RunId | null): void;
  /** Makes sure that these lines, ends included, are here or on their way. */
  need(first: number, last: number): void;
  /** Every line from `first` on, for copying, at most `count`. */
  read(first: number, count: number): Promise<readonly OutputLine[]>;
  find(text: string, isMatch: (line: string) => boolean): Promise<void>;
  refresh(): void;
};

export const lineAt = (state: OutputState, number: number): OutputLine | undefined =>
  state.pieces.get(Math.floor(number / PIECE_LINES))?.[number % PIECE_LINES];

/** Puts lines in their pieces. `lines` begins at the start of a piece. */
function inPieces(
  before: ReadonlyMap<number, readonly OutputLine[]>,
  lines: readonly OutputLine[],
): ReadonlyMap<number, readonly OutputLine[]> {
  const pieces = new Map(before);
  for (let at = 0; at < lines.length; at += PIECE_LINES) {
    const first = lines[at];
    if (first === undefined) continue;
    const number = Math.floor(first.number / PIECE_LINES);
    pieces.delete(number);
    pieces.set(number, lines.slice(at, at + PIECE_LINES));
  }
  return withinLimit(pieces);
}

/** Lets the longest unused pieces go. A map keeps the order in which its entries were set. */
function withinLimit(pieces: Map<number, readonly OutputLine[]>): ReadonlyMap<number, readonly OutputLine[]> {
  const sizeOf = (lines: readonly OutputLine[]): number =>
    lines.reduce((sum, line) => sum + line.text.length, 0);
  let total = 0;
  for (const lines of pieces.values()) total += sizeOf(lines);
  for (const [number, lines] of pieces) {
    if (total <= KEPT_CHARACTERS_MAX || pieces.size === 1) break;
    pieces.delete(number);
    total -= sizeOf(lines);
  }
  return pieces;
}

const CLOSED = { totals: null, failure: null, pieces: new Map(), search: null } as const;

export function createOutputStore(bridge: Bridge, attention: Attention): StoreApi<OutputState> {
  const asked = new Set<number>();

  /** Reads and keeps; an answer about a run that is no longer open is dropped. */
  const load = async (runId: RunId, from: number, count: number): Promise<void> => {
    const reply = await bridge.request('output.read', { runId, from, count });
    if (store.getState().runId !== runId) return;
    if (!reply.ok) {
      store.setState({ failure: reply.error });
      return;
    }
    const { lines, ...totals } = reply.value;
    store.setState((state) => {
      // A cut moves every line after it, so what was read before it is no longer where it was.
      const isMoved = state.totals !== null && state.totals.droppedBytes !== totals.droppedBytes;
      if (isMoved) asked.clear();
      return { totals, failure: null, pieces: inPieces(isMoved ? new Map() : state.pieces, lines) };
    });
  };

  const askForEnd = createRefresher(async () => {
    const { runId, totals } = store.getState();
    if (runId === null) return;
    const end = totals === null ? 0 : Math.max(0, totals.lineCount - 1);
    const start = Math.floor(end / PIECE_LINES) * PIECE_LINES;
    await load(runId, start, totals === null ? 0 : OUTPUT_LINES_MAX);
  }, attention);

  const need = (first: number, last: number): void => {
    const { runId, totals, pieces } = store.getState();
    if (runId === null || totals === null || totals.lineCount === 0) return;
    const end = Math.min(last, totals.lineCount - 1);
    for (let at = Math.floor(Math.max(0, first) / PIECE_LINES); at * PIECE_LINES <= end; at += 1) {
      if (pieces.has(at) || asked.has(at)) continue;
      asked.add(at);
      void load(runId, at * PIECE_LINES, PIECE_LINES).then(() => asked.delete(at));
    }
  };

  const read = async (first: number, count: number): Promise<readonly OutputLine[]> => {
    const { runId } = store.getState();
    const lines: OutputLine[] = [];
    while (runId !== null && lines.length < count) {
      const from = first + lines.length;
      const page = Math.min(OUTPUT_LINES_MAX, count - lines.length);
      const reply = await bridge.request('output.read', { runId, from, count: page });
      if (!reply.ok || reply.value.lines.length === 0) break;
      lines.push(...reply.value.lines);
    }
    return lines;
  };

  const find = async (text: string, isMatch: (line: string) => boolean): Promise<void> => {
    if (text === '') {
      store.setState({ search: null });
      return;
    }
    const begun: Search = { text, found: [], isDone: false };
    store.setState({ search: begun });
    const isWanted = (): boolean => store.getState().search?.text === text;
    const found: number[] = [];
    for (let from = 0; from < SEARCH_LINES_MAX && isWanted(); from += OUTPUT_LINES_MAX) {
      const lines = await read(from, OUTPUT_LINES_MAX);
      for (const line of lines) if (isMatch(line.text)) found.push(line.number);
      const isDone = lines.length < OUTPUT_LINES_MAX;
      if (isWanted()) store.setState({ search: { text, found: [...found], isDone } });
      if (isDone) return;
    }
    if (isWanted()) store.setState({ search: { text, found, isDone: true } });
  };

  const store: StoreApi<OutputState> = createStore<OutputState>((set, get) => ({
    runId: null,
    ...CLOSED,
    open: (runId) => {
      if (runId === get().runId) return;
      asked.clear();
      set({ runId, ...CLOSED });
      askForEnd();
    },
    need,
    read,
    find,
    refresh: askForEnd,
  }));
  const follow = ({ runId }: { runId: RunId }): void => {
    if (runId === store.getState().runId) askForEnd();
  };
  bridge.subscribe('output.grew', follow);
  bridge.subscribe('runs.changed', follow);
  return store;
}
