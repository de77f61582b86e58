import { expect, test } from 'vitest';
import type { JobId } from '../../shared/model/job';
import { BATCH_EVENTS_MAX, BATCH_MS, batchAnnouncements } from './announcements';

function setUp() {
  const sent: unknown[] = [];
  const wakes: (() => void)[] = [];
  const announce = batchAnnouncements((name, payload) => void sent.push([name, payload]), {
    after: (delayMs, wake) => {
      expect(delayMs).toBe(BATCH_MS);
      wakes.push(wake);
      return () => undefined;
    },
  });
  return { sent, announce, elapse: () => wakes.shift()?.(), armed: () => wakes.length };
}

const job = (number: number) => ({ jobId: String(number) as JobId });

test('sends the first event at once and those that follow together, each distinct one once', () => {
  const { sent, announce, elapse } = setUp();
  announce('status.changed', {});
  expect(sent).toEqual([['status.changed', {}]]);
  announce('jobs.changed', job(1));
  announce('jobs.changed', job(2));
  announce('jobs.changed', job(1));
  expect(sent).toHaveLength(1);
  elapse();
  expect(sent.slice(1)).toEqual([
    ['jobs.changed', job(1)],
    ['jobs.changed', job(2)],
  ]);
});

test('has no timer while nothing happens, and sends the next event at once again', () => {
  const { sent, announce, elapse, armed } = setUp();
  announce('status.changed', {});
  elapse();
  expect(armed()).toBe(0);
  announce('status.changed', {});
  expect(sent).toHaveLength(2);
});

test('keeps a bound on what it holds back', () => {
  const { sent, announce } = setUp();
  announce('status.changed', {});
  for (let number = 0; number < BATCH_EVENTS_MAX; number += 1) announce('jobs.changed', job(number));
  expect(sent).toHaveLength(BATCH_EVENTS_MAX + 1);
});
