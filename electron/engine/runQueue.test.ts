/** Whose turn it is, and that a change looks at the runs it concerns and at no others. */

import { expect, test } from 'vitest';
import { type Job, JobId } from '../../shared/model/job';
import { defaultPolicies, defaultRetry, type Policies } from '../../shared/model/policies';
import { type Run, RunId } from '../../shared/model/run';
import { HOUR_MS, type Instant, MINUTE_MS, SECOND_MS, toInstant } from '../../shared/time';
import { freePlace, POOL_MAX } from '../core/pool';
import { countingIds } from '../testing/doubles';
import { draftOf, instant, settle } from '../testing/rig';
import { emptyRun } from './ledger';
import { type QueueEntry, RunQueue, START_SPACING_MS } from './runQueue';
import { createVirtualTime } from './virtualTime';

const startAt = instant('2026-05-04T09:00Z');
const ids = countingIds();

function rig() {
  const time = createVirtualTime({ startAt, settle });
  const asked: RunId[] = [];
  const moved: [QueueEntry, Instant][] = [];
  const replaced: RunId[] = [];
  const clock = { isBelieved: true };
  const queue = new RunQueue(time.clock, {
    isClockBelieved: () => clock.isBelieved,
    onAsk: ({ run }) => asked.push(run.id),
    onMove: (entry, notBeforeAt) => moved.push([entry, notBeforeAt]),
    onReplace: (runIds) => replaced.push(...runIds),
  });
  return { time, queue, asked, moved, replaced, clock };
}

const jobWith = (policies: Partial<Policies> = {}, facts: Partial<Job> = {}): Job => ({
  ...draftOf({}),
  ...{ id: JobId.parse(ids.next()), revision: 1, schedules: [], disabledReason: null },
  ...{ createdAt: startAt, updatedAt: startAt, deletedAt: null },
  ...facts,
  policies: { ...defaultPolicies, ...policies },
});
const overlap = (mode: Policies['overlap']['mode'], countMax = 3): Partial<Policies> => ({
  overlap: { mode, countMax },
});
const runOf = (job: Job, facts: Partial<Run> = {}): Run => ({
  ...emptyRun(job, RunId.parse(ids.next()), 'schedule', startAt),
  ...facts,
});
const taken = (queue: RunQueue, max = 100): RunId[] => {
  const found: RunId[] = [];
  for (let entry = queue.take('any'); entry !== null && found.length < max; entry = queue.take('any')) {
    found.push(entry.run.id);
  }
  return found;
};

test('runs of one job start one after another, in order, unless it allows several', () => {
  const { queue } = rig();
  const job = jobWith(overlap('queue_all'));
  const runs = [runOf(job), runOf(job), runOf(job)];
  for (const run of runs) queue.add(run, job, false);
  expect(taken(queue)).toEqual([runs[0]?.id]);
  queue.ended(runs[0] as Run);
  expect(taken(queue)).toEqual([runs[1]?.id]);
  const many = jobWith(overlap('allow', 2));
  const others = [runOf(many), runOf(many), runOf(many)];
  for (const run of others) queue.add(run, many, false);
  expect(taken(queue)).toEqual([others[0]?.id, others[1]?.id]);
  queue.ended(others[0] as Run);
  expect(taken(queue)).toEqual([others[2]?.id]);
});

test('a run does not start before its moment, and not long after a clock that went back (X-68)', async () => {
  const { queue, time, moved } = rig();
  const job = jobWith({ jitterMs: MINUTE_MS }, { createdAt: toInstant(startAt - 2 * HOUR_MS) });
  const run = runOf(job, { notBeforeAt: toInstant(startAt + MINUTE_MS) });
  queue.add(run, job, false);
  expect(taken(queue)).toEqual([]);
  expect(queue.nextAt()).toBe(startAt + MINUTE_MS);
  time.jump(-HOUR_MS);
  queue.look();
  for (const [entry, notBeforeAt] of moved.splice(0)) queue.moved(entry, notBeforeAt);
  expect(queue.nextAt()).toBe(startAt - HOUR_MS + MINUTE_MS);
  await time.advance(MINUTE_MS);
  queue.look();
  expect(taken(queue)).toEqual([run.id]);
});

test('a clock that is not believed brings no run nearer', () => {
  const { queue, time, moved, clock } = rig();
  const job = jobWith({ jitterMs: MINUTE_MS });
  queue.add(runOf(job, { notBeforeAt: toInstant(startAt + MINUTE_MS) }), job, false);
  clock.isBelieved = false;
  time.jump(-HOUR_MS);
  queue.look();
  expect(moved).toEqual([]);
  expect(taken(queue)).toEqual([]);
  clock.isBelieved = true;
  time.jump(HOUR_MS + MINUTE_MS);
  queue.look();
  expect(taken(queue)).toHaveLength(1);
});

