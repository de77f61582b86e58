import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { HEAD_BYTES, openStreamFiles, STREAM_BYTES_MAX } from './outputFiles';

const MIB = 1024 * 1024;
let folder = '';
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'belfry-output-'));
});
afterEach(() => fs.rmSync(folder, { recursive: true }));

/** Every line is 1 KiB and begins with its own offset, so that any part shows whether it is the right one. */
const numbered = (start: number, bytes: number): Buffer =>
  Buffer.from(
    Array.from({ length: bytes / 1024 }, (_, index) => `${String(start + index * 1024).padEnd(1023)}\n`).join(
      '',
    ),
  );
const append = (start: number, bytes: number): void =>
  fs.appendFileSync(path.join(folder, 'stdout'), numbered(start, bytes));
const diskBytes = (): number =>
  fs.readdirSync(folder).reduce((sum, name) => sum + fs.statSync(path.join(folder, name)).size, 0);
const at = async (files: ReturnType<typeof openStreamFiles>, offset: number): Promise<number> =>
  Number((await files.read(offset, 20)).toString());

test('up to the cap everything stays in one file', async () => {
  const files = openStreamFiles(folder, 'stdout');
  expect(files.refresh()).toBe(false);
  append(0, STREAM_BYTES_MAX);
  expect(files.refresh()).toBe(true);
  expect(files.needsTrim()).toBe(false);
  expect(files.end()).toBe(STREAM_BYTES_MAX);
  expect(files.keptUntil(5)).toBe(STREAM_BYTES_MAX);
  expect(files.droppedBytes()).toBe(0);
});

test('past the cap the first MiB and the newest part stay, whatever comes (D10, C-087)', async () => {
  const files = openStreamFiles(folder, 'stdout');
  let written = 0;
  // Steps of different size, up to several times the cap at once as a fast writer leaves them.
  for (const step of [17, 1, 2, 3, 3, 1, 40, 1, 2, 4, 9].map((mib) => mib * MIB)) {
    append(written, step);
    written += step;
    files.refresh();
    if (files.needsTrim()) await files.trim();
    expect(diskBytes()).toBeLessThanOrEqual(STREAM_BYTES_MAX);
  }
  expect(files.end()).toBe(written);
  const gapStart = files.keptUntil(0);
  const gapEnd = files.keptFrom(gapStart);
  expect(gapStart).toBe(HEAD_BYTES);
  expect(files.keptUntil(gapEnd)).toBe(written);
  expect(written - gapEnd).toBeGreaterThan(STREAM_BYTES_MAX / 2);
  expect(files.droppedBytes()).toBe(gapEnd - gapStart);
  for (const offset of [0, HEAD_BYTES - 1024, gapEnd, gapEnd + 5 * MIB, written - 1024]) {
    expect(await at(files, offset)).toBe(offset);
  }
  expect(await files.read(gapStart, 10)).toHaveLength(0);

  // A later Belfry finds the same.
  const again = openStreamFiles(folder, 'stdout');
  again.refresh();
  expect(again.end()).toBe(written);
  expect(again.droppedBytes()).toBe(files.droppedBytes());
  expect(await at(again, written - 1024)).toBe(written - 1024);
});

test('a writer that appends goes on in the emptied file, and no byte is counted twice', async () => {
  const files = openStreamFiles(folder, 'stdout');
  const writer = fs.openSync(path.join(folder, 'stdout'), 'a');
  fs.writeSync(writer, numbered(0, 20 * MIB));
  files.refresh();
  await files.trim();
  fs.writeSync(writer, numbered(20 * MIB, 2048));
  fs.closeSync(writer);
  files.refresh();
  expect(files.end()).toBe(20 * MIB + 2048);
  expect(await at(files, 20 * MIB + 1024)).toBe(20 * MIB + 1024);
  expect(fs.statSync(path.join(folder, 'stdout')).size).toBe(2048);
});

test('what arrives during the trim is kept', async () => {
  const files = openStreamFiles(folder, 'stdout');
  append(0, 20 * MIB);
  files.refresh();
  const trimmed = files.trim();
  append(20 * MIB, 2048);
  await trimmed;
  expect(files.end()).toBe(20 * MIB + 2048);
  expect(await at(files, 20 * MIB + 1024)).toBe(20 * MIB + 1024);
});

test('looking at the sizes all the time while a trim goes on changes nothing', async () => {
  const files = openStreamFiles(folder, 'stdout');
  append(0, 20 * MIB);
  files.refresh();
  let isTrimming = true;
  const trimmed = files.trim().finally(() => {
    isTrimming = false;
  });
  while (isTrimming) {
    files.refresh();
    await new Promise(setImmediate);
  }
  await trimmed;
  files.refresh();
  expect(files.end()).toBe(20 * MIB);
  expect(files.keptFrom(0)).toBe(0);
  expect(await at(files, 0)).toBe(0);
});

test('a crash in the middle of a trim leaves the output as it was', async () => {
  append(0, 17 * MIB);
  fs.writeFileSync(path.join(folder, 'stdout.copy0'), numbered(0, MIB));
  const files = openStreamFiles(folder, 'stdout');
  files.refresh();
  expect(files.end()).toBe(17 * MIB);
  expect(files.droppedBytes()).toBe(0);
});

test('a trim that fails changes nothing', async () => {
  const files = openStreamFiles(folder, 'stdout');
  append(0, 17 * MIB);
  files.refresh();
  fs.mkdirSync(path.join(folder, 'stdout.copy1'));
  await expect(files.trim()).rejects.toThrow();
  expect(fs.statSync(path.join(folder, 'stdout')).size).toBe(17 * MIB);
  expect(fs.readdirSync(folder).sort()).toEqual(['stdout', 'stdout.copy1']);
});

test('a command that empties its own output loses it, and the loss is counted', async () => {
  append(0, 10_240);
  const files = openStreamFiles(folder, 'stdout');
  files.refresh();
  fs.truncateSync(path.join(folder, 'stdout'), 0);
  append(10_240, 1_024);
  files.refresh();
  expect(files.end()).toBe(11_264);
  expect(files.droppedBytes()).toBe(10_240);
  expect(files.keptFrom(0)).toBe(10_240);
  expect(await at(files, 10_240)).toBe(10_240);
  const again = openStreamFiles(folder, 'stdout');
  again.refresh();
  expect(again.end()).toBe(11_264);
});

test('files are for their owner alone (security.md 4.13)', async () => {
  const files = openStreamFiles(folder, 'stdout');
  append(0, 17 * MIB);
  files.refresh();
  await files.trim();
  const segments = fs.readdirSync(folder).filter((name) => name !== 'stdout');
  expect(segments.length).toBeGreaterThan(2);
  for (const name of segments) expect(fs.statSync(path.join(folder, name)).mode & 0o777).toBe(0o600);
});
