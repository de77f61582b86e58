// Output of real commands while they write it. The commands wait for files or for lines of a pipe, so that nothing here
// depends on how quick the machine is.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, expect, test, vi } from 'vitest';
import type { AttemptOrder } from '../ports/running';
import { createProcessTable } from '../system/processTable';
import { realClock, realTimer } from '../system/realTime';
import { STREAM_BYTES_MAX } from './outputFiles';
import { createRig } from './testRig';

const MIB = 1024 * 1024;
const rig = createRig({ clock: realClock, timer: realTimer, processes: createProcessTable(), bootId: null });
const place = (...names: string[]): string => path.join(rig.root, ...names);
const read = async ({ runId }: AttemptOrder, from = 0, count = 2_000) => {
  const page = await rig.outputs.reader.read(runId, from, count);
  if (page === null) throw new Error('The run has no output.');
  return page;
};

afterEach(async () => {
  expect(await rig.living()).toEqual([]);
  expect(rig.warnings).toEqual([]);
});
afterAll(() => rig.remove());

/** A pipe with a name: the command reads a line, does a step, reads the next one. */
function stepper(name: string): { step: () => void; close: () => void } {
  execFileSync('/bin/sh', ['-c', 'mkfifo "$1"', 'sh', place(name)]);
  // Opened for both, so that neither side waits for the other to come.
  const pipe = fs.openSync(place(name), 'r+');
  return { step: () => fs.writeSync(pipe, 'go\n'), close: () => fs.writeSync(pipe, 'stop\n') };
}
const stepping = (name: string, body: string): string =>
  `exec 7<>${name}; while read -r word <&7 && [ "$word" = go ]; do ${body}; done`;

test('both streams are shown in order of arrival while the command runs, with times', async () => {
  const { step, close } = stepper('order');
  const body = 'n=$((n+1)); if [ $((n%2)) = 0 ]; then echo "err $n" >&2; else echo "out $n"; fi';
  const before = Date.now();
  const { attempt, order } = await rig.start({ line: stepping('order', body) });
  for (let count = 1; count <= 6; count += 1) {
    step();
    await vi.waitFor(async () => expect((await read(order)).lineCount).toBe(count), {
      timeout: 10_000,
      interval: 5,
    });
  }
  const live = await read(order);
  expect(live.lines.map((line) => line.text)).toEqual(['out 1', 'err 2', 'out 3', 'err 4', 'out 5', 'err 6']);
  expect(live).toMatchObject({
    isLive: true,
    stderrLineCount: 3,
    byteCount: 36,
    droppedBytes: 0,
    droppedBefore: null,
  });
  for (const { at } of live.lines) expect(at).toBeGreaterThanOrEqual(before);
  close();
  const end = await attempt.ended;
  expect(end.outputBytes).toBe(36);
  expect(await read(order)).toEqual({ ...live, isLive: false });
  expect(await read(order, 4, 1)).toMatchObject({ lines: [{ number: 4, text: 'out 5' }], lineCount: 6 });
  expect((await read(order, 6, 10)).lines).toEqual([]);
  expect(await read(order, 0, 0)).toMatchObject({ lines: [], lineCount: 6 });
});

test('growth is announced without being asked for, and an unfinished line is shown (issue 2, live output)', async () => {
  const { step, close } = stepper('prompt');
  const { attempt, order } = await rig.start({ line: stepping('prompt', 'printf "part "') });
  const announcedCount = (): number => rig.announced.filter((runId) => runId === order.runId).length;
  step();
  await vi.waitFor(() => expect(announcedCount()).toBeGreaterThan(0), { timeout: 10_000, interval: 5 });
  expect((await read(order)).lines).toMatchObject([{ number: 0, text: 'part ', isPartial: true }]);
  step();
  await vi.waitFor(() => expect(announcedCount()).toBeGreaterThan(1), { timeout: 10_000, interval: 5 });
  expect((await read(order)).lines).toMatchObject([{ number: 0, text: 'part part ', isPartial: true }]);
  close();
  await attempt.ended;
  expect((await read(order)).lines).toMatchObject([{ number: 0, text: 'part part ', isPartial: false }]);
});

