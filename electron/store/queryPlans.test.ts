/**
 * What is asked at every step or every click is found by an index: a history of a million runs must not slow anything down
 * (H1 in the goals of speed). Every statement of the aggregates is recorded as it is used, and SQLite explains it.
 */

import { expect, test } from 'vitest';
import type { RunQuery } from '../../shared/model/runSearch';
import { defaultRetention } from '../../shared/model/settings';
import { BugError } from '../../shared/result';
import type { Reader, Store, Writer } from '../ports/store';
import type { Connection } from './connection';
import { type Database, openDatabase } from './database';
import { pauseOf } from './pauses.contract';
import {
  attemptIdOf,
  endOf,
  fence,
  gapCounts,
  jobIdOf,
  jobOf,
  leaseOf,
  minute,
  runIdOf,
  runOf,
  scheduleIdOf,
  skipOf,
} from './samples';
import { createStore } from './store';

/** Tables that grow with time. `jobs` and `schedules` have a bound, and lists read all of them. */
const GROWING = [
  'runs',
  'r',
  'decisions',
  'd',
  'attempts',
  'a',
  'job_revisions',
  'pending_occurrences',
  'p',
  'gaps',
];
/** Indexes that hold only what has not ended, however long the history is. */
const OPEN_ONLY = ['runs_active', 'attempts_open'];

function recording(): { database: Database; texts: Set<string> } {
  const opened = openDatabase('memory');
  if (!opened.ok) throw new Error(opened.error.message);
  const texts = new Set<string>();
  const { writer } = opened.value;
  const noting =
    <K extends 'get' | 'all' | 'run'>(name: K) =>
    (...[sql, parameters]: Parameters<Connection[K]>) => {
      if (/^\s*(SELECT|UPDATE|DELETE|INSERT|WITH)/.test(sql)) texts.add(sql);
      return writer[name](sql, parameters) as ReturnType<Connection[K]>;
    };
  // Its own methods stay, `isTransaction` among them, which is read anew each time.
  const noted: Connection = Object.create(writer, {
    get: { value: noting('get') },
    all: { value: noting('all') },
    run: { value: noting('run') },
  });
  return { database: { ...opened.value, writer: noted }, texts };
}

/** Each thing that a step, a run or a click asks, once. */
async function readAll({
  jobs,
  schedules,
  decisions,
  runs,
  pauses,
  settings,
  leases,
  retention,
}: Reader): Promise<void> {
  const [jobId, scheduleId, runId, at] = [jobIdOf(1), scheduleIdOf(1), runIdOf(1), minute(5)];
  await Promise.all([
    ...[
      jobs.get(jobId),
      jobs.atRevision(jobId, 1),
      jobs.definedAt(jobId, at),
      jobs.stats(jobId),
      jobs.changeNumber(),
    ],
    ...[schedules.ofJob(jobId), schedules.waitingFor(jobId), schedules.active(), schedules.chains()],
    ...[decisions.at(scheduleId, at), decisions.ofRun(runId)],
    decisions.between(scheduleId, { after: minute(0), until: at, max: 5 }),
    ...[runs.get(runId), runs.active(), runs.activeCounts(), runs.activeByJob(), runs.activeOf(jobId)],
    runs.lostAttempts({ jobId: null, after: at, max: 5 }),
    ...[runs.isActive(jobId), runs.openAttempts(), runs.attempts(runId), runs.plannedCountSince(jobId, at)],
    ...[runs.runningAt(jobId, at), runs.recent(jobId, 5), runs.history(jobId, { after: null, limit: 5 })],
    runs.history(jobId, { after: `skip.${at}.1.${at}`, limit: 5 }),
    ...[{}, { jobId }, { outcome: 'failed' }, { jobId, outcome: 'failed' }].map((query) =>
      runs.find({ ...query, from: at } as RunQuery, { after: null, limit: 5 }),
    ),
    ...[{}, { jobId }, { outcome: 'failed' }, { from: at }].map((query) =>
      runs.find({ ...query, text: 'job' } as RunQuery, { after: null, limit: 1 }),
    ),
    runs.find({ text: 'command' }, { after: null, limit: 1 }),
    runs.counts({ from: at, until: at }),
    retention.expiredRuns({ ...defaultRetention, runsPerJobMax: 1 }, { now: at, max: 5 }),
    retention.expiredOutputs(defaultRetention, { now: at, max: 5 }),
    ...[retention.outputBytes(), retention.stored()],
    ...[pauses.at(at), pauses.between(minute(0), at)],
    ...[settings.lastGap(), settings.gapsBetween({ after: minute(0), until: at, max: 5 }), leases.get()],
  ]);
}

