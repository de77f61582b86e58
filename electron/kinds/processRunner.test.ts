// Real commands through the real shim. Every test waits for what it wants to see, and afterwards nothing may be alive.
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, expect, test, vi } from 'vitest';
import { createHost } from '../system/host';
import { createProcessTable } from '../system/processTable';
import { realClock, realTimer } from '../system/realTime';
import { launchShim } from './launch';
import { createRig } from './testRig';

const processes = createProcessTable();
const { bootId } = createHost({ nodeId: 'node-1', processes });
const rig = createRig({ clock: realClock, timer: realTimer, processes, bootId });
const place = (...names: string[]): string => path.join(rig.root, ...names);

afterEach(async () => {
  expect(await rig.living()).toEqual([]);
  expect(rig.warnings).toEqual([]);
});
afterAll(() => rig.remove());

/** Waits for a file that the command makes. */
const appears = (name: string): Promise<void> =>
  vi.waitFor(() => expect(fs.existsSync(place(name))).toBe(true), { timeout: 10_000, interval: 5 });

test('a command ends with its exit code, its output and the moment of its end', async () => {
  const before = Date.now();
  const { attempt, order } = await rig.start({ line: 'echo out; echo err >&2; exit 7' });
  const end = await attempt.ended;
  expect(end).toMatchObject({ reason: 'exit_code', detail: null, exitCode: 7, signal: null, outputBytes: 8 });
  // The time of a file may lag by a tick of the kernel.
  expect(end.endedAt).toBeGreaterThan(before - 50);
  expect(end.endedAt).toBeLessThanOrEqual(Date.now());
  expect(await rig.text(order)).toBe('out');
  expect(await rig.text(order, 'stderr')).toBe('err');
});

test('success has no reason', async () => {
  const { attempt } = await rig.start({ form: 'program', program: 'true' });
  expect(await attempt.ended).toMatchObject({ reason: null, exitCode: 0, signal: null, outputBytes: 0 });
});

test.each([
  ['a crash', 'kill -SEGV $$', { reason: 'signal', exitCode: 139, signal: 'SIGSEGV' }],
  ['a kill', 'kill -KILL $$', { reason: 'signal', exitCode: 137, signal: 'SIGKILL' }],
  ['143 by its own choice', 'exit 143', { reason: 'exit_code', exitCode: 143, signal: null }],
  ['a TERM that Belfry did not send', 'kill -TERM $$', { reason: 'exit_code', exitCode: 143, signal: null }],
  [
    'not found by the shell',
    'no-such-program-of-belfry',
    { reason: 'exit_code', exitCode: 127, signal: null },
  ],
])('tells a death by signal from an exit code where that can be known: %s', async (_, line, expected) => {
  const { attempt } = await rig.start({ line });
  expect(await attempt.ended).toMatchObject(expected);
});

test('the command gets the documented facts, its own variables, and nothing of Belfry or Electron (security.md 4.12)', async () => {
  process.env.ELECTRON_RUN_AS_NODE = '1';
  process.env.BELFRY_SECRET = 'x';
  const { attempt, order } = await rig.start(
    {
      form: 'program',
      program: 'env',
      arguments: ['-0'],
      variables: [
        { name: 'OWN', value: 'two\nlines $HOME' },
        { name: 'BELFRY_RUN_ID', value: 'forged' },
      ],
    },
    { plannedAt: 0 as never, lateMs: 12, trigger: 'catch_up' },
  );
  await attempt.ended;
  delete process.env.ELECTRON_RUN_AS_NODE;
  delete process.env.BELFRY_SECRET;
  const written = fs.readFileSync(
    path.join(rig.outputs.folder(order.runId, order.attemptId), 'stdout'),
    'utf8',
  );
  const seen = new Map(written.split('\0').map((entry) => entry.split(/=(.*)/s, 2) as [string, string]));
  expect(Object.fromEntries([...seen].filter(([name]) => name.startsWith('BELFRY')))).toEqual({
    BELFRY_RUN_ID: order.runId,
    BELFRY_JOB_ID: order.jobId,
    BELFRY_JOB_NAME: 'Back up',
    BELFRY_TRIGGER: 'catch_up',
    BELFRY_ATTEMPT: '1',
    BELFRY_PLANNED_AT: '1970-01-01T00:00:00.000Z',
    BELFRY_LATE_MS: '12',
  });
  expect(seen.get('OWN')).toBe('two\nlines $HOME');
  expect(seen.get('PWD')).toBe(rig.root);
  expect([...seen.keys()].filter((name) => /^(ELECTRON|CHROME|npm)_/.test(name))).toEqual([]);
});