test('a command that prints without pause is announced at most ten times a second (C-090)', async () => {
  const begun = performance.now();
  const { attempt, order } = await rig.start({
    line: 'i=0; while [ $i -lt 20000 ]; do echo "line $i"; i=$((i+1)); done',
  });
  await attempt.ended;
  const announcedCount = rig.announced.filter((runId) => runId === order.runId).length;
  expect(announcedCount).toBeGreaterThan(0);
  expect(announcedCount).toBeLessThanOrEqual((performance.now() - begun) / 100 + 2);
  expect((await read(order, 19_999, 1)).lines).toMatchObject([{ number: 19_999, text: 'line 19999' }]);
});

test('40 MB of output stay within the cap while they are written, and the cut is marked (C-087)', async () => {
  const { step, close } = stepper('flood');
  const body = `head -c ${MIB} /dev/zero | tr '\\0' x | fold -w 1023; echo`;
  const { attempt, order } = await rig.start({
    line: `echo first line; ${stepping('flood', body)}; echo last line`,
  });
  const folder = rig.outputs.folder(order.runId, order.attemptId);
  const diskBytes = (): number =>
    fs
      .readdirSync(folder)
      .reduce(
        (sum, name) => sum + (fs.statSync(path.join(folder, name), { throwIfNoEntry: false })?.size ?? 0),
        0,
      );
  let most = 0;
  for (let count = 1; count <= 40; count += 1) {
    step();
    await vi.waitFor(
      async () => {
        most = Math.max(most, diskBytes());
        expect((await read(order, 0, 0)).byteCount).toBeGreaterThanOrEqual(count * MIB);
      },
      { timeout: 20_000, interval: 5 },
    );
  }
  close();
  const end = await attempt.ended;
  expect(end).toMatchObject({ reason: null, exitCode: 0 });
  expect(end.outputBytes).toBeGreaterThanOrEqual(40 * MIB);
  // While the first trim copies, the old file is still there.
  expect(most).toBeLessThan(2 * STREAM_BYTES_MAX + MIB);
  expect(diskBytes()).toBeLessThan(STREAM_BYTES_MAX + MIB);

  const page = await read(order, 0, 1);
  expect(page.byteCount).toBe(end.outputBytes);
  expect(page.byteCount - page.droppedBytes).toBeGreaterThan(STREAM_BYTES_MAX / 2);
  expect(page.lines).toMatchObject([{ text: 'first line' }]);
  expect((await read(order, page.lineCount - 1, 1)).lines).toMatchObject([{ text: 'last line' }]);
  expect(page.droppedBefore).toBeGreaterThan(1_000);
  expect(page.droppedBefore).toBeLessThan(page.lineCount - 1_000);
}, 60_000);

test('a writer that nothing slows down is never killed or blocked, and the disk use has a bound (C-087)', async () => {
  const { attempt, order } = await rig.start({ line: `head -c ${300 * MIB} /dev/zero | tr '\\0' x` });
  const end = await attempt.ended;
  expect(end).toMatchObject({ reason: null, exitCode: 0 });
  const folder = rig.outputs.folder(order.runId, order.attemptId);
  const left = fs
    .readdirSync(folder)
    .reduce((sum, name) => sum + fs.statSync(path.join(folder, name)).size, 0);
  expect(left).toBeLessThan(STREAM_BYTES_MAX + MIB);
  const page = await read(order, 0, 0);
  expect(page.byteCount - page.droppedBytes).toBeLessThanOrEqual(STREAM_BYTES_MAX);
}, 60_000);

test('a single line of 20 MB and binary output are shown in bounded pieces (C-089)', async () => {
  const { attempt, order } = await rig.start({
    line: `head -c 20000000 /dev/zero | tr '\\0' x; head -c 5000 /dev/zero >&2`,
  });
  await attempt.ended;
  const { lineCount, lines } = await read(order);
  expect(lines.every((line) => line.text.length <= 4_000)).toBe(true);
  const whole = [];
  for (let from = 0; from < lineCount; from += 2_000) whole.push(...(await read(order, from)).lines);
  // Only the last piece before the cut and the last of all do not go on.
  expect(whole.filter((line) => line.stream === 'stdout' && !line.isPartial)).toHaveLength(2);
  const tail = await read(order, lineCount - 5, 5);
  expect(
    tail.lines
      .filter((line) => line.stream === 'stderr')
      .map((line) => line.text)
      .join(''),
  ).toContain('\0'.repeat(1_000));
  expect(tail.stderrLineCount).toBe(2);
});

