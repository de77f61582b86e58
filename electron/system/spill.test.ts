/** Ends that the store could not take survive a full disk and a death at any byte (H-61, X-51). */

import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { AttemptId, RunId } from '../../shared/model/run';
import { toInstant } from '../../shared/time';
import type { SpilledEnd } from '../ports/data';
import { createSpill } from './spill';

let folder = '';
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'belfry-spill-'));
});
afterEach(() => {
  vi.restoreAllMocks();
  fs.rmSync(folder, { recursive: true, force: true });
});

const id = (kind: string, number: number): string =>
  `0000000${kind}-0000-7000-8000-${String(number).padStart(12, '0')}`;
const endOf = (number: number, more: Partial<SpilledEnd> = {}): SpilledEnd => ({
  runId: RunId.parse(id('c', number)),
  attemptId: AttemptId.parse(id('d', number)),
  outcome: 'failed',
  reason: 'exit_code',
  detail: 'Exit “7”\nand more',
  exitCode: 7,
  signal: null,
  endedAt: toInstant(1_000 * number),
  durationMs: 5,
  outputBytes: 9,
  wasAdopted: false,
  ...more,
});
const spill = (name: 'app' | 'agent' = 'app') => createSpill({ folder, name });
const file = (name = 'app'): string => path.join(folder, `results-${name}.spill`);

test('what is kept is there for the next process, oldest first, until it is forgotten', async () => {
  const first = spill();
  expect(await first.keep(endOf(2))).toBe(true);
  expect(await first.keep(endOf(1))).toBe(true);
  const second = spill();
  expect(await second.all()).toEqual([endOf(1), endOf(2)]);
  await second.forget([endOf(1).attemptId]);
  expect(await spill().all()).toEqual([endOf(2)]);
});

test('a second end of an attempt replaces the first', async () => {
  const one = spill();
  await one.keep(endOf(1));
  await one.keep(endOf(1, { exitCode: 8 }));
  expect((await spill().all()).map(({ exitCode }) => exitCode)).toEqual([8]);
});

test('what the other role has left is found and forgotten too', async () => {
  await spill('agent').keep(endOf(1));
  const app = spill('app');
  await app.keep(endOf(2));
  expect(await app.all()).toHaveLength(2);
  await app.forget([endOf(1).attemptId, endOf(2).attemptId]);
  expect(await spill('agent').all()).toEqual([]);
});

test('its room is made beforehand, for the user alone, and never grows', async () => {
  const one = spill();
  const size = fs.statSync(file()).size;
  expect(size).toBeGreaterThan(100_000);
  if (process.platform !== 'win32') expect(fs.statSync(file()).mode & 0o777).toBe(0o600);
  let kept = 0;
  while (kept < 10_000 && (await one.keep(endOf(kept, { detail: 'x'.repeat(5_000) })))) kept += 1;
  expect(kept).toBeGreaterThan(100);
  expect(kept).toBeLessThan(10_000);
  expect(fs.statSync(file()).size).toBe(size);
  expect(await spill().all()).toHaveLength(kept);
});

test('a line that a death has cut, or that a hand has changed, is none, and the others stay', async () => {
  const one = spill();
  for (const number of [1, 2, 3]) await one.keep(endOf(number));
  const whole = fs.readFileSync(file());
  const written = whole.indexOf('\n\n');
  for (let cut = 0; cut <= written; cut += 7) {
    fs.writeFileSync(file(), Buffer.from(whole).fill('\n', cut));
    const left = await spill().all();
    expect(left).toEqual([endOf(1), endOf(2), endOf(3)].slice(0, left.length));
  }
  const text = whole.toString().replace('"exitCode":7', '"exitCode":0');
  fs.writeFileSync(file(), text);
  expect(await spill().all()).toEqual([endOf(2), endOf(3)]);
});

test('a disk that refuses is an answer', async () => {
  const one = spill();
  await one.keep(endOf(1));
  fs.rmSync(file());
  fs.mkdirSync(file());
  expect(await one.keep(endOf(2))).toBe(false);
  await one.forget([endOf(1).attemptId]);
  expect(await one.all()).toEqual([]);
});

