// The shim under every shell of this machine that could be /bin/sh somewhere.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { prepareRunFolder, readResult, readShimPid } from './runFolder';
import { findShimShell, shimArguments } from './shim';

const shells = ['/bin/sh', '/bin/dash', '/bin/bash', '/bin/zsh', '/bin/mksh', '/bin/ksh'].filter((shell) =>
  fs.existsSync(shell),
);

let folder = '';
beforeEach(async () => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'belfry-shim-'));
  await prepareRunFolder(folder, { nodeId: 'node-1', bootId: null });
});
afterEach(() => fs.rmSync(folder, { recursive: true }));

const text = (name: string): string =>
  fs.existsSync(path.join(folder, name)) ? fs.readFileSync(path.join(folder, name), 'utf8') : '';

describe.each(shells)('under %s', (shell) => {
  const isBash = shell.endsWith('bash');
  function start(program: string, args: string[], env: NodeJS.ProcessEnv = process.env): ChildProcess {
    const out = fs.openSync(path.join(folder, 'stdout'), 'a');
    const err = fs.openSync(path.join(folder, 'stderr'), 'a');
    const child = spawn(
      shell,
      shimArguments({ isBash, runFolder: folder, umask: 0o022, program, arguments: args }),
      {
        // Shells look at their name to know that they are to behave as `sh`.
        argv0: 'sh',
        cwd: folder,
        env,
        detached: true,
        // From 4 on: files of the parent that it did not mean to hand on, as in Electron.
        stdio: ['ignore', out, 'ignore', err, ...Array.from({ length: 12 }, () => out)],
      },
    );
    fs.closeSync(out);
    fs.closeSync(err);
    return child;
  }
  const group = (child: ChildProcess): number => -(child.pid ?? Number.NaN);
  const isUp = (): Promise<void> =>
    vi.waitFor(() => expect(text('stdout')).toContain('up'), { timeout: 10_000, interval: 5 });

  test('writes pid and exit code, and passes arguments and both streams', async () => {
    const child = start('/bin/sh', ['-c', 'echo "$0" "$1"; umask; echo err >&2; exit 7', 'a  b', '$(c)']);
    await once(child, 'exit');
    expect(readShimPid(folder)).toBe(child.pid);
    expect(readResult(folder)?.code).toBe(7);
    expect(text('stdout')).toBe('a  b $(c)\n0022\n');
    expect(text('stderr')).toBe('err\n');
    expect(child.exitCode).toBe(7);
  });

  test('the command holds no file that the parent left open', async () => {
    const child = start('/bin/sh', [
      '-c',
      'for fd in 4 5 6 7 8 9 10 11 15; do [ -e "/dev/fd/$fd" ] && echo "$fd"; done; true',
    ]);
    await once(child, 'exit');
    // A shell other than bash cannot name two digits.
    expect(text('stdout')).toBe(isBash ? '' : '10\n11\n15\n');
    expect(readResult(folder)?.code).toBe(0);
  });

  test('survives a soft signal to its group and tells 143', async () => {
    const child = start('/bin/sh', ['-c', 'echo up; exec sleep 600']);
    await isUp();
    process.kill(group(child), 'SIGTERM');
    await once(child, 'exit');
    expect(readResult(folder)?.code).toBe(143);
  });

  test('waits for a command that ignores every soft signal', async () => {
    const line = 'trap "" TERM INT HUP; echo up; while [ ! -e go ]; do :; done; exit 9';
    const child = start('/bin/sh', ['-c', line]);
    await isUp();
    for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGTERM'] as const) process.kill(group(child), name);
    expect(readResult(folder)).toBeNull();
    fs.writeFileSync(path.join(folder, 'go'), '');
    await once(child, 'exit');
    expect(readResult(folder)?.code).toBe(9);
  });

  test('the command can catch INT, which a background command could not', async () => {
    const child = start('/bin/sh', ['-c', 'trap "exit 5" INT; echo up; while :; do sleep 0.02; done']);
    await isUp();
    process.kill(group(child), 'SIGINT');
    await once(child, 'exit');
    expect(readResult(folder)?.code).toBe(5);
  });

  test('writes over what was reserved, so that a full disk cannot refuse it', async () => {
    const facts = (): [string, number, number][] =>
      ['pid', 'result'].map((name) => {
        const { ino, size } = fs.statSync(path.join(folder, name));
        return [name, ino, size];
      });
    const reserved = facts();
    await once(start('/bin/sh', ['-c', 'exit 142']), 'exit');
    expect(readResult(folder)?.code).toBe(142);
    expect(facts()).toEqual(reserved);
  });

  test('tells the exit code to its parent when the result cannot be written', async () => {
    fs.rmSync(path.join(folder, 'result'));
    fs.mkdirSync(path.join(folder, 'result'));
    const child = start('/bin/sh', ['-c', 'exit 42']);
    await once(child, 'exit');
    expect(child.exitCode).toBe(42);
  });

  test('notes its pid before the command begins, and starts nothing if it cannot or must not', async () => {
    await once(start('/bin/cat', ['pid']), 'exit');
    expect(text('stdout').trim()).toBe(String(readShimPid(folder)));
    // Revoked, and not to be written.
    for (const make of [() => {}, () => fs.mkdirSync(path.join(folder, 'pid'))]) {
      fs.rmSync(path.join(folder, 'pid'));
      make();
      const child = start('/bin/sh', ['-c', 'touch began']);
      await once(child, 'exit');
      expect(child.exitCode).toBe(126);
      expect(fs.existsSync(path.join(folder, 'began'))).toBe(false);
      fs.rmSync(path.join(folder, 'pid'), { recursive: true, force: true });
      fs.writeFileSync(path.join(folder, 'pid'), '');
    }
  });

  test('a program that is not there is 127 with a word on standard error', async () => {
    const child = start('/no/such/program', []);
    await once(child, 'exit');
    expect(readResult(folder)?.code).toBe(127);
    expect(text('stderr')).toContain('/no/such/program');
  });

  test('an environment that changes how shells behave does not change the shim', async () => {
    const child = start('/bin/sh', ['-c', 'exit 6'], {
      SHELLOPTS: 'errexit:nounset:noglob',
      'BASH_FUNC_echo%%': '() { exit 1; }',
      'BASH_FUNC_umask%%': '() { exit 1; }',
      IFS: 'e',
      PATH: '',
    });
    await once(child, 'exit');
    expect(readResult(folder)?.code).toBe(6);
    expect(readShimPid(folder)).toBe(child.pid);
  });
});

test('prefers bash, which can close every descriptor', () => {
  const found = findShimShell();
  expect(fs.existsSync(found.path)).toBe(true);
  expect(found.isBash).toBe(fs.existsSync('/bin/bash') || fs.existsSync('/usr/bin/bash'));
});
