import { expect, test } from 'vitest';
import type { JobId } from '../shared/model/job';
import { createWishes } from './wishes';

const jobs = { place: 'jobs' as const, jobId: null };
const job = { place: 'jobs' as const, jobId: 'a job' as JobId };

function setUp() {
  const told: unknown[] = [];
  return { told, wishes: createWishes((name, payload) => void told.push([name, payload])) };
}

test('a wish waits for the page of a window that was just made, and the last one counts', () => {
  const { told, wishes } = setUp();
  wishes.opened();
  wishes.show(jobs);
  wishes.show(job);
  expect(told).toEqual([]);
  wishes.drawn();
  expect(told).toEqual([['window.show', job]]);
  wishes.drawn();
  expect(told).toHaveLength(1);
});

test('a page that is drawn is told at once', () => {
  const { told, wishes } = setUp();
  wishes.drawn();
  wishes.show(job);
  expect(told).toEqual([['window.show', job]]);
  expect(wishes.isDrawn()).toBe(true);
});

test('what was wished of a window that was closed is not done to the next one', () => {
  const { told, wishes } = setUp();
  wishes.show(job);
  wishes.closed();
  expect(wishes.isDrawn()).toBe(false);
  wishes.drawn();
  expect(told).toEqual([]);
});
