import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { toInstant } from '../../shared/time';
import { openOutputOrder } from './outputOrder';

let folder = '';
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'belfry-order-'));
});
afterEach(() => fs.rmSync(folder, { recursive: true }));

test('keeps the order and the times over a restart, and quick growth of one stream is one piece', () => {
  const order = openOutputOrder(folder);
  order.append('stdout', toInstant(1_000), 10);
  order.append('stdout', toInstant(1_050), 20);
  order.append('stderr', toInstant(1_060), 5);
  order.append('stdout', toInstant(1_070), 30);
  order.append('stdout', toInstant(1_500), 40);
  order.append('stdout', toInstant(1_600), 40);
  order.flush();
  order.append('stdout', toInstant(1_610), 50);
  order.append('stderr', null, 9);
  order.flush();
  order.flush();
  const expected = [
    { stream: 'stdout', at: 1_000, end: 20 },
    { stream: 'stderr', at: 1_060, end: 5 },
    { stream: 'stdout', at: 1_070, end: 30 },
    { stream: 'stdout', at: 1_500, end: 40 },
    { stream: 'stdout', at: 1_610, end: 50 },
    { stream: 'stderr', at: null, end: 9 },
  ];
  expect(order.pieces).toEqual(expected);
  const again = openOutputOrder(folder);
  expect(again.pieces).toEqual(expected);
  expect([again.end('stdout'), again.end('stderr')]).toEqual([50, 9]);
  expect(fs.statSync(path.join(folder, 'index')).mode & 0o777).toBe(0o600);
});

test('a clock that goes back begins a new piece', () => {
  const order = openOutputOrder(folder);
  order.append('stdout', toInstant(5_000), 1);
  order.append('stdout', toInstant(1_000), 2);
  expect(order.pieces.map((piece) => piece.at)).toEqual([5_000, 1_000]);
});

test('a torn index costs its last line and nothing else', () => {
  fs.writeFileSync(path.join(folder, 'index'), '\no 1000 10\n\ne 10');
  const order = openOutputOrder(folder);
  expect(order.pieces).toEqual([{ stream: 'stdout', at: 1_000, end: 10 }]);
  order.append('stderr', toInstant(2_000), 7);
  order.flush();
  expect(openOutputOrder(folder).pieces.at(-1)).toEqual({ stream: 'stderr', at: 2_000, end: 7 });
});

test('nonsense in the index is passed over', () => {
  fs.writeFileSync(path.join(folder, 'index'), 'o 1 10\nx 1 2\no 1 5\no -1 20\n\0\ne - 4\n');
  expect(openOutputOrder(folder).pieces).toEqual([
    { stream: 'stdout', at: 1, end: 10 },
    { stream: 'stderr', at: null, end: 4 },
  ]);
});
