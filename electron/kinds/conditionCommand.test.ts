/** Real processes in a home folder of their own. A command tells what it does in files; waiting is for those. */
import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { type CommandSettings, emptyCommandSettings } from '../../shared/kinds/command';
import { toInstant } from '../../shared/time';
import { createProcessTable } from '../system/processTable';
import { realTimer } from '../system/realTime';
import { userSurroundings } from './commandPlan';
import { CHECK_PERIOD_MS, CHECKS_MAX, type ConditionCommandDeps, createAskCommand } from './conditionCommand';

vi.setConfig({ testTimeout: 30_000 });

const never = new AbortController().signal;
const met = { state: 'met', detail: null };
const cleanUps: (() => void)[] = [];
afterEach(() => {
  for (const cleanUp of cleanUps.splice(0)) cleanUp();
});

function setUp(more: Partial<ConditionCommandDeps> = {}) {
  const home = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'belfry-check-')));
  cleanUps.push(() => fs.rmSync(home, { recursive: true, force: true }));
  const time = { wall: 1_000_000, monotonic: 5_000 };
  const processes = createProcessTable();
  const deps: ConditionCommandDeps = {
    clock: { now: () => toInstant(time.wall), monotonic: () => time.monotonic },
    timer: realTimer,
    host: { nodeId: 'node-1', bootId: 'boot-1' },
    processes,
    surroundings: { ...userSurroundings(), home, loginShell: '/bin/sh' },
    umask: 0o027,
    ids: { next: randomUUID },
    ...more,
  };
  const ask = createAskCommand(deps);
  const shell = (line: string, settings: Partial<CommandSettings> = {}): CommandSettings => ({
    ...emptyCommandSettings,
    form: 'shell',
    line,
    ...settings,
  });
  const read = (name: string): string => {
    try {
      return fs.readFileSync(path.join(home, name), 'utf8');
    } catch {
      return '';
    }
  };
  const lineCount = (name: string): number => read(name).split('\n').length - 1;
  /** Waits until the file has a line. */
  const until = (name: string): Promise<void> =>
    vi.waitFor(() => expect(lineCount(name)).toBeGreaterThan(0), 10_000);
  const isAlive = (pid: number): boolean => {
    const seen = processes.look(pid);
    return seen.kind === 'found' && !seen.process.isZombie;
  };
  const pass = (durationMs: number): void => {
    time.wall += durationMs;
    time.monotonic += durationMs;
  };
  return { home, time, ask, shell, read, lineCount, until, isAlive, pass };
}

const onPosix = test.skipIf(process.platform === 'win32');

onPosix('exit code 0 is met, every other one is not, and a signal is named', async () => {
  const { ask, shell } = setUp();
  expect(await ask(shell('true'), never)).toEqual(met);
  expect(await ask(shell('exit 3'), never)).toEqual({ state: 'unmet', detail: 'exit code 3' });
  expect(await ask(shell('kill -KILL $$'), never)).toEqual({ state: 'unmet', detail: 'ended by SIGKILL' });
});

onPosix(
  'it runs where and as a job does: folder, variables, umask, no input, no terminal, no files of ours',
  async () => {
    const { ask, shell, home, read } = setUp();
    const line =
      'pwd >place; echo "$COLOUR $BELFRY_JOB_ID" >>place; umask >>place; cat >>place; ls /dev/fd >open';
    const variables = [{ name: 'COLOUR', value: 'blue' }];
    expect(await ask(shell(line, { variables }), never)).toEqual(met);
    expect(read('place')).toBe(`${home}\nblue \n0027\n`);
    // 3 is the listing itself.
    expect(
      read('open')
        .split('\n')
        .filter((entry) => Number(entry) > 3),
    ).toEqual([]);
  },
);

onPosix('a program that is passed its arguments as they are', async () => {
  const { ask } = setUp();
  const program = {
    ...emptyCommandSettings,
    form: 'program',
    program: 'test',
    arguments: ['a b', '=', 'a b'],
  } as const;
  expect(await ask({ ...program, arguments: [...program.arguments] }, never)).toEqual(met);
});

onPosix('what cannot start is unmet with the reason', async () => {
  const { ask, shell, home } = setUp();
  expect(await ask({ ...emptyCommandSettings, form: 'program', program: 'no-such-check' }, never)).toEqual({
    state: 'unmet',
    detail: 'no-such-check was not found on this PATH.',
  });
  expect(await ask(shell('true', { folder: '~/gone' }), never)).toEqual({
    state: 'unmet',
    detail: `The folder ${path.join(home, 'gone')} does not exist.`,
  });
  const script = path.join(home, 'not-a-program');
  fs.writeFileSync(script, Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 0]), { mode: 0o755 });
  expect((await ask({ ...emptyCommandSettings, form: 'program', program: script }, never)).state).toBe(
    'unmet',
  );
});