test('under such a clock nothing starts that nobody started by hand', async () => {
  const { queue, time, clock } = rig();
  const job = jobWith();
  const other = jobWith();
  const planned = runOf(job);
  const byHand = runOf(other, { trigger: 'manual' });
  queue.add(planned, job, false);
  clock.isBelieved = false;
  queue.add(byHand, other, false);
  expect(taken(queue)).toEqual([byHand.id]);
  clock.isBelieved = true;
  await time.advance(MINUTE_MS);
  queue.look();
  expect(taken(queue)).toEqual([planned.id]);
});

test('a run that waits for its retry is still the first of its job, without a place', async () => {
  const { queue, time } = rig();
  const job = jobWith({ ...overlap('queue_one'), retry: { ...defaultRetry, countMax: 3 } });
  const later = runOf(job);
  queue.add(later, job, false);
  const retried = runOf(job, { attemptCount: 1, notBeforeAt: toInstant(startAt + SECOND_MS) });
  queue.remove(later.id);
  queue.add(retried, job, false);
  queue.add(later, job, false);
  expect(taken(queue)).toEqual([]);
  await time.advance(SECOND_MS);
  queue.look();
  expect(taken(queue)).toEqual([retried.id]);
});

test('conditions are asked once nothing else of the job stands before it, and again after half a minute', async () => {
  const { queue, asked, time } = rig();
  const conditions = [{ kind: 'mains', waitMsMax: 0, otherwise: 'run' } as const];
  const job = jobWith({}, { conditions });
  const first = runOf(job);
  const second = runOf(job);
  queue.add(first, job, false);
  const entry = queue.add(second, job, false);
  expect(asked).toEqual([first.id]);
  queue.met(queue.get(first.id) as never);
  expect(taken(queue)).toEqual([first.id]);
  queue.ended(first);
  expect(asked).toEqual([first.id, second.id]);
  queue.met(entry);
  await time.advance(31 * SECOND_MS);
  expect(taken(queue)).toEqual([]);
  expect(asked).toHaveLength(3);
});

test('a planned run makes an older one give way, once; one that a person queued waits (D8)', () => {
  const { queue, replaced } = rig();
  const job = jobWith(overlap('replace'));
  const older = runOf(job);
  queue.add(older, job, false);
  taken(queue);
  const byHand = runOf(job, { trigger: 'manual' });
  queue.add(byHand, job, false);
  expect(replaced).toEqual([]);
  queue.remove(byHand.id);
  const newer = runOf(job);
  queue.add(newer, job, false);
  queue.look();
  expect(replaced).toEqual([older.id]);
  expect(taken(queue)).toEqual([]);
  queue.ended(older);
  expect(taken(queue)).toEqual([newer.id]);
});

test.each(['catch_up', 'chain', 'event'] as const)(
  'two starts of one job that are %s are a second apart (H-45)',
  async (trigger) => {
    const { queue, time } = rig();
    const job = jobWith(overlap('queue_all'));
    const runs = [runOf(job, { trigger }), runOf(job, { trigger })];
    for (const run of runs) queue.add(run, job, false);
    expect(taken(queue)).toHaveLength(1);
    await time.advance(100);
    queue.ended(runs[0] as Run);
    expect(taken(queue)).toEqual([]);
    await time.advance(START_SPACING_MS - 100);
    queue.look();
    expect(taken(queue)).toHaveLength(1);
  },
);

test('"run anyway" waits for neither its moment nor its conditions', () => {
  const { queue, asked } = rig();
  const job = jobWith({}, { conditions: [{ kind: 'mains', waitMsMax: 0, otherwise: 'run' }] });
  const run = runOf(job, { notBeforeAt: toInstant(startAt + HOUR_MS) });
  queue.add(run, job, true);
  expect(taken(queue)).toEqual([run.id]);
  expect(asked).toEqual([]);
});

/** A run whose facts are counted each time somebody looks at it. */
function counted(run: Run, counter: { count: number }): Run {
  return new Proxy(run, {
    get(target, name, receiver) {
      if (name === 'notBeforeAt') counter.count += 1;
      return Reflect.get(target, name, receiver);
    },
  });
}

test.each([
  ['of as many jobs', 4_096, 1],
  ['of one job', 1, 4_096],
  ['of 64 jobs that allow several', 64, 64],
])('4,096 queued runs %s are looked at a few times each, however they start (T2)', (_, jobs, runsEach) => {
  const { queue } = rig();
  const counter = { count: 0 };
  for (let index = 0; index < jobs; index += 1) {
    const job = jobWith(overlap(runsEach === 64 ? 'allow' : 'queue_all'));
    for (let number = 0; number < runsEach; number += 1) {
      queue.add(counted(runOf(job), counter), job, false);
    }
  }
  const running: Run[] = [];
  let startedCount = 0;
  for (;;) {
    const entry = queue.take(freePlace(running));
    if (entry !== null) {
      running.push(entry.run);
      startedCount += 1;
    } else if (running.length > 0) queue.ended(running.shift() as Run);
    else break;
    expect(running.length).toBeLessThanOrEqual(POOL_MAX);
  }
  expect(startedCount).toBe(4_096);
  expect(counter.count).toBeLessThan(4 * 4_096);
});
