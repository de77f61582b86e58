/**
 * Reads a table of a damaged store in the order of its key, around each damaged page. Where rows are numbered the next readable one is
 * looked for further and further on, and what lies between is halved; elsewhere the table is read from both sides.
 */

import { StoreError } from '../core/storeError';
import type { Connection, Row, Value } from './connection';

/** Rows that are read at a time. */
const PORTION = 200;

export type Table = {
  readonly name: string;
  readonly columns: readonly string[];
  readonly key: readonly string[];
  /** By SQLite's own row number, which may be halved. */
  readonly isNumbered: boolean;
};

type Reading = {
  gapCount: number;
  /** The last number that could not be read. */
  gapEnd: number | null;
  readonly take: (rows: readonly Row[]) => void;
};

/** Hands each readable row to `take`, once. Returns at how many places something could not be read. */
export function walkTable(source: Connection, table: Table, take: (rows: readonly Row[]) => void): number {
  const reading: Reading = { gapCount: 0, gapEnd: null, take };
  if (table.isNumbered) walkByNumber(source, table, reading);
  else walkFromBothSides(source, table, reading);
  return reading.gapCount;
}

function walkFromBothSides(source: Connection, table: Table, reading: Reading): void {
  const forward = readFrom(source, table, reading, { isForward: true, after: null, until: null });
  if (forward.isWhole) return;
  reading.gapCount += 1;
  readFrom(source, table, reading, { isForward: false, after: null, until: forward.last });
}

function walkByNumber(source: Connection, table: Table, reading: Reading): void {
  for (let after: readonly Value[] | null = null; ; ) {
    const read = readFrom(source, table, reading, { isForward: true, after, until: null });
    if (read.isWhole) return;
    const low = Number(read.last?.[0] ?? 0);
    reading.gapCount += 1;
    reading.gapEnd = low;
    const next = findNext(source, table, low);
    if (next === null) return;
    readBetween(source, table, reading, { low, high: next.number });
    if (next.isEnd) return;
    after = [next.number - 1];
  }
}

/** The number of a readable row beyond `low`, or one beyond the last row; null if nothing further on can be read. */
function findNext(
  source: Connection,
  table: Table,
  low: number,
): { readonly number: number; readonly isEnd: boolean } | null {
  for (let step = 1; low + step < Number.MAX_SAFE_INTEGER; step *= 2) {
    const after = [low + step];
    const rows = readable(() => page(source, table, { after, until: null, isForward: true, limit: 1 }));
    if (rows === null) continue;
    const [row] = rows;
    return row === undefined
      ? { number: low + step + 1, isEnd: true }
      : { number: Number(row.key0), isEnd: false };
  }
  return null;
}

/** null if the file is damaged there. */
export function readable<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof StoreError && (error.code === 'corrupt' || error.code === 'io')) return null;
    throw error;
  }
}

const tuple = (names: readonly string[]): string => `(${names.join(', ')})`;

type Span = {
  /** Not these themselves; null: from the end that the direction begins at, or to the other one. */
  readonly after: readonly Value[] | null;
  readonly until: readonly Value[] | null;
  readonly isForward: boolean;
  readonly limit: number;
};

function page(source: Connection, { name, columns, key }: Table, span: Span): Row[] {
  const [beyond, before] = span.isForward ? ['>', '<'] : ['<', '>'];
  const order = key.map((column) => `${column} ${span.isForward ? 'ASC' : 'DESC'}`).join(', ');
  const bounds = [
    { bound: span.after, sign: beyond },
    { bound: span.until, sign: before },
  ].filter(({ bound }) => bound !== null);
  const conditions = bounds.map(({ sign }) => `${tuple(key)} ${sign} ${tuple(key.map(() => '?'))}`);
  const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
  return source.all(
    `SELECT ${key.map((column, place) => `${column} AS key${place}`).join(', ')}, ${columns.join(', ')}
     FROM ${name} NOT INDEXED ${where} ORDER BY ${order} LIMIT ${span.limit}`,
    bounds.flatMap(({ bound }) => bound ?? []),
  );
}

/** From one side as far as it goes. Returns the last key that was read, and whether the end was reached. */
function readFrom(
  source: Connection,
  table: Table,
  reading: Reading,
  start: Omit<Span, 'limit'>,
): { readonly last: readonly Value[] | null; readonly isWhole: boolean } {
  let last = start.after;
  for (let limit = PORTION; ; ) {
    const span: Span = { ...start, after: last, limit };
    const rows = readable(() => page(source, table, span));
    if (rows === null) {
      if (limit === 1) return { last, isWhole: false };
      limit = 1;
      continue;
    }
    reading.take(rows);
    const row = rows.at(-1);
    if (row === undefined) return { last, isWhole: true };
    last = table.key.map((_, place) => row[`key${place}`] as Value);
  }
}

/** Rows strictly between two numbers, from low to high. */
function readBetween(
  source: Connection,
  table: Table,
  reading: Reading,
  { low, high }: { readonly low: number; readonly high: number },
): void {
  // By what is wanted and not by what comes before it: the page of that may be the damaged one. A single row asks for no next one.
  const [first, last] = [low + 1, high - 1];
  const where = first === last ? 'rowid = ?1' : 'rowid BETWEEN ?1 AND ?2';
  const rows = readable(() =>
    source.all(
      `SELECT ${table.columns.join(', ')} FROM ${table.name} NOT INDEXED WHERE ${where} ORDER BY rowid`,
      first === last ? [first] : [first, last],
    ),
  );
  if (rows !== null) {
    reading.take(rows);
    return;
  }
  if (first === last) {
    // Neighbours are one place, however many rows were in it.
    if (reading.gapEnd !== low) reading.gapCount += 1;
    reading.gapEnd = low + 1;
    return;
  }
  const middle = Math.floor((low + high) / 2);
  readBetween(source, table, reading, { low, high: middle + 1 });
  readBetween(source, table, reading, { low: middle, high });
}
