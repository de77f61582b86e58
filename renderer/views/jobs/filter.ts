/**
 * The filter of the list: plain words, and the tokens `state:` and `tag:`, each of which may be turned round with a minus.
 * A token nobody knows is searched for as text. Filtering and sorting are pure, so that 4,096 rows take one frame.
 */
import type { JobRow, JobState } from '../../../shared/model/job';
import type { JobSort } from '../../store/place';

type Test = (row: JobRow) => boolean;
export type Filter = { readonly matches: Test; readonly unknown: readonly string[] };

/** A job whose last run failed is `failed` while the next one goes on; what it does now stands in its next due time. */
export const isRunning = ({ state, next }: JobRow): boolean => state === 'running' || next.code === 'running';

const FAILING: readonly JobState[] = ['failed', 'timed_out', 'abandoned'];

const STATES: Readonly<Record<string, readonly JobState[]>> = {
  failing: FAILING,
  failed: ['failed'],
  'timed-out': ['timed_out'],
  interrupted: ['abandoned'],
  running: ['running'],
  late: ['missed', 'caught_up'],
  missed: ['missed'],
  'caught-up': ['caught_up'],
  succeeded: ['succeeded'],
  stopped: ['cancelled'],
  skipped: ['skipped'],
  paused: ['paused'],
  'never-run': ['never_run'],
};

/** The filters behind the sidebar's views. */
export const viewFilters = {
  failing: 'state:failing',
  running: 'state:running',
  late: 'state:late',
  paused: 'state:paused',
} as const;

export const tagFilter = (tag: string): string => (/\s/.test(tag) ? `tag:"${tag}"` : `tag:${tag}`);

const tokensOf = (text: string): string[] => text.match(/-?[a-z]+:"[^"]*"?|"[^"]*"?|\S+/gi) ?? [];

const unquoted = (text: string): string => text.replaceAll('"', '');

const containsWord =
  (text: string): Test =>
  (row) =>
    `${row.name}\n${row.summary}\n${row.tags.join('\n')}`.toLowerCase().includes(text);

function stateTest(value: string): Test | null {
  const names = value.split(',').filter((name) => name !== '');
  const wanted = names.flatMap((name) => STATES[name] ?? []);
  if (names.length === 0 || names.some((name) => STATES[name] === undefined)) return null;
  return (row) => wanted.includes(row.state) || (wanted.includes('running') && isRunning(row));
}

const tagTest = (value: string): Test => {
  const wanted = value.split(',').filter((name) => name !== '');
  return (row) => row.tags.some((tag) => wanted.some((name) => tag.toLowerCase().startsWith(name)));
};

export function parseFilter(text: string): Filter {
  const tests: Test[] = [];
  const unknown: string[] = [];
  for (const token of tokensOf(text.toLowerCase())) {
    const [, minus = '', name, value = ''] = /^(-?)([a-z]+):(.*)$/.exec(token) ?? [];
    const isNegated = minus === '-';
    let test: Test | null = null;
    if (name === 'state') test = unquoted(value) === '' ? () => true : stateTest(unquoted(value));
    else if (name === 'tag') test = unquoted(value) === '' ? () => true : tagTest(unquoted(value));
    else if (name !== undefined) unknown.push(name);
    const found = test ?? containsWord(unquoted(token));
    tests.push(isNegated && test !== null ? (row) => !found(row) : found);
  }
  return { matches: (row) => tests.every((test) => test(row)), unknown };
}

/** Failed first, then late or missed, then running, then by next due time; what is off comes last. */
function attentionRank(row: JobRow): number {
  if (FAILING.includes(row.state)) return 0;
  if (row.state === 'missed' || row.state === 'caught_up') return 1;
  if (row.state === 'running') return 2;
  return row.state === 'paused' ? 4 : 3;
}

const LATER_THAN_ALL = Number.MAX_SAFE_INTEGER;

function dueAt(row: JobRow): number {
  if (row.next.code === 'due') return row.next.at;
  return row.next.code === 'running' || row.next.code === 'queued' ? 0 : LATER_THAN_ALL;
}

const collator = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });
const byName = (a: JobRow, b: JobRow): number => collator.compare(a.name, b.name);

const ORDERS: Readonly<Record<JobSort, (a: JobRow, b: JobRow) => number>> = {
  attention: (a, b) => attentionRank(a) - attentionRank(b) || dueAt(a) - dueAt(b) || byName(a, b),
  next: (a, b) => dueAt(a) - dueAt(b) || byName(a, b),
  name: byName,
  last_run: (a, b) => (b.lastRunAt ?? 0) - (a.lastRunAt ?? 0) || byName(a, b),
};

export const sortRows = (rows: readonly JobRow[], sort: JobSort): readonly JobRow[] =>
  [...rows].sort(ORDERS[sort]);

export type Counts = {
  readonly failing: number;
  readonly running: number;
  readonly late: number;
  readonly paused: number;
  /** By tag, in the order of the alphabet. */
  readonly tags: readonly (readonly [tag: string, count: number])[];
};

/** The numbers of the sidebar. */
export function countRows(rows: readonly JobRow[]): Counts {
  const of = (...states: JobState[]): number => rows.filter((row) => states.includes(row.state)).length;
  const tags = new Map<string, number>();
  for (const row of rows) for (const tag of row.tags) tags.set(tag, (tags.get(tag) ?? 0) + 1);
  return {
    failing: of(...FAILING),
    running: rows.filter(isRunning).length,
    late: of('missed', 'caught_up'),
    paused: of('paused'),
    tags: [...tags].sort(([a], [b]) => collator.compare(a, b)),
  };
}
