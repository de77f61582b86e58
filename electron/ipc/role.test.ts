import { expect, test } from 'vitest';
import type { EngineState, SchedulerStatus } from '../../shared/model/settings';
import { failedStoreStatus } from './handlers';
import { createRole, LOOK_AGAIN_MS } from './role';
import type { SocketClient } from './socketClient';

const other = {} as SocketClient;

function setUp(state: EngineState, options: { isOtherAnswering?: boolean; openFails?: () => boolean } = {}) {
  const now = { state, isFound: false, isAnswering: options.isOtherAnswering === true, isFrozen: false };
  const done: string[] = [];
  const timers = new Map<() => void, number>();
  const status = async (): Promise<SchedulerStatus> => ({ ...failedStoreStatus(''), state: now.state });
  const role = createRole({
    engine: { status, notifyResume: () => void done.push('look') },
    socket: {
      open: async ({ runsJobs }) => {
        if (options.openFails?.()) throw new Error('no room');
        done.push(`open ${runsJobs}`);
        now.isFound = runsJobs || !now.isAnswering;
        return now.isFound;
      },
      isFound: () => now.isFound,
    },
    link: {
      client: async () => {
        done.push('connect');
        return now.isAnswering ? other : null;
      },
      answering: async () => (now.isAnswering && !now.isFrozen ? other : null),
    },
    log: { info: () => undefined, warn: () => undefined, error: (event) => void done.push(event) },
    timer: {
      after: (delayMs, wake) => {
        timers.set(wake, delayMs);
        return () => timers.delete(wake);
      },
    },
  });
  return { role, done, now, timers };
}

test('the process that runs the jobs is the one that is found, and asks nobody', async () => {
  const { role, done } = setUp('running', { isOtherAnswering: true });
  await role.follow();
  expect(done).toEqual(['open true']);
  expect(await role.holder()).toBeNull();
});

test('a process that stands by talks to the one that runs the jobs', async () => {
  const { role, done } = setUp('standby', { isOtherAnswering: true });
  await role.follow();
  expect(done).toEqual(['open false', 'connect']);
  expect(await role.holder()).toBe(other);
});

test('a process that stands by where nobody answers makes its changes itself', async () => {
  const { role } = setUp('standby');
  await role.follow();
  expect(await role.holder()).toBeNull();
});

test('a change is made by this process when it runs the jobs, else by the one that does and shows that it lives (D11)', async () => {
  const { role, now } = setUp('running', { isOtherAnswering: true });
  expect(await role.changer()).toBe('this');
  now.state = 'standby';
  expect(await role.changer()).toBe(other);
  now.isFrozen = true;
  expect(await role.changer()).toBe('silent');
  // It has no socket, or has just lost it.
  Object.assign(now, { isFrozen: false, isFound: true });
  expect(await role.changer()).toBe('silent');
});

test('taking over while a sign of life is awaited counts: the change is made here', async () => {
  const { role, now } = setUp('standby', { isOtherAnswering: true });
  now.isFrozen = true;
  const changer = role.changer();
  await Promise.resolve();
  now.state = 'running';
  expect(await changer).toBe('this');
});

test('a process that took the place before the one that runs the jobs opened its socket finds it soon (H-35)', async () => {
  const { role, now, done, timers } = setUp('standby');
  await role.follow();
  expect([...timers.values()]).toEqual([LOOK_AGAIN_MS]);
  now.isAnswering = true;
  now.isFound = false;
  const [lookAgain] = timers.keys();
  timers.clear();
  lookAgain?.();
  await role.follow();
  expect(done.slice(0, 4)).toEqual(['open false', 'look', 'open false', 'connect']);
  expect(await role.holder()).toBe(other);
  expect(timers.size).toBe(0);
});

test('on the way out nothing is looked for any more', async () => {
  const { role, timers } = setUp('standby');
  await role.follow();
  role.leave();
  expect(timers.size).toBe(0);
});

test('taking over opens the socket, and several changes at once are looked at once more', async () => {
  const { role, done, now } = setUp('standby', { isOtherAnswering: true });
  await role.follow();
  now.state = 'running';
  await Promise.all([role.follow(), role.follow(), role.follow()]);
  expect(done.slice(2)).toEqual(['open true', 'open true']);
});

test('a socket that cannot be opened is said once and tried again at the next change', async () => {
  let isBroken = true;
  const { role, done } = setUp('running', { openFails: () => isBroken });
  await role.follow();
  await role.follow();
  isBroken = false;
  await role.follow();
  expect(done).toEqual(['socket.notOpened', 'open true']);
});

test('nothing is opened on the way out', async () => {
  const { role, done } = setUp('running');
  role.leave();
  await role.follow();
  expect(done).toEqual([]);
});
