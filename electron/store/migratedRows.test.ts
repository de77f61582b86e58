/** Stores of every released version, with rows as that version wrote them, become current ones and lose nothing. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { emptyCommandSettings } from '../../shared/kinds/command';
import { everyDay } from '../../shared/model/dates';
import { defaultPolicies } from '../../shared/model/policies';
import type { Connection } from './connection';
import { openDatabase } from './database';
import { migrations } from './migrations';
import {
  attemptIdOf,
  gapCounts,
  hourly,
  jobIdOf,
  minute,
  runIdOf,
  scheduleIdOf,
  scheduleOf,
  skipOf,
} from './samples';
import { createStore } from './store';

let folder = '';
let file = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'belfry-migrated-'));
  file = join(folder, 'data', 'belfry.db');
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function opened(version: number = migrations.length) {
  const result = openDatabase({ file }, { steps: migrations.slice(0, version) });
  if (!result.ok) throw new Error(`${result.error.code}: ${result.error.message}`);
  return result.value;
}

/** What the first two versions stored of a job. */
const definitionOf = (number: number, repeatIfInterrupted: boolean): string =>
  JSON.stringify({
    ...{
      name: `Job ${number}`,
      settings: { ...emptyCommandSettings, line: 'true' },
      tags: ['home'],
      notes: 'Büro',
    },
    policies: {
      ...{ catchUp: { mode: 'none', ageMsMax: 3_600_000 }, overlap: { mode: 'skip' } },
      ...{ timeoutMs: 60_000, graceMs: 5_000, repeatIfInterrupted },
    },
    schedules: [scheduleOf(number)],
  });

/**
 * Two jobs of which the second repeats what was cut off, one that cannot be read, and of the first: a creation minute that is
 * owed, a finished run with its attempt, a queued run, the decisions about both, a skip; a gap; everything paused.
 */
function fill(writer: Connection): void {
  writer.exec('BEGIN');
  const definitions = [definitionOf(1, false), definitionOf(2, true), '{"name":"Job 3"}'];
  for (const [index, definition] of definitions.entries()) {
    const key = index + 1;
    writer.run(
      `INSERT INTO jobs (key, id, revision, name, is_enabled, created_at) VALUES (?, unhex(?, '-'), 1, ?, 1, ?)`,
      [key, jobIdOf(key), `Job ${key}`, minute(0)],
    );
    writer.run(
      `INSERT INTO job_revisions (job_key, revision, definition, is_enabled, saved_at) VALUES (?, 1, ?, 1, ?)`,
      [key, definition, minute(0)],
    );
    writer.run('INSERT INTO job_stats (job_key) VALUES (?)', [key]);
    writer.run(
      `INSERT INTO schedules (key, id, job_key, created_at, watermark_at, pending_creation_at)
       VALUES (?, unhex(?, '-'), ?, ?, ?, ?)`,
      [key, scheduleIdOf(key), key, minute(0), minute(40), key === 1 ? minute(41) : null],
    );
  }
  const run = `
    INSERT INTO runs (key, id, job_key, revision, trigger, state, outcome, schedule_key, planned_at, merged_count,
      queued_at, started_at, ended_at, duration_ms, exit_code, attempt_count, was_adopted, output_bytes)
    VALUES (?, unhex(?, '-'), 1, 1, 'schedule', ?, ?, 1, ?, ?, ?, ?, ?, ?, ?, ?, 0, 7)`;
  const times = [minute(10), minute(11), 60_000];
  writer.run(run, [1, runIdOf(1), 'finished', 'succeeded', minute(10), 0, minute(10), ...times, 0, 1]);
  writer.run(run, [2, runIdOf(2), 'queued', null, minute(40), 3, minute(40), null, null, null, null, 0]);
  writer.run(
    `INSERT INTO attempts (run_key, number, id, epoch, started_at, ended_at, outcome, exit_code)
     VALUES (1, 1, unhex(?, '-'), 1, ?, ?, 'succeeded', 0)`,
    [attemptIdOf(1), minute(10), minute(11)],
  );
  const decision = `
    INSERT INTO decisions (schedule_key, planned_at, until_at, count, kind, reason, miss_cause, job_key, run_id, decided_at)
    VALUES (1, ?, ?, ?, ?, ?, ?, 1, unhex(?, '-'), ?)`;
  const single = (at: number): number[] => [minute(at), minute(at), 1];
  writer.run(decision, [...single(10), 'run', 'on_time', null, runIdOf(1), minute(10)]);
  writer.run(decision, [...single(20), 'skip', 'paused_all', null, null, minute(20)]);
  writer.run(decision, [minute(30), minute(39), 3, 'merge', 'merged', 'not_running', runIdOf(2), minute(40)]);
  writer.run(decision, [...single(40), 'run', 'caught_up', 'not_running', runIdOf(2), minute(40)]);
  writer.run(`INSERT INTO gaps (cause, from_at, to_at, caught_up_count) VALUES ('not_running', ?, ?, 1)`, [
    minute(21),
    minute(40),
  ]);
  writer.run(`INSERT INTO settings (key, value) VALUES ('paused_since', ?)`, [String(minute(15))]);
  writer.exec('COMMIT');
}

