/** Taking the jobs over asks and waits, and never displaces a process that lives. */

import { expect, test } from 'vitest';
import type { SchedulerStatus } from '../../shared/model/settings';
import { fail, ok, type Result } from '../../shared/result';
import { failedStoreStatus } from './handlers';
import type { SocketClient } from './socketClient';
import { TAKE_OVER_MS_MAX, takeOver } from './takeOver';

const status = (state: SchedulerStatus['state']): SchedulerStatus => ({ ...failedStoreStatus(''), state });

function setUp(state: SchedulerStatus['state'], letGo: Result<undefined> | null) {
  const asked: string[] = [];
  const listeners = new Set<() => void>();
  const now = { state };
  let ring: (() => void) | null = null;
  let delay: number | null = null;
  let noticeLook = (): void => undefined;
  const looked = new Promise<void>((resolve) => {
    noticeLook = resolve;
  });
  const client = {
    request: async (name: string) => {
      asked.push(name);
      return letGo;
    },
  } as unknown as SocketClient;
  const answer = takeOver({
    engine: {
      status: async () => status(now.state),
      notifyResume: () => {
        asked.push('look');
        noticeLook();
      },
    },
    holder: async () => (letGo === null ? null : client),
    timer: {
      after: (delayMs, wake) => {
        delay = delayMs;
        ring = wake;
        return () => {
          ring = null;
        };
      },
    },
    onStatus: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  });
  return {
    answer: answer(undefined),
    asked,
    looked,
    listeners,
    become: (next: SchedulerStatus['state']) => {
      now.state = next;
      for (const listener of listeners) listener();
    },
    limit: () => ({ delay, ring }),
  };
}

test('a process that runs the jobs has nothing to take over', async () => {
  const { answer, asked } = setUp('running', ok(undefined));
  expect(await answer).toMatchObject({ ok: false, error: { code: 'conflict' } });
  expect(asked).toEqual([]);
});

test.each([
  ['cannot be found', null],
  ['does not answer', fail('unavailable', 'silent')],
] as const)('a process that %s is not displaced while it lives (H-17, D11)', async (_, letGo) => {
  const { answer, asked } = setUp('standby', letGo);
  expect(await answer).toMatchObject({
    ok: false,
    error: { code: 'busy', message: expect.stringContaining('not displaced') },
  });
  expect(asked).not.toContain('look');
});

test('a refusal of the other process is told as it is', async () => {
  const refusal = fail('conflict', 'It does not run them.');
  expect(await setUp('standby', refusal).answer).toEqual(refusal);
});

test('once the other has let go this one looks at once, and answers when it runs the jobs (H-17)', async () => {
  const { answer, asked, looked, become, listeners, limit } = setUp('standby', ok(undefined));
  await looked;
  become('running');
  expect(await answer).toEqual(ok(status('running')));
  expect(asked.slice(0, 2)).toEqual(['engine.handOver', 'look']);
  expect(listeners.size).toBe(0);
  expect(limit().ring).toBeNull();
});

test('waiting for the jobs has a limit (H-05)', async () => {
  const { answer, looked, limit, listeners } = setUp('standby', ok(undefined));
  await looked;
  expect(limit().delay).toBe(TAKE_OVER_MS_MAX);
  limit().ring?.();
  expect(await answer).toMatchObject({ ok: false, error: { code: 'busy' } });
  expect(listeners.size).toBe(0);
});