test('variables that the shim could use by itself reach the command as they were', async () => {
  const variables = ['dir', 'code', 'IFS_', 'i', 'ENV', 'BASH_ENV'].map((name) => ({
    name,
    value: `of the user ${name}`,
  }));
  const { attempt, order } = await rig.start({ form: 'program', program: 'env', variables });
  await attempt.ended;
  const lines = (await rig.text(order)).split('\n');
  for (const { name, value } of variables) expect(lines).toContain(`${name}=${value}`);
});

test('a search path of the job does not take the shim its own means', async () => {
  const variables = [{ name: 'PATH', value: '/no/such/folder' }];
  const { attempt } = await rig.start({ line: 'exit 4', shell: '/bin/sh', variables });
  expect((await attempt.ended).exitCode).toBe(4);
});

test.skipIf(process.platform !== 'linux')(
  'the command begins with no signal ignored or blocked',
  async () => {
    const { attempt, order } = await rig.start({
      form: 'program',
      program: 'grep',
      arguments: ['^Sig[IB]', '/proc/self/status'],
    });
    await attempt.ended;
    expect(await rig.text(order)).toBe(`SigBlk:\t${'0'.repeat(16)}\nSigIgn:\t${'0'.repeat(16)}`);
  },
);

test('standard input is empty, the folder is the chosen one, and there is no terminal', async () => {
  fs.mkdirSync(place('Notes (1)'));
  const { attempt, order } = await rig.start({ folder: '~/Notes (1)', line: 'cat; pwd; tty' });
  await attempt.ended;
  expect(await rig.text(order)).toBe(`${place('Notes (1)')}\nnot a tty`);
});

test("our files are private, what the command makes has the user's umask (security.md 4.13)", async () => {
  const { attempt, order } = await rig.start({ line: 'umask; touch made' });
  await attempt.ended;
  expect(await rig.text(order)).toBe('0027');
  expect(fs.statSync(place('made')).mode & 0o777).toBe(0o640);
  const folder = rig.outputs.folder(order.runId, order.attemptId);
  expect(fs.statSync(folder).mode & 0o777).toBe(0o700);
  expect(fs.statSync(place('runs')).mode & 0o777).toBe(0o700);
  for (const name of fs.readdirSync(folder))
    expect([name, fs.statSync(path.join(folder, name)).mode & 0o777]).toEqual([name, 0o600]);
  expect(fs.readdirSync(folder).sort()).toEqual(['index', 'origin', 'pid', 'result', 'stderr', 'stdout']);
});

test('arguments arrive exactly as they were typed, whatever is in them (C-084)', async () => {
  const hostile = [
    'a b',
    'c&d',
    '"q"',
    '%TEMP%',
    '$HOME',
    '$(touch hacked)',
    '`touch hacked`',
    "'; touch hacked; '",
    'line\nbreak\r\t',
    '',
    '-rf',
    '--',
    '*',
    '~',
    '\\',
    '日本 ünï',
    '\u{1f514}',
    'x'.repeat(10_000),
  ];
  const many = [...hostile, ...Array.from({ length: 11 }, () => 'y'.repeat(9_000))];
  fs.writeFileSync(place('my tool (1).cmd'), '#!/bin/sh\nprintf "%s\\0" "$@"\n', { mode: 0o755 });
  const { attempt, order } = await rig.start({
    form: 'program',
    program: './my tool (1).cmd',
    arguments: many,
  });
  expect((await attempt.ended).exitCode).toBe(0);
  const written = fs.readFileSync(
    path.join(rig.outputs.folder(order.runId, order.attemptId), 'stdout'),
    'utf8',
  );
  expect(written.split('\0').slice(0, -1)).toEqual(many);
  expect(fs.existsSync(place('hacked'))).toBe(false);
});

test('a line for a shell is one string, quotes, breaks and all', async () => {
  const line = `# comment\nprintf '%s|' "a'b" 'c"d' \\\n  "$(echo sub)" '$x'\nexit 5`;
  const { attempt, order } = await rig.start({ line });
  expect((await attempt.ended).exitCode).toBe(5);
  expect(await rig.text(order)).toBe(`a'b|c"d|sub|$x|`);
});

