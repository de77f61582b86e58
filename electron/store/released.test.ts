/**
 * A store of every released schema, kept as a file in `released/`, becomes a current one and keeps all of its rows and counts.
 * The files are what real versions wrote and never change. For a new schema the file is made by this test when it is missing:
 * a store of the version before with these rows, migrated.
 */

import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { emptyCommandSettings } from '../../shared/kinds/command';
import type { Connection } from './connection';
import { openDatabase } from './database';
import { migrations } from './migrations';
import { attemptIdOf, jobIdOf, minute, runIdOf, scheduleIdOf, scheduleOf } from './samples';
import { createStore } from './store';

const versions = migrations.map(({ version }) => version);
const releasedFile = (version: number): string =>
  fileURLToPath(new URL(`./released/schema-${version}.db.gz`, import.meta.url));

let folder = '';
let file = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'belfry-released-'));
  file = join(folder, 'data', 'belfry.db');
  mkdirSync(join(folder, 'data'), { mode: 0o700 });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function opened(version: number = migrations.length) {
  const result = openDatabase({ file }, { steps: migrations.slice(0, version) });
  if (!result.ok) throw new Error(`${result.error.code}: ${result.error.message}`);
  return result.value;
}

/** The file of this version, made first if there is none yet. */
function bytesOf(version: number): Buffer {
  if (!existsSync(releasedFile(version))) {
    const { writer } = opened(Math.min(version, 3));
    fill(writer, version);
    writer.foldLog();
    writer.close();
    const migrated = opened(version);
    migrated.writer.foldLog();
    migrated.writer.close();
    writeFileSync(releasedFile(version), gzipSync(readFileSync(file), { level: 9 }));
    rmSync(join(folder, 'data'), { recursive: true });
    mkdirSync(join(folder, 'data'), { mode: 0o700 });
  }
  return gunzipSync(readFileSync(releasedFile(version)));
}

const DETAIL = 'rsync: connection refused by büro';

function fill(writer: Connection, version: number): void {
  const isNew = version >= 3;
  const policies = isNew ? { afterInterruption: 'repeat' } : { repeatIfInterrupted: true };
  writer.exec('BEGIN');
  for (const key of [1, 2, 3]) {
    const definition = {
      ...{
        name: `Job ${key}`,
        settings: { ...emptyCommandSettings, line: 'true' },
        tags: ['home'],
        notes: 'Büro',
      },
      policies: {
        catchUp: { mode: 'none', ageMsMax: null },
        overlap: { mode: 'skip' },
        timeoutMs: 60_000,
        graceMs: 5_000,
        ...policies,
      },
      schedules: [scheduleOf(key)],
    };
    writer.run(
      `INSERT INTO jobs (key, id, revision, name, is_enabled, created_at) VALUES (?, unhex(?, '-'), 1, ?, 1, ?)`,
      [key, jobIdOf(key), `Job ${key}`, minute(0)],
    );
    writer.run(
      `INSERT INTO job_revisions (job_key, revision, definition, is_enabled, saved_at) VALUES (?, 1, ?, 1, ?)`,
      [key, JSON.stringify(definition), minute(0)],
    );
    writer.run('INSERT INTO job_stats (job_key, run_count) VALUES (?, ?)', [key, key === 1 ? 4 : 0]);
    writer.run(
      `INSERT INTO schedules (key, id, job_key, created_at, watermark_at) VALUES (?, unhex(?, '-'), ?, ?, ?)`,
      [key, scheduleIdOf(key), key, minute(0), minute(40)],
    );
  }
  fillRuns(writer);
  writer.run(`INSERT INTO gaps (cause, from_at, to_at, caught_up_count) VALUES ('asleep', ?, ?, 2)`, [
    minute(21),
    minute(39),
  ]);
  if (isNew) {
    writer.run(
      `INSERT INTO pauses (id, scope, tag, note, since_at, until_at) VALUES (unhex(?, '-'), 'tag', 'home', 'away', ?, ?)`,
      [runIdOf(900), minute(15), minute(400)],
    );
  } else {
    writer.run(`INSERT INTO settings (key, value) VALUES ('paused_since', ?)`, [String(minute(15))]);
  }
  writer.exec('COMMIT');
}

