/** What the recording of a run is held against: two bare durable transactions of SQLite, and a JSON file that is rewritten. */
import path from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { openJsonStore } from './jsonStore.mjs';

/** @typedef {{ start: (number: number) => void, finish: (number: number) => void, close: () => void }} Anchor */

/** About what a run and its job need, in one table each and with no rule at all. @param {string} folder @param {number} jobCount @returns {Anchor} */
export function bareSqlite(folder, jobCount) {
  const tables = new DatabaseSync(path.join(folder, 'bare.db'));
  tables.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
    CREATE TABLE jobs (id INTEGER PRIMARY KEY, state TEXT NOT NULL, definition TEXT NOT NULL);
    CREATE TABLE runs (id INTEGER PRIMARY KEY, job INTEGER NOT NULL, started_at INTEGER, ended_at INTEGER, code INTEGER);
    BEGIN;`);
  const insertJob = tables.prepare("INSERT INTO jobs VALUES (?, 'idle', ?)");
  for (let id = 1; id <= jobCount; id += 1) insertJob.run(id, JSON.stringify(jobOf(id)));
  tables.exec('COMMIT');
  const insert = tables.prepare('INSERT INTO runs (id, job, started_at) VALUES (?, ?, ?)');
  const end = tables.prepare('UPDATE runs SET ended_at = ?, code = 0 WHERE id = ?');
  const mark = tables.prepare('UPDATE jobs SET state = ? WHERE id = ?');
  /** @param {() => void} work */
  const durably = (work) => {
    tables.exec('BEGIN IMMEDIATE');
    work();
    tables.exec('COMMIT');
  };
  const jobNumber = (/** @type {number} */ number) => (number % jobCount) + 1;
  return {
    start: (number) =>
      durably(() => {
        insert.run(number, jobNumber(number), number);
        mark.run('running', jobNumber(number));
      }),
    finish: (number) =>
      durably(() => {
        end.run(number, number);
        mark.run('idle', jobNumber(number));
      }),
    close: () => tables.close(),
  };
}

/** @param {string} folder @param {number} jobCount @returns {Anchor} */
export function jsonFile(folder, jobCount) {
  const store = openJsonStore(path.join(folder, 'jobs.json'));
  store.change((jobs) => {
    for (let id = 1; id <= jobCount; id += 1) jobs.push(jobOf(id));
  });
  const find = (/** @type {any[]} */ jobs, /** @type {number} */ number) => jobs[number % jobCount];
  return {
    start: (number) =>
      store.change((jobs) => Object.assign(find(jobs, number), { state: 'running', startedAt: number })),
    finish: (number) =>
      store.change((jobs) =>
        Object.assign(find(jobs, number), { state: 'idle', lastRunAt: number, code: 0 }),
      ),
    close: () => undefined,
  };
}

/** As large as a usual job of Belfry. @param {number} number */
const jobOf = (number) => ({
  id: `job-${number}`,
  name: `Job ${number}`,
  line: 'rsync -a --delete ~/Documents /mnt/backup/documents && date > ~/.last-backup',
  schedule: {
    kind: 'cron',
    expression: '0 3 * * *',
    zone: 'local',
    dayMatch: 'either',
    gap: 'run_after',
    repeat: 'first',
  },
  policies: { catchUp: 'once', overlap: 'skip', timeoutMs: 3_600_000, graceMs: 5_000, retries: 0 },
  variables: [{ name: 'LANG', value: 'C.UTF-8' }],
  isEnabled: true,
  createdAt: 1_767_225_600_000,
  state: 'idle',
  messages: [
    {
      kind: 'outcome',
      text: `Job ${number} succeeded after 12 s.`,
      createdAt: 1_767_225_600_000,
      attempts: 0,
    },
  ],
});