test('output that nobody watched is there, in one block per stream and without times', async () => {
  const { attempt, order } = await rig.start({
    line: 'while [ ! -e quiet-go ]; do sleep 0.02; done; echo out; echo err >&2; echo end',
  });
  attempt.detach();
  fs.writeFileSync(place('quiet-go'), '');
  await vi.waitFor(async () => expect(await rig.living()).toEqual([]), { timeout: 10_000 });
  const page = await read(order);
  expect(page.isLive).toBe(false);
  expect(page.lines.map(({ stream, text, at }) => [stream, text, at])).toEqual([
    ['stdout', 'out', null],
    ['stdout', 'end', null],
    ['stderr', 'err', null],
  ]);
});

test('a command that empties its own output is shown with what is left', async () => {
  const { step, close } = stepper('reopen');
  const { attempt, order } = await rig.start({
    line: `echo before; ${stepping('reopen', 'echo after > /dev/stdout')}`,
  });
  await vi.waitFor(async () => expect((await read(order)).lineCount).toBe(1), {
    timeout: 10_000,
    interval: 5,
  });
  step();
  await vi.waitFor(async () => expect((await read(order)).lines.at(-1)?.text).toBe('after'), {
    timeout: 10_000,
    interval: 5,
  });
  close();
  expect(await attempt.ended).toMatchObject({ exitCode: 0 });
  expect((await read(order)).lines.at(-1)?.text).toBe('after');
});

test('a run without output has an empty page, an unknown run none', async () => {
  const { attempt, order } = await rig.start({ line: ':' });
  await attempt.ended;
  expect(await read(order)).toEqual({
    lines: [],
    lineCount: 0,
    byteCount: 0,
    droppedBytes: 0,
    droppedBefore: null,
    stderrLineCount: 0,
    isLive: false,
  });
  expect(await rig.outputs.reader.read(rig.order({}).runId, 0, 10)).toBeNull();
});

test('the newest attempt of a run is the one that is read', async () => {
  const first = await rig.start(
    { line: 'echo one' },
    { attemptId: '00000000-0000-7000-8000-000000000001' as never },
  );
  await first.attempt.ended;
  const second = await rig.start(
    { line: 'echo two' },
    {
      runId: first.order.runId,
      attemptId: '00000000-0000-7000-8000-000000000002' as never,
      attemptNumber: 2,
    },
  );
  await second.attempt.ended;
  expect(await rig.text(first.order)).toBe('two');
});

test('a log that another process watches is read anew when it changes', async () => {
  const other = createRig({
    clock: realClock,
    timer: realTimer,
    processes: createProcessTable(),
    bootId: null,
  });
  try {
    fs.rmSync(path.join(other.root, 'runs'), { recursive: true, force: true });
    fs.mkdirSync(place('runs'), { recursive: true });
    fs.symlinkSync(place('runs'), path.join(other.root, 'runs'));
    const { step, close } = stepper('shared');
    const { attempt, order } = await rig.start({ line: stepping('shared', 'echo more') });
    for (let count = 1; count <= 3; count += 1) {
      step();
      await vi.waitFor(
        async () => expect((await other.outputs.reader.read(order.runId, 0, 9))?.lineCount).toBe(count),
        {
          timeout: 10_000,
          interval: 5,
        },
      );
    }
    close();
    await attempt.ended;
    const seen = await other.outputs.reader.read(order.runId, 0, 9);
    expect(seen).toEqual(await rig.outputs.reader.read(order.runId, 0, 9));
    expect(seen?.lines.every((line) => line.at !== null)).toBe(true);
  } finally {
    await other.remove();
  }
});