/** What `work` wrote to the file, each write as the bytes and their place. */
async function writesOf(work: () => Promise<unknown>): Promise<{ bytes: Buffer; at: number }[]> {
  const writes: { bytes: Buffer; at: number }[] = [];
  const real = fs.writeSync as (...values: unknown[]) => number;
  const spy = vi.spyOn(fs, 'writeSync').mockImplementation(((...values: unknown[]) => {
    const [, bytes, from, length, at] = values as [number, Buffer, number, number, number];
    writes.push({ bytes: Buffer.from(bytes.subarray(from, from + length)), at });
    return real(...values);
  }) as never);
  syncBuiltinESMExports();
  try {
    await work();
  } finally {
    spy.mockRestore();
    syncBuiltinESMExports();
  }
  return writes;
}

// Method: let each change happen, note what it wrote, and build the file anew as a death would have left it: every write before
// the fatal one done, and of that one the first bytes, or the last ones, because pages reach the disk in any order.
test.each([
  ['one more end', 'keep', endOf(9), [1, 2, 3, 4]],
  ['a longer end', 'keep', endOf(2, { detail: 'y'.repeat(400) }), [1, 2, 3, 4]],
  ['a shorter end', 'keep', endOf(2, { detail: null }), [1, 2, 3, 4]],
  ['an end less', 'forget', endOf(2), [1, 3, 4]],
  ['the first end less', 'forget', endOf(1), [2, 3, 4]],
] as const)('a death in the middle of %s harms no other end (H-61)', async (_, change, end, safe) => {
  const one = spill();
  for (const number of [1, 2, 3, 4]) await one.keep(endOf(number, { detail: 'x'.repeat(100 * number) }));
  const before = fs.readFileSync(file());
  const writes = await writesOf(async () => {
    if (change === 'keep') expect(await one.keep(end)).toBe(true);
    else await one.forget([end.attemptId]);
  });
  const state = Buffer.from(before);
  for (const { bytes, at } of writes) {
    const changed = Array.from(bytes.keys()).filter((index) => bytes[index] !== state[at + index]);
    const last = Math.min(bytes.length, (changed.at(-1) ?? 0) + 2);
    for (let cut = 0; cut <= last; cut += 1) {
      for (const [from, to] of [
        [0, cut],
        [cut, bytes.length],
      ] as const) {
        const dead = Buffer.from(state);
        bytes.copy(dead, at + from, from, to);
        // The rest is blank.
        fs.writeFileSync(file(), dead.subarray(0, 8_192));
        const left = (await one.all()).map(({ attemptId }) => attemptId);
        expect(left, `cut at ${cut}`).toEqual(
          expect.arrayContaining(safe.map((number) => endOf(number).attemptId)),
        );
        expect(new Set(left).size).toBe(left.length);
      }
    }
    bytes.copy(state, at);
  }
  fs.writeFileSync(file(), state);
  const after = (await spill().all()).find(({ attemptId }) => attemptId === end.attemptId);
  expect(after).toEqual(change === 'keep' ? end : undefined);
});

test('room is used again, also the room of what a death has cut off', async () => {
  const one = spill();
  for (let number = 0; number < 400; number += 1) {
    expect(await one.keep(endOf(number))).toBe(true);
    expect(await one.keep(endOf(number, { exitCode: 8 }))).toBe(true);
    await one.forget([endOf(number).attemptId]);
  }
  fs.writeFileSync(file(), Buffer.alloc(fs.statSync(file()).size, 'x'));
  expect(await one.keep(endOf(1))).toBe(true);
  expect(await spill().all()).toEqual([endOf(1)]);
});

test('the other role takes over at any time: what it forgot stays forgotten, and what it finds is what is there now', async () => {
  const app = spill('app');
  const agent = spill('agent');
  await app.keep(endOf(1));
  expect(await agent.all()).toEqual([endOf(1)]);
  await agent.forget([endOf(1).attemptId]);
  await app.keep(endOf(2));
  expect(await agent.all()).toEqual([endOf(2)]);
});
