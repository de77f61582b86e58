import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { runProgram } from './processes.mjs';

const module = JSON.stringify(path.join(import.meta.dirname, 'processes.mjs'));
const isPosix = process.platform !== 'win32';

/** Runs code in a process of its own, so that signals can be sent to it. */
function startScript(body: string): ChildProcess {
  const source = `import { runProgram, runToEnd } from ${module};\n${body}`;
  return spawn(process.execPath, ['--input-type=module', '--eval', source], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

/** Collects what a process prints, and resolves when `text` is in it. */
function reader(child: ChildProcess) {
  let output = '';
  child.stdout?.on('data', (data) => {
    output += data;
  });
  return {
    all: () => output,
    until: async (text: string) => {
      while (!output.includes(text)) await once(child.stdout as NonNullable<typeof child.stdout>, 'data');
    },
  };
}

/** A process that has ended but was not asked for its exit code by its parent counts as gone. */
function isAlive(pid: number): boolean {
  const file = `/proc/${pid}/stat`;
  return fs.existsSync(file) && !/\) Z /.test(fs.readFileSync(file, 'utf8'));
}

test('answers the exit code, the signal in the way of shells, or 127', async () => {
  const run = (code: string) => runProgram(process.execPath, ['--eval', code]);
  await expect(run('process.exit(3)')).resolves.toEqual({ code: 3, interruptedBy: null });
  await expect(run('process.kill(process.pid, "SIGTERM")')).resolves.toMatchObject({ code: 143 });
  await expect(runProgram('no-such-program-of-belfry', [])).resolves.toMatchObject({ code: 127 });
});

test('passes on what the program prints', async () => {
  const texts: string[] = [];
  const script = 'console.log("belfry: window drawn after 12 ms")';
  await runProgram(process.execPath, ['--eval', script], { onOutput: (text) => texts.push(text) });
  expect(texts.join('')).toBe('belfry: window drawn after 12 ms\n');
});

test('kills what takes too long', async () => {
  const program = 'setInterval(() => undefined, 1000)';
  const { code } = await runProgram(process.execPath, ['--eval', program], { limitMs: 200 });
  expect(code).toBe(137);
});

test.runIf(isPosix)('passes a signal on once, although npm sends it a second time', async () => {
  const script = startScript(`
    const program = 'let count = 0; process.on("SIGINT", () => { count += 1; console.log("interrupted"); });' +
      'process.on("SIGTERM", () => { console.log("count " + count); process.exit(7); });' +
      'setInterval(() => undefined, 1000); console.log("ready");';
    console.log(JSON.stringify(await runProgram(process.execPath, ['--eval', program])));`);
  const output = reader(script);
  await output.until('ready');
  script.kill('SIGINT');
  await output.until('interrupted');
  script.kill('SIGINT');
  script.kill('SIGTERM');
  await output.until('}');
  expect(output.all()).toContain('count 1');
  expect(JSON.parse(output.all().split('\n').at(-2) ?? '')).toMatchObject({ code: 7 });
});

test.runIf(isPosix)('ends itself as the signal would have, when a step is interrupted', async () => {
  const script = startScript(`
    const program = 'console.log("ready"); setInterval(() => undefined, 1000);';
    await runToEnd(process.execPath, ['--eval', program]);
    console.log('went on');`);
  const output = reader(script);
  await output.until('ready');
  script.kill('SIGINT');
  const [code] = await once(script, 'close');
  expect(code).toBe(130);
  expect(output.all()).not.toContain('went on');
});

test.runIf(isPosix)('kills what does not listen when its patience is over', async () => {
  const script = startScript(`
    const program = 'process.on("SIGINT", () => undefined); console.log("ready"); setInterval(() => undefined, 1000);';
    await runToEnd(process.execPath, ['--eval', program], { patienceMs: 50 });`);
  await reader(script).until('ready');
  script.kill('SIGINT');
  const [code] = await once(script, 'close');
  expect(code).toBe(130);
});

test.runIf(process.platform === 'linux')('leaves nothing of a group behind', async () => {
  const texts: string[] = [];
  const onOutput = (text: string) => texts.push(text);
  await runProgram('sh', ['-c', 'sleep 1000 >/dev/null & echo $!'], { isGroup: true, onOutput });
  const pid = Number(texts.join(''));
  expect(pid).toBeGreaterThan(1);
  await expect.poll(() => isAlive(pid)).toBe(false);
});
