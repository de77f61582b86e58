/**
 * Where the user is and how the lists look. Closing the window destroys it, so this is kept in the page's own memory and
 * brought back when it opens again.
 */
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { JobId } from '../../shared/model/job';
import type { PauseScope } from '../../shared/model/pause';
import type { RunId } from '../../shared/model/run';

export type JobSort = 'attention' | 'next' | 'name' | 'last_run';
export type DetailTab = 'overview' | 'runs' | 'log';
export type Sidebar = 'auto' | 'rail' | 'over';

/** A question that waits for an answer before anything is done. */
export type Question =
  | { readonly ask: 'stop'; readonly runId: RunId; readonly name: string }
  | { readonly ask: 'delete_running'; readonly jobId: JobId; readonly name: string }
  /** The job has a run already; `canBeBeside`: its overlap policy allows several at once. */
  | {
      readonly ask: 'run_again';
      readonly jobId: JobId;
      readonly name: string;
      readonly canBeBeside: boolean;
    }
  /** `name` is of the job or the tag; empty for everything. */
  | { readonly ask: 'pause'; readonly scope: PauseScope; readonly name: string }
  | { readonly ask: 'take_over'; readonly pid: number | null; readonly runningCount: number }
  | { readonly ask: 'data' }
  | { readonly ask: 'leave_editor'; readonly go: () => void };

export type PlaceState = {
  readonly place: 'jobs' | 'editor';
  readonly selectedId: JobId | null;
  /** At the narrow width the detail lies over the list; this says that it is open. */
  readonly isDetailOpen: boolean;
  readonly tab: DetailTab;
  /** The run whose log is shown; null means the running or the latest one. */
  readonly shownRunId: RunId | null;
  readonly filter: string;
  readonly sort: JobSort;
  readonly sidebar: Sidebar;
  readonly isLogWrapped: boolean;
  readonly hasLogTimes: boolean;
  /** The end of the last sleep whose note was closed; 0 for none. */
  readonly seenGapAt: number;
  readonly question: Question | null;
  change(part: Partial<PlaceData>): void;
  /** Makes a job the selected one; its tab stays, the shown run does not. */
  select(jobId: JobId | null): void;
};

type PlaceData = Omit<PlaceState, 'change' | 'select'>;

/** Text that outlives the page. */
export type Memory = { read(): string | null; write(text: string): void };

const KEPT = [
  'selectedId',
  'tab',
  'filter',
  'sort',
  'sidebar',
  'isLogWrapped',
  'hasLogTimes',
  'seenGapAt',
] as const;

const START: PlaceData = {
  place: 'jobs',
  selectedId: null,
  isDetailOpen: false,
  tab: 'overview',
  shownRunId: null,
  filter: '',
  sort: 'attention',
  sidebar: 'auto',
  isLogWrapped: true,
  hasLogTimes: true,
  seenGapAt: 0,
  question: null,
};

const CHOICES: Readonly<Partial<Record<(typeof KEPT)[number], readonly string[]>>> = {
  tab: ['overview', 'runs', 'log'],
  sort: ['attention', 'next', 'name', 'last_run'],
  sidebar: ['auto', 'rail'],
};

/** What was kept, as far as it still makes sense: an older version may have written it. */
function remembered(memory: Memory): Partial<PlaceData> {
  const text = memory.read();
  if (text === null) return {};
  let kept: unknown;
  try {
    kept = JSON.parse(text);
  } catch {
    return {};
  }
  if (typeof kept !== 'object' || kept === null) return {};
  const found: Record<string, unknown> = {};
  for (const name of KEPT) {
    const value = (kept as Record<string, unknown>)[name];
    const choices = CHOICES[name];
    const fits =
      choices === undefined
        ? typeof value === typeof START[name] || (name === 'selectedId' && typeof value === 'string')
        : choices.includes(String(value));
    if (fits) found[name] = value;
  }
  return found as Partial<PlaceData>;
}

export function createPlaceStore(memory: Memory): StoreApi<PlaceState> {
  const store = createStore<PlaceState>((set) => ({
    ...START,
    ...remembered(memory),
    change: (part) => set(part),
    select: (jobId) => set({ selectedId: jobId, shownRunId: null }),
  }));
  let written = '';
  store.subscribe((state) => {
    const text = JSON.stringify(Object.fromEntries(KEPT.map((name) => [name, state[name]])));
    if (text !== written) memory.write(text);
    written = text;
  });
  return store;
}
