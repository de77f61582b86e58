import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { LINE_LENGTH_MAX, OUTPUT_LINES_MAX } from '../../shared/model/output';
import { toInstant } from '../../shared/time';
import { openStreamFiles, type Stream } from './outputFiles';
import { createLineTable } from './outputLines';
import { openOutputOrder } from './outputOrder';

const MIB = 1024 * 1024;
let folder = '';
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'belfry-lines-'));
});
afterEach(() => fs.rmSync(folder, { recursive: true }));

type Arrival = [stream: Stream, content: string | Buffer];

/** Writes arrivals a second apart, and builds the table; `between` is called after each. */
async function tableOf(
  arrivals: readonly Arrival[],
  between?: (table: ReturnType<typeof createLineTable>) => Promise<void>,
) {
  const files = { stdout: openStreamFiles(folder, 'stdout'), stderr: openStreamFiles(folder, 'stderr') };
  const order = openOutputOrder(folder);
  const table = createLineTable({ files, order });
  let now = 0;
  for (const [stream, content] of arrivals) {
    fs.appendFileSync(path.join(folder, stream), content);
    files[stream].refresh();
    now += 1_000;
    order.append(stream, toInstant(now), files[stream].end());
    if (between) await between(table);
  }
  await table.advance();
  return table;
}
const texts = async (arrivals: readonly Arrival[], isLive = false) =>
  (await (await tableOf(arrivals)).window(0, 1_000, isLive)).map(({ stream, text, isPartial }) => [
    stream === 'stderr' ? 'err' : 'out',
    text,
    ...(isPartial ? ['partial'] : []),
  ]);

test('shows both streams in the order in which lines began', async () => {
  const table = await tableOf([
    ['stdout', 'one\ntw'],
    ['stderr', 'oh\n'],
    ['stdout', 'o\nthree\n'],
  ]);
  expect(await table.window(0, 10, false)).toEqual([
    { number: 0, stream: 'stdout', at: 1_000, text: 'one', isPartial: false },
    { number: 1, stream: 'stdout', at: 1_000, text: 'two', isPartial: false },
    { number: 2, stream: 'stderr', at: 2_000, text: 'oh', isPartial: false },
    { number: 3, stream: 'stdout', at: 3_000, text: 'three', isPartial: false },
  ]);
  expect([table.lineCount(), table.stderrLineCount(), table.droppedBefore()]).toEqual([4, 1, null]);
});

test('a line that is not finished keeps its number and is partial only while it may go on', async () => {
  expect(await texts([['stdout', 'a\nb']], true)).toEqual([
    ['out', 'a'],
    ['out', 'b', 'partial'],
  ]);
  expect(await texts([['stdout', 'c']])).toEqual([
    ['out', 'a'],
    ['out', 'bc'],
  ]);
});

test('keeps a lone carriage return and takes one off a line end (C-089)', async () => {
  expect(await texts([['stdout', '10%\r20%\r30%\nwindows\r\n\r\n\n']])).toEqual([
    ['out', '10%\r20%\r30%'],
    ['out', 'windows'],
    ['out', ''],
    ['out', ''],
  ]);
});

test('replaces what is not UTF-8 and keeps everything else', async () => {
  expect(await texts([['stdout', Buffer.from([0x61, 0xff, 0xfe, 0x00, 0x62, 0x0a, 0xc3])]])).toEqual([
    ['out', 'a\ufffd\ufffd\0b'],
    ['out', '\ufffd'],
  ]);
});

test('half a character at the end of a live line is not shown as broken', async () => {
  const euro = Buffer.from('€');
  expect(await texts([['stdout', Buffer.concat([Buffer.from('x'), euro.subarray(0, 2)])]], true)).toEqual([
    ['out', 'x', 'partial'],
  ]);
  expect(await texts([['stdout', euro.subarray(2)]], true)).toEqual([['out', 'x€', 'partial']]);
});

test('hands out a long line in pieces that never cut a character (C-089)', async () => {
  const long = `x${'ü'.repeat(LINE_LENGTH_MAX)}`;
  const lines = await texts([['stdout', `${long}\nend\n`]]);
  expect(lines.map(([, text]) => text).join('|')).not.toContain('\ufffd');
  expect(
    lines
      .slice(0, -1)
      .map(([, text]) => text)
      .join(''),
  ).toBe(long);
  expect(lines.map((line) => line.length)).toEqual([3, 3, 2, 2]);
  expect(lines.at(-1)).toEqual(['out', 'end']);
  for (const [, text] of lines) expect(text?.length).toBeLessThanOrEqual(LINE_LENGTH_MAX);
});

test('a line of exactly the limit is one line, one more makes two', async () => {
  expect(await texts([['stdout', `${'x'.repeat(LINE_LENGTH_MAX)}\n`]])).toHaveLength(1);
  expect(await texts([['stdout', `${'y'.repeat(LINE_LENGTH_MAX + 1)}\n`]])).toHaveLength(3);
});