test('a command with names from everywhere runs', async () => {
  const folder = 'Ünï 日本 \u{1f514}';
  fs.mkdirSync(place(folder));
  fs.writeFileSync(place(folder, 'пуск'), '#!/bin/sh\necho "$0" "$BELFRY_JOB_NAME"\n', { mode: 0o755 });
  const { attempt, order } = await rig.start(
    { form: 'program', program: './пуск', folder: `~/${folder}` },
    { jobName: 'Grüße\n"$(id)"' },
  );
  expect((await attempt.ended).exitCode).toBe(0);
  expect(await rig.text(order)).toBe(`${place(folder, 'пуск')} Grüße\n"$(id)"`);
});

test('the umask of the job counts before that of the user', async () => {
  const { attempt, order } = await rig.start({ line: 'umask; touch strict', umask: '0077' });
  await attempt.ended;
  expect(await rig.text(order)).toBe('0077');
  expect(fs.statSync(place('strict')).mode & 0o777).toBe(0o600);
});

test('a job that gives way to other programs runs with its niceness', async () => {
  const { attempt, order } = await rig.start({ line: 'nice', niceness: 19, ioPriority: 'idle' });
  await attempt.ended;
  expect(await rig.text(order)).toBe('19');
});

test('a file of variables is read at each start, below those of the job, and the facts of the run come last', async () => {
  fs.writeFileSync(place('.env'), 'A="one=1"\nB=file\nBELFRY_JOB_NAME=wrong\n');
  const settings = {
    line: 'echo "$A|$B|$BELFRY_JOB_NAME"',
    envFile: '.env',
    variables: [{ name: 'B', value: 'job' }],
  };
  const first = await rig.start(settings);
  await first.attempt.ended;
  expect(await rig.text(first.order)).toBe('one=1|job|Back up');
  fs.writeFileSync(place('.env'), 'A=two\n');
  const second = await rig.start(settings);
  await second.attempt.ended;
  expect(await rig.text(second.order)).toBe('two|job|Back up');
});

test('a job with only its own variables gets nothing else but the facts of the run', async () => {
  const { attempt, order } = await rig.start({
    form: 'program',
    program: 'env',
    environment: 'own',
    variables: [{ name: 'ONLY', value: 'mine' }],
  });
  expect((await attempt.ended).exitCode).toBe(0);
  const names = (await rig.text(order)).split('\n').map((line) => line.split('=')[0] ?? '');
  // What a shell adds by itself: the shim is one.
  const added = ['PWD', 'OLDPWD', 'SHLVL', '_'];
  expect(names.filter((name) => !name.startsWith('BELFRY_') && !added.includes(name))).toEqual(['ONLY']);
});

test('what cannot start is a failed attempt with a reason, and leaves nothing behind', async () => {
  fs.writeFileSync(place('plain'), 'text');
  const refusals = [
    [{ line: 'true', folder: '~/gone' }, 'folder_missing', `The folder ${place('gone')} does not exist.`],
    [
      { line: 'true', shell: '/bin/nosh' },
      'shell_not_found',
      'The shell cannot be used. /bin/nosh does not exist.',
    ],
    [
      { form: 'program', program: 'no-such-program-of-belfry' },
      'program_not_found',
      'no-such-program-of-belfry was not found on this PATH.',
    ],
    [
      { line: 'true', envFile: 'gone.env' },
      'env_file_unreadable',
      `The file of variables ${place('gone.env')} does not exist.`,
    ],
    [{ form: 'program', program: './plain' }, 'not_executable', `${place('plain')} is not executable.`],
  ] as const;
  for (const [settings, reason, detail] of refusals) {
    const order = rig.order(settings);
    const started = await rig.runner.start(order);
    expect(started).toMatchObject({
      kind: 'failed',
      end: { reason, detail, exitCode: null, signal: null, outputBytes: 0 },
    });
    expect(fs.existsSync(place('runs', order.runId))).toBe(false);
    expect(await rig.outputs.reader.read(order.runId, 0, 10)).toBeNull();
  }
});

test('a command that is longer than the system allows is a failed attempt', async () => {
  const value = 'x'.repeat(10_000);
  const order = rig.order({
    form: 'program',
    program: 'true',
    arguments: Array.from({ length: 200 }, () => value),
    variables: Array.from({ length: 200 }, (_, index) => ({ name: `V${index}`, value })),
  });
  expect(await rig.runner.start(order)).toMatchObject({
    kind: 'failed',
    end: {
      reason: 'spawn_failed',
      detail: 'The command, its arguments and its environment are longer than this system allows.',
    },
  });
  expect(fs.existsSync(place('runs', order.runId))).toBe(false);
});