async function writeAll({
  jobs,
  schedules,
  decisions,
  runs,
  pauses,
  leases,
  settings,
  retention,
}: Writer): Promise<void> {
  // So many that a word of all of them is looked for among the newest runs.
  for (let number = 1; number <= 20; number += 1) await jobs.insert(jobOf(number));
  await leases.take(leaseOf(fence), null);
  await jobs.update(jobOf(1, { revision: 2 }));
  await schedules.addPending(scheduleIdOf(1), { at: minute(1), trigger: 'event', sourceRunId: null });
  await schedules.addPending(scheduleIdOf(1), { at: minute(1), trigger: 'event', sourceRunId: null });
  await schedules.removePending(scheduleIdOf(1), minute(1));
  await schedules.setWatermark(scheduleIdOf(1), minute(1));
  for (const number of [1, 2, 3]) {
    const occurrence = { scheduleId: scheduleIdOf(1), plannedAt: minute(number) };
    const runId = runIdOf(number);
    await decisions.insert(skipOf(minute(number), { kind: 'run', reason: 'on_time', runId }));
    await runs.insert(runOf(number, { ...occurrence, trigger: 'schedule', revision: 2 }));
  }
  await runs.addMerged(runIdOf(3), 1);
  await runs.setWaits(runIdOf(3), []);
  await runs.setNotBefore(runIdOf(3), minute(4));
  await runs.withdraw(runIdOf(3), { reason: 'condition', missCause: null, at: minute(4) });
  const attempt = { runId: runIdOf(1), attemptId: attemptIdOf(1) };
  await runs.begin({ ...attempt, number: 1, startedAt: minute(1) }, fence);
  const identity = { nodeId: 'node', bootId: 'boot', pid: 5, processGroup: 5, processStart: '1' };
  await runs.recordProcess(attemptIdOf(1), identity, fence);
  await runs.takeOver(attemptIdOf(1), 1, fence);
  await runs.finish(endOf(1), fence);
  const late = { exitCode: 0, signal: null, endedAt: minute(2), recordedAt: minute(3) };
  await runs.recordLateResult(attempt, late);
  const end = { outcome: 'cancelled', reason: 'stopped_by_user', detail: null, endedAt: minute(5) } as const;
  await runs.closeQueued(runIdOf(2), end);
  await decisions.insert(skipOf(minute(9)));
  await decisions.reopen(skipOf(minute(9)), null);
  await pauses.insert(pauseOf(1));
  await pauses.end(pauseOf(1).id, minute(2));
  await retention.outputsRemoved([runIdOf(1)], minute(6));
  await retention.removeDecisions({ before: minute(9), max: 5 });
  await retention.removeRuns([runIdOf(2)]);
  await settings.insertGap({ cause: 'asleep', from: minute(1), to: minute(2) }, gapCounts(0));
}

async function used(store: Store): Promise<void> {
  await store.transact(writeAll);
  await store.read(readAll);
  await store.close();
}

test('nothing that grows is searched from one end to the other (H1)', async () => {
  const { database, texts } = recording();
  const explainer = openDatabase('memory');
  if (!explainer.ok) throw new BugError(explainer.error.message);
  await used(createStore(database));
  expect(texts.size).toBeGreaterThan(60);
  const scans = [...texts].flatMap((sql) =>
    explainer.value.writer
      .all(`EXPLAIN QUERY PLAN ${sql}`)
      .map(({ detail }) => String(detail))
      .filter((detail) => GROWING.some((name) => new RegExp(`^SCAN ${name}\\b`).test(detail)))
      .filter((detail) => !OPEN_ONLY.some((index) => detail.includes(index)))
      // The first row in the order of an index.
      .filter((detail) => !(detail.includes('INDEX') && /LIMIT 1$/.test(sql)))
      .map((detail) => ({ detail, sql })),
  );
  expect(scans).toEqual([]);
  explainer.value.writer.close();
});