onPosix(
  'a command that takes too long is killed with everything it started, also what left its group',
  async () => {
    const { ask, shell, read, isAlive, until } = setUp({ limitMs: 1_500 });
    const leaving = process.platform === 'linux' ? "setsid sh -c 'echo $$ >>pids; exec sleep 600' &" : '';
    const asking = ask(
      shell(`trap "" TERM; echo $$ >>pids; sleep 600 & echo $! >>pids; ${leaving} echo >ready; wait`),
      never,
    );
    await until('ready');
    expect(await asking).toEqual({ state: 'unmet', detail: 'did not end within 2 s' });
    const pids = read('pids').trim().split('\n').map(Number);
    expect(pids.length).toBeGreaterThanOrEqual(2);
    await vi.waitFor(() => expect(pids.filter(isAlive)).toEqual([]), 10_000);
  },
);

onPosix('what a command leaves behind in its group ends with it', async () => {
  const { ask, shell, read, isAlive } = setUp();
  expect(await ask(shell('sleep 600 & echo $! >pid'), never)).toEqual(met);
  await vi.waitFor(() => expect(isAlive(Number(read('pid')))).toBe(false), 10_000);
});

onPosix('asked again within ten seconds it remembers the answer, for the same settings only', async () => {
  const { ask, shell, lineCount, pass } = setUp();
  const settings = shell('echo >>runs; exit 1');
  const no = { state: 'unmet', detail: 'exit code 1' };
  for (let count = 0; count < 3; count += 1) expect(await ask({ ...settings }, never)).toEqual(no);
  expect(lineCount('runs')).toBe(1);
  await ask(shell('echo >>runs; exit 1 '), never);
  expect(lineCount('runs')).toBe(2);
  pass(CHECK_PERIOD_MS);
  expect(await ask(settings, never)).toEqual(no);
  expect(lineCount('runs')).toBe(3);
});

onPosix('an answer from before a sleep, or from a clock that was set back, is asked anew', async () => {
  const { ask, shell, lineCount, time } = setUp();
  const settings = shell('echo >>runs');
  await ask(settings, never);
  time.wall += 3_600_000;
  await ask(settings, never);
  time.wall -= 7_200_000;
  await ask(settings, never);
  expect(lineCount('runs')).toBe(3);
});

onPosix('never twice at once: who asks meanwhile gets the same answer', async () => {
  const { ask, shell, lineCount, until, home, pass } = setUp();
  const settings = shell('echo >>runs; while [ ! -e go ]; do sleep 0.02; done');
  const first = ask(settings, never);
  await until('runs');
  pass(CHECK_PERIOD_MS);
  const others = [ask(settings, never), ask(settings, never)];
  fs.writeFileSync(path.join(home, 'go'), '');
  expect(await Promise.all([first, ...others])).toEqual([met, met, met]);
  expect(lineCount('runs')).toBe(1);
});

onPosix(
  'it is killed when the last who asked gives up, not before, and its end is no answer for the next',
  async () => {
    const { ask, shell, read, isAlive, until, home } = setUp();
    const settings = shell('if [ -e go ]; then exit 0; fi; echo $$ >>pid; exec sleep 600');
    const [one, other] = [new AbortController(), new AbortController()];
    const asking = [ask(settings, one.signal), ask(settings, other.signal)];
    await until('pid');
    const pid = Number(read('pid'));
    one.abort();
    expect(await asking[0]).toEqual({ state: 'unmet', detail: 'not waited for' });
    expect(isAlive(pid)).toBe(true);
    fs.writeFileSync(path.join(home, 'go'), '');
    other.abort();
    expect(await asking[1]).toEqual({ state: 'unmet', detail: 'not waited for' });
    expect(await ask(settings, never)).toEqual(met);
    expect(isAlive(pid)).toBe(false);
    expect(await ask(settings, AbortSignal.abort())).toEqual({ state: 'unmet', detail: 'not waited for' });
  },
);

onPosix('only a few run at once, and who does not get its turn in time is told so', async () => {
  const { ask, shell, lineCount } = setUp({ limitMs: 1_000 });
  const hanging = Array.from({ length: CHECKS_MAX }, (_, index) => ask(shell(`sleep 60${index}`), never));
  const late = await ask(shell('echo >>ran'), never);
  const answers = await Promise.all(hanging);
  expect(new Set(answers.map(({ detail }) => detail))).toEqual(new Set(['did not end within 1 s']));
  // Its turn comes just when its time is over, or just before.
  expect(late.detail === 'other checks took too long' ? 0 : 1).toBe(lineCount('ran'));
});

test('on Windows it cannot be told', async () => {
  const { ask, shell } = setUp({ surroundings: { ...userSurroundings(), platform: 'win32' } });
  expect(await ask(shell('true'), never)).toEqual({ state: 'unknown', detail: null });
});