test('a folder that vanishes between check and start is named', async () => {
  fs.mkdirSync(place('run'));
  const launched = await launchShim({
    runFolder: place('run'),
    program: '/bin/true',
    arguments: [],
    folder: place('vanished'),
    environment: {},
    umask: 0o022,
  });
  expect(launched).toEqual({
    kind: 'failed',
    reason: 'folder_missing',
    detail: `The folder ${place('vanished')} does not exist.`,
  });
});

test('a script without a first line runs, one with a missing interpreter ends with 127 and says why', async () => {
  fs.writeFileSync(place('bare'), 'exit 6\n', { mode: 0o755 });
  const bare = await rig.start({ form: 'program', program: './bare' });
  expect((await bare.attempt.ended).exitCode).toBe(6);
  fs.writeFileSync(place('lost'), '#!/no/such/interpreter\n', { mode: 0o755 });
  const lost = await rig.start({ form: 'program', program: './lost' });
  expect((await lost.attempt.ended).exitCode).toBe(127);
  expect(await rig.text(lost.order, 'stderr')).toContain(place('lost'));
});

test('a soft signal ends the command, and its exit code still arrives', async () => {
  const { attempt } = await rig.start({ line: 'touch soft-up; sleep 600' });
  await appears('soft-up');
  await attempt.signal('soft');
  expect(await attempt.ended).toMatchObject({
    reason: 'signal',
    exitCode: 143,
    signal: 'SIGTERM',
    detail: null,
  });
  await attempt.signal('hard');
});

test('a command that ignores the soft signal ends with its own code', async () => {
  const line = `trap '' TERM INT HUP; touch deaf-up; while [ ! -e deaf-go ]; do :; done; exit 9`;
  const { attempt } = await rig.start({ line });
  await appears('deaf-up');
  await attempt.signal('soft');
  await attempt.signal('soft');
  fs.writeFileSync(place('deaf-go'), '');
  expect(await attempt.ended).toMatchObject({ reason: 'exit_code', exitCode: 9, signal: null });
});

test('a command that cleans up after the soft signal ends with the code it chose', async () => {
  const line = `trap 'touch cleaned; exit 3' TERM; touch clean-up; while :; do sleep 0.02; done`;
  const { attempt } = await rig.start({ line });
  await appears('clean-up');
  await attempt.signal('soft');
  expect(await attempt.ended).toMatchObject({ reason: 'exit_code', exitCode: 3 });
  expect(fs.existsSync(place('cleaned'))).toBe(true);
});

test('what ignores the soft signal dies of the hard one (C-080)', async () => {
  const { attempt } = await rig.start({ line: `trap '' TERM; touch hard-up; while :; do :; done` });
  await appears('hard-up');
  await attempt.signal('soft');
  await attempt.signal('hard');
  await attempt.signal('hard');
  expect(await attempt.ended).toMatchObject({
    reason: 'signal',
    exitCode: null,
    signal: 'SIGKILL',
    detail: null,
  });
});

test('a stop in the very moment of the start ends it too', async () => {
  for (let round = 0; round < 20; round += 1) {
    const { attempt } = await rig.start({ line: 'sleep 600' });
    await attempt.signal('soft');
    await attempt.signal('hard');
    expect(await attempt.ended).toMatchObject({ reason: 'signal', detail: null });
  }
});

test('a stop ends the shell, its child and its grandchild (C-077, S-74)', async () => {
  const { attempt } = await rig.start({
    line: `sh -c 'sh -c "touch three-up; sleep 600" & sleep 600' & sleep 600`,
  });
  await appears('three-up');
  expect((await rig.living()).length).toBeGreaterThanOrEqual(5);
  await attempt.signal('soft');
  expect(await attempt.ended).toMatchObject({ signal: 'SIGTERM' });
});

test('after a stop the attempt goes on until a grandchild that ignores the soft signal is gone (S-74)', async () => {
  const { attempt } = await rig.start({
    line: `sh -c "trap '' TERM; touch stubborn-up; while :; do sleep 0.02; done" & sleep 600`,
  });
  await appears('stubborn-up');
  await attempt.signal('soft');
  // The shell itself ends at once and its code is written, but somebody is still there.
  await vi.waitFor(async () => expect(await rig.living()).not.toContain(attempt.identity.pid), {
    timeout: 10_000,
  });
  expect(await Promise.race([attempt.ended, 'still going'])).toBe('still going');
  await attempt.signal('hard');
  expect(await attempt.ended).toMatchObject({ exitCode: 143, signal: 'SIGTERM' });
});