/** Of the first job: two that succeeded, one that failed, a test run, one that waits, and one that goes on. */
function fillRuns(writer: Connection): void {
  writer.run(`INSERT INTO nodes (key, id) VALUES (1, 'this-machine')`);
  writer.run(`INSERT INTO boots (key, node_key, boot_id) VALUES (1, 1, 'one-boot')`);
  const run = (
    number: number,
    trigger: string,
    state: string,
    outcome: string | null,
    detail: string | null,
  ): void => {
    const isOver = outcome !== null;
    writer.run(
      `INSERT INTO runs (key, id, job_key, revision, trigger, state, outcome, detail, merged_count, queued_at, started_at,
         ended_at, duration_ms, exit_code, attempt_count, was_adopted, output_bytes)
       VALUES (?, unhex(?, '-'), 1, 1, ?, ?, ?, ?, 0, ?, ?, ?, ?, ?, ?, 0, ?)`,
      [
        ...[number, runIdOf(number), trigger, state, outcome, detail, minute(number)],
        ...[state === 'queued' ? null : minute(number), isOver ? minute(number + 1) : null],
        ...[isOver ? 60_000 : null, isOver ? 0 : null, state === 'queued' ? 0 : 1, isOver ? 100 : 0],
      ],
    );
    if (state === 'queued') return;
    writer.run(
      `INSERT INTO attempts (run_key, number, id, epoch, boot_key, pid, started_at, ended_at, outcome)
       VALUES (?, 1, unhex(?, '-'), 1, 1, 4321, ?, ?, ?)`,
      [number, attemptIdOf(number), minute(number), isOver ? minute(number + 1) : null, outcome],
    );
  };
  run(1, 'schedule', 'finished', 'succeeded', null);
  run(2, 'catch_up', 'finished', 'succeeded', null);
  run(3, 'manual', 'finished', 'failed', DETAIL);
  run(4, 'test', 'finished', 'failed', 'of a test');
  run(5, 'schedule', 'queued', null, null);
  run(6, 'schedule', 'running', null, null);
  const decision = `
    INSERT INTO decisions (schedule_key, planned_at, until_at, count, kind, reason, miss_cause, job_key, run_id, decided_at)
    VALUES (1, ?, ?, ?, ?, ?, ?, 1, unhex(?, '-'), ?)`;
  writer.run(decision, [minute(1), minute(1), 1, 'run', 'on_time', null, runIdOf(1), minute(1)]);
  writer.run(decision, [minute(22), minute(38), 5, 'skip', 'catch_up_off', 'asleep', null, minute(40)]);
  writer.run(decision, [minute(5), minute(5), 1, 'run', 'on_time', null, runIdOf(5), minute(5)]);
}

test.each(versions)(
  'the store of schema %i keeps all its rows, and what is counted is right',
  async (version) => {
    writeFileSync(file, bytesOf(version), { mode: 0o600 });
    const database = opened();
    const { writer } = database;
    expect(writer.pragma('user_version')).toBe(migrations.length);
    expect(writer.pragma('integrity_check')).toBe('ok');
    expect(writer.all('PRAGMA foreign_key_check')).toEqual([]);

    const counted = (sql: string) => writer.all(sql).map((row) => ({ ...row }));
    expect(counted('SELECT outcome, count, duration_ms AS ms FROM day_counts ORDER BY outcome')).toEqual([
      { outcome: 'failed', count: 1, ms: 60_000 },
      { outcome: 'succeeded', count: 2, ms: 120_000 },
    ]);
    expect(counted(`SELECT rowid AS run FROM run_words WHERE run_words MATCH 'buro'`)).toEqual([{ run: 3 }]);
    expect(counted('SELECT output_bytes AS bytes FROM job_stats ORDER BY job_key')).toEqual([
      { bytes: 400 },
      { bytes: 0 },
      { bytes: 0 },
    ]);

    const store = createStore(database);
    await store.read(async ({ jobs, schedules, runs, decisions, pauses, settings }) => {
      expect(await jobs.quarantined()).toEqual([]);
      const listed = await jobs.list();
      expect(listed.map(({ name, notes }) => [name, notes])).toEqual([
        ['Job 1', 'Büro'],
        ['Job 2', 'Büro'],
        ['Job 3', 'Büro'],
      ]);
      expect(listed[0]?.policies).toMatchObject({ afterInterruption: 'repeat', timeoutMs: 60_000 });
      expect((await schedules.active()).map(({ watermarkAt }) => watermarkAt)).toEqual(
        Array(3).fill(minute(40)),
      );
      const history = await runs.history(jobIdOf(1), { after: null, limit: 10 });
      expect(history.entries.length).toBeGreaterThanOrEqual(5);
      expect(await runs.get(runIdOf(3))).toMatchObject({
        outcome: 'failed',
        detail: DETAIL,
        outputBytes: 100,
      });
      expect((await runs.active()).map(({ id }) => id)).toEqual([runIdOf(5), runIdOf(6)]);
      expect(await runs.attempts(runIdOf(6))).toMatchObject([{ id: attemptIdOf(6), endedAt: null }]);
      expect(await decisions.at(scheduleIdOf(1), minute(22))).toMatchObject({ kind: 'skip', count: 5 });
      expect(await pauses.at(minute(50))).toMatchObject([
        version < 3
          ? { scope: { kind: 'all' }, until: null }
          : { scope: { kind: 'tag', tag: 'home' }, note: 'away' },
      ]);
      expect(await settings.lastGap()).toMatchObject({ cause: 'asleep', caughtUpCount: 2 });
    });
    await store.close();
  },
);

test('there is a file for every schema, and none is large', () => {
  expect(versions.map((version) => bytesOf(version).length)).toHaveLength(migrations.length);
  for (const version of versions) expect(readFileSync(releasedFile(version)).length).toBeLessThan(20_000);
});