/** What the table should say, in the simplest way that can be written down. */
function expectedLines(
  arrivals: readonly Arrival[],
): { stream: Stream; text: string; isPartial: boolean; at: number }[] {
  const lines: { stream: Stream; text: string; isPartial: boolean; at: number }[] = [];
  const open: { [S in Stream]?: (typeof lines)[number] } = {};
  arrivals.forEach(([stream, content], index) => {
    for (const char of content.toString()) {
      let line = open[stream];
      if (line !== undefined && char === '\n') {
        line.text = line.text.replace(/\r$/, '');
        delete open[stream];
        continue;
      }
      if (line !== undefined && line.text.length === LINE_LENGTH_MAX) {
        line.isPartial = true;
        line = undefined;
      }
      if (line === undefined) {
        line = { stream, text: '', isPartial: false, at: (index + 1) * 1_000 };
        lines.push(line);
        if (char === '\n') continue;
        open[stream] = line;
      }
      line.text += char;
    }
  });
  return lines;
}

const content = fc.oneof(
  fc.string({ unit: fc.constantFrom('a', '\n', '\r', ' '), maxLength: 60 }),
  fc.integer({ min: 0, max: 2 * LINE_LENGTH_MAX + 10 }).map((length) => 'z'.repeat(length)),
  fc.constant('\n'.repeat(700)),
);
const arrivals = fc.array(fc.tuple(fc.constantFrom<Stream>('stdout', 'stderr'), content), { maxLength: 25 });

test('any window over any arrivals says what a plain reading of them says', async () => {
  await fc.assert(
    fc.asyncProperty(arrivals, fc.nat(3_000), fc.integer({ min: 1, max: 600 }), async (all, from, count) => {
      for (const name of fs.readdirSync(folder)) fs.rmSync(path.join(folder, name));
      const expected = expectedLines(all);
      const table = await tableOf(all, (growing) => growing.advance());
      expect(table.lineCount()).toBe(expected.length);
      expect(table.stderrLineCount()).toBe(expected.filter((line) => line.stream === 'stderr').length);
      const window = await table.window(from, count, false);
      expect(window).toEqual(
        expected.slice(from, from + count).map((line, index) => ({ ...line, number: from + index })),
      );
    }),
    { numRuns: 60 },
  );
});

test('a cut is marked by the line after it, and both sides are right', async () => {
  const line = (number: number) => `${String(number).padStart(1_023, '0')}\n`;
  const fill = (from: number, count: number) =>
    Array.from({ length: count }, (_, index) => line(from + index)).join('');
  const files = { stdout: openStreamFiles(folder, 'stdout'), stderr: openStreamFiles(folder, 'stderr') };
  const order = openOutputOrder(folder);
  const count = (20 * MIB) / 1024;
  fs.writeFileSync(path.join(folder, 'stdout'), fill(0, count));
  files.stdout.refresh();
  order.append('stdout', toInstant(1), files.stdout.end());
  await files.stdout.trim();
  const table = createLineTable({ files, order });
  await table.advance();
  const cut = table.droppedBefore() ?? 0;
  expect(cut).toBe(MIB / 1024);
  expect(table.lineCount()).toBe(count - files.stdout.droppedBytes() / 1024);
  const around = await table.window(cut - 1, 2, false);
  expect(around.map((one) => Number(one.text))).toEqual([cut - 1, cut + files.stdout.droppedBytes() / 1024]);
  const [last] = await table.window(table.lineCount() - 1, 5, false);
  expect(last?.text).toBe(line(count - 1).trim());
});

test('windows of a log of 2 x 16 MiB are quick once it was looked through, and its lines cost little memory', async () => {
  const half = Array.from({ length: 16 * 1024 }, (_, index) => `${index} ${'lorem ipsum '.repeat(5)}\n`).join(
    '',
  );
  const table = await tableOf(
    Array.from(
      { length: 32 },
      (_, index) => [index % 2 ? 'stderr' : 'stdout', half.slice(0, MIB)] satisfies Arrival,
    ),
  );
  const took: number[] = [];
  for (const part of [0.99, 0, 0.5, 0.25, 0.75]) {
    const from = Math.floor(table.lineCount() * part);
    const before = performance.now();
    const lines = await table.window(from, 500, false);
    took.push(performance.now() - before);
    expect(lines[0]?.number).toBe(from);
  }
  // About 5 ms on a quiet machine. The median, because other work may get in between.
  expect(took.sort((a, b) => a - b)[2]).toBeLessThan(60);
});

test('a single line of 20 MB does not stop anything (C-089)', async () => {
  const table = await tableOf([['stderr', Buffer.alloc(20_000_000, 'x')]]);
  expect(table.lineCount()).toBe(Math.ceil(20_000_000 / LINE_LENGTH_MAX));
  const lines = await table.window(table.lineCount() - 3, OUTPUT_LINES_MAX, false);
  expect(lines).toHaveLength(3);
  expect(lines.every((line) => line.text.length <= LINE_LENGTH_MAX)).toBe(true);
});