test.skipIf(process.platform !== 'linux')(
  'who left the group is stopped too, and the run says so (C-078)',
  async () => {
    const { attempt } = await rig.start({
      line: `setsid sh -c "trap '' TERM; touch away-up; while :; do sleep 0.02; done" & sleep 600`,
    });
    await appears('away-up');
    await attempt.signal('soft');
    await attempt.signal('hard');
    const end = await attempt.ended;
    expect(end.detail).toMatch(/^\d+ process(es)? had left the group and (was|were) stopped too \(pid \d+/);
  },
);

test('a command that ends by itself and leaves a process behind is not silent about it (C-078, C-086)', async () => {
  const { attempt, order } = await rig.start({
    line: 'sh -c "while [ ! -e left-go ]; do sleep 0.02; done; echo late" & echo $!',
  });
  const end = await attempt.ended;
  const pid = await rig.text(order);
  expect(end).toMatchObject({ reason: null, exitCode: 0 });
  expect(end.detail).toMatch(new RegExp(`still running \\(pid .*${pid}`));
  fs.writeFileSync(place('left-go'), '');
  // Its last line first: a process that is just becoming another program shows no environment, so for a moment it cannot
  // be told by its run and would be taken for gone.
  await vi.waitFor(async () => expect(await rig.text(order)).toBe(`${pid}\nlate`), { timeout: 10_000 });
  await vi.waitFor(async () => expect(await rig.living()).toEqual([]), { timeout: 10_000 });
});

test('a command whose shim is killed is watched to its end, and its code is not made up', async () => {
  const { attempt } = await rig.start({
    line: 'touch orphan-up; while [ ! -e orphan-go ]; do sleep 0.02; done',
  });
  await appears('orphan-up');
  process.kill(attempt.identity.pid, 'SIGKILL');
  await vi.waitFor(async () => expect(await rig.living()).not.toContain(attempt.identity.pid), {
    timeout: 10_000,
  });
  expect(await Promise.race([attempt.ended, 'still going'])).toBe('still going');
  fs.writeFileSync(place('orphan-go'), '');
  expect(await attempt.ended).toMatchObject({ reason: 'interrupted', exitCode: null, signal: null });
});

test('a command that kills its whole group ends as killed', async () => {
  const { attempt } = await rig.start({ line: 'kill -KILL 0' });
  expect(await attempt.ended).toMatchObject({ reason: 'signal', exitCode: null, signal: 'SIGKILL' });
});

test('a hundred commands at once all end truly, and nothing of them stays (C-086)', async () => {
  const openBefore = process.platform === 'linux' ? fs.readdirSync('/proc/self/fd').length : 0;
  // The longest time for which nothing else could happen, counted in starts.
  let startCount = 0;
  let countBefore = 0;
  let startsAtOnceMax = 0;
  let isStarting = true;
  const watchTurns = (): void => {
    startsAtOnceMax = Math.max(startsAtOnceMax, startCount - countBefore);
    countBefore = startCount;
    if (isStarting) setImmediate(watchTurns);
  };
  watchTurns();
  const started = await Promise.all(
    Array.from({ length: 100 }, async (_, index) => {
      const one = await rig.start({ line: `echo ${index}; exit ${index}` });
      startCount += 1;
      return one;
    }),
  );
  isStarting = false;
  const ends = await Promise.all(started.map(({ attempt }) => attempt.ended));
  expect(ends.map((end) => end.exitCode)).toEqual(Array.from({ length: 100 }, (_, index) => index));
  for (const [index, { order }] of started.entries()) expect(await rig.text(order)).toBe(String(index));
  expect(startsAtOnceMax).toBeLessThanOrEqual(2);
  const pids = new Set(started.map(({ attempt }) => attempt.identity.pid));
  expect(pids.size).toBe(100);
  // Nobody is left waiting to be reaped, and every file was closed.
  for (const pid of pids) expect(processes.look(pid).kind).toBe('absent');
  if (process.platform === 'linux') {
    expect(Math.abs(fs.readdirSync('/proc/self/fd').length - openBefore)).toBeLessThanOrEqual(5);
  }
});