test.each([1, 2])('a store of version %i keeps everything, under the new names', async (version) => {
  const before = opened(version);
  fill(before.writer);
  before.writer.close();

  const database = opened();
  expect(database.writer.pragma('user_version')).toBe(migrations.length);
  expect(database.writer.pragma('integrity_check')).toBe('ok');
  expect(database.writer.get(`SELECT 1 FROM settings WHERE key = 'paused_since'`)).toBeUndefined();
  const store = createStore(database);
  await store.read(async ({ jobs, schedules, runs, decisions, pauses, settings }) => {
    const policies = {
      ...defaultPolicies,
      ...{ catchUp: { ...defaultPolicies.catchUp, mode: 'none', ageMsMax: 3_600_000 }, timeoutMs: 60_000 },
    };
    const [first, second] = await jobs.list();
    expect(first).toMatchObject({ name: 'Job 1', notes: 'Büro', conditions: [], dates: everyDay });
    expect(first?.policies).toEqual({ ...policies, afterInterruption: 'keep' });
    expect(second?.policies).toEqual({ ...policies, afterInterruption: 'repeat' });
    expect((await jobs.quarantined()).map(({ jobId }) => jobId)).toEqual([jobIdOf(3)]);

    const [schedule, other] = await schedules.active();
    expect(schedule).toMatchObject({
      ...{ scheduleId: scheduleIdOf(1), rule: hourly, watermarkAt: minute(40) },
      pending: [{ at: minute(41), trigger: 'creation', sourceRunId: null }],
    });
    expect(other?.pending).toEqual([]);

    expect(await runs.get(runIdOf(1))).toMatchObject({
      ...{ state: 'finished', outcome: 'succeeded', durationMs: 60_000, outputBytes: 7 },
      ...{ notBeforeAt: null, attemptsMax: 1, waits: [] },
    });
    expect(await runs.attempts(runIdOf(1))).toMatchObject([{ outcome: 'succeeded', lateResult: null }]);
    expect((await runs.active()).map(({ id }) => id)).toEqual([runIdOf(2)]);
    expect((await decisions.ofRun(runIdOf(2))).map(({ kind, count }) => [kind, count])).toEqual([
      ['merge', 3],
      ['run', 1],
    ]);
    expect(await decisions.at(scheduleIdOf(1), minute(20))).toEqual(
      skipOf(minute(20), { reason: 'paused_all' }),
    );

    const held = await pauses.at(minute(50));
    expect(held).toMatchObject([
      { scope: { kind: 'all' }, note: '', since: minute(15), until: null, endedAt: null },
    ]);
    expect(await settings.lastGap()).toEqual({
      ...{
        cause: 'not_running',
        from: minute(21),
        to: minute(40),
        caughtUpCount: 1,
        missedCount: 0,
        missedJobCount: 0,
      },
    });
  });
  // Old rows take part in what is new.
  const why = { reason: 'condition', missCause: null, at: minute(50) } as const;
  expect(await store.transact(({ runs }) => runs.withdraw(runIdOf(2), why))).toBe(true);
  expect(
    await store.transact(({ settings }) =>
      settings.insertGap({ cause: 'off', from: minute(60), to: minute(70) }, gapCounts(0)),
    ),
  ).toBeUndefined();
  await store.close();
});

test('a store that was not paused is not paused afterwards', async () => {
  const before = opened(2);
  before.writer.run(`INSERT INTO settings (key, value) VALUES ('paused_since', 'null')`);
  before.writer.close();
  const store = createStore(opened());
  expect(await store.read(({ pauses }) => pauses.at(minute(0)))).toEqual([]);
  await store.close();
});
