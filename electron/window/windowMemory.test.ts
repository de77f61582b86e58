import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, expect, test } from 'vitest';
import {
  emptyMemory,
  nextZoom,
  openMemoryFile,
  parseMemory,
  placeFor,
  rememberPlace,
  type WindowPlace,
  ZOOM_STEPS,
} from './windowMemory';

const fail = (error: unknown): never => {
  throw error;
};
const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) fs.rmSync(folder, { recursive: true, force: true });
});
function makeFolder(): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'belfry-window-'));
  folders.push(folder);
  return folder;
}

const laptop = { id: 1, workArea: { x: 0, y: 0, width: 1440, height: 900 } };
const large = { id: 2, workArea: { x: 1440, y: 0, width: 2560, height: 1440 } };
const place = (x: number, y: number, width: number, height: number): WindowPlace => ({
  x,
  y,
  width,
  height,
  isMaximized: false,
});

test('opens in the middle of the primary display the first time', () => {
  expect(placeFor(emptyMemory, [laptop, large], laptop)).toEqual(place(120, 70, 1200, 760));
});

test('opens where it was on the display it was on last', () => {
  const memory = rememberPlace(
    rememberPlace(emptyMemory, laptop.id, place(5, 6, 900, 600)),
    large.id,
    place(1500, 100, 2000, 1200),
  );
  expect(placeFor(memory, [laptop, large], laptop)).toEqual(place(1500, 100, 2000, 1200));
  expect(placeFor(memory, [laptop], laptop)).toEqual(place(5, 6, 900, 600));
});

test('is always wholly on the display, also after its resolution changed', () => {
  const memory = rememberPlace(emptyMemory, laptop.id, place(1300, -50, 1400, 880));
  const small = { id: 1, workArea: { x: 0, y: 30, width: 1024, height: 700 } };
  expect(placeFor(memory, [small], small)).toEqual(place(0, 30, 1024, 700));
});

test('is never smaller than its layout, unless the display is', () => {
  const memory = rememberPlace(emptyMemory, laptop.id, place(0, 0, 100, 100));
  expect(placeFor(memory, [laptop], laptop)).toMatchObject({ width: 720, height: 480 });
  const tiny = { id: 1, workArea: { x: 0, y: 0, width: 640, height: 400 } };
  expect(placeFor(memory, [tiny], tiny)).toEqual(place(0, 0, 640, 400));
});

test('survives a restart, in a file for the user alone', () => {
  const file = path.join(makeFolder(), 'window.json');
  const memory = openMemoryFile(file, fail);
  memory.change((known) => ({
    ...rememberPlace(known, 7, place(1, 2, 800, 600)),
    zoom: 1.5,
    runsUnseen: true,
  }));
  expect(fs.statSync(file).mode & 0o777).toBe(0o600);
  expect(fs.readdirSync(path.dirname(file))).toEqual(['window.json']);
  expect(openMemoryFile(file, fail).get()).toEqual({
    places: [[7, place(1, 2, 800, 600)]],
    zoom: 1.5,
    runsUnseen: true,
  });
});

test.each([
  '',
  'nonsense',
  'null',
  '[]',
  '{"places":{}}',
  '{"places":[[1,null],["1",{}],[1,{"x":1.5}]],"zoom":"big"}',
])('a file with %s in it is as good as none', (text) => {
  expect(parseMemory(text)).toEqual(emptyMemory);
});

test('what cannot be written is reported and remembered until the end of the process', () => {
  const reports: unknown[] = [];
  const memory = openMemoryFile(path.join(makeFolder(), 'missing', 'window.json'), (error) =>
    reports.push(error),
  );
  memory.change((known) => ({ ...known, zoom: 2 }));
  expect(memory.get().zoom).toBe(2);
  expect(reports).toHaveLength(1);
});

test('without a file it is remembered until the end of the process, and nothing is written (S-01)', () => {
  const memory = openMemoryFile(null, fail);
  memory.change((known) => ({ ...known, zoom: 2 }));
  expect(memory.get().zoom).toBe(2);
});

test('forgets displays that were not used for long', () => {
  let memory = emptyMemory;
  for (let id = 0; id < 50; id += 1) memory = rememberPlace(memory, id, place(0, 0, 800, 600));
  expect(memory.places.map(([id]) => id)).toEqual(Array.from({ length: 20 }, (_, index) => 30 + index));
});

test('zooms in steps from 80 to 200 % and back to normal', () => {
  let zoom = 1;
  for (let press = 0; press < 10; press += 1) zoom = nextZoom(zoom, 1);
  expect(zoom).toBe(2);
  for (let press = 0; press < 20; press += 1) zoom = nextZoom(zoom, -1);
  expect(zoom).toBe(0.8);
  expect(nextZoom(zoom, 0)).toBe(1);
  expect(nextZoom(1.23, 1)).toBe(1.5);
  expect([ZOOM_STEPS[0], ZOOM_STEPS.at(-1)]).toEqual([0.8, 2]);
});
