/**
 * What must hold of a store after any death, read straight from its tables by statements that share nothing with those of
 * Belfry, and held against what the commands and the person know.
 */
import fs from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { doubleStarts, readEvidence } from './evidence.mjs';
import { isProcessWith } from './place.mjs';

/** @typedef {import('@photostructure/sqlite').DatabaseSyncInstance} Tables */

/** Each finds what must not exist. @type {Readonly<Record<string, string>>} */
const RULES = {
  'two runs answer one due time': `
    SELECT planned_at FROM runs WHERE schedule_key IS NOT NULL GROUP BY schedule_key, planned_at HAVING count(*) > 1`,
  'two decisions cover one due time': `
    SELECT planned_at FROM (
      SELECT planned_at, lag(until_at) OVER (PARTITION BY schedule_key ORDER BY planned_at) AS before_until
      FROM decisions)
    WHERE before_until >= planned_at`,
  'a planned run has no decision': `
    SELECT r.key FROM runs AS r LEFT JOIN decisions AS d ON d.schedule_key = r.schedule_key AND d.planned_at = r.planned_at
    WHERE r.schedule_key IS NOT NULL AND (d.run_id IS NULL OR d.run_id <> r.id OR d.kind <> 'run')`,
  'a decision to run has no run': `
    SELECT d.planned_at FROM decisions AS d LEFT JOIN runs AS r ON r.id = d.run_id WHERE d.kind = 'run' AND r.key IS NULL`,
  'a run has two open attempts': `
    SELECT run_key FROM attempts WHERE ended_at IS NULL GROUP BY run_key HAVING count(*) > 1`,
  'a run that ended has an open attempt': `
    SELECT r.key FROM attempts AS a JOIN runs AS r ON r.key = a.run_key WHERE a.ended_at IS NULL AND r.state = 'finished'`,
  'a run is running without an attempt': `
    SELECT r.key FROM runs AS r WHERE r.state = 'running' AND NOT EXISTS (
      SELECT 1 FROM attempts AS a WHERE a.run_key = r.key AND a.ended_at IS NULL)`,
  'an attempt bears an epoch that no lease had': `SELECT number FROM attempts WHERE epoch > (SELECT epoch FROM leases)`,
  'a watermark lies before its decisions': `
    SELECT s.key FROM schedules AS s
    WHERE s.watermark_at < (SELECT max(d.until_at) FROM decisions AS d WHERE d.schedule_key = s.key)`,
  'a row refers to nothing': `SELECT * FROM pragma_foreign_key_check`,
};

/**
 * Runs `look` with the tables as they are on the disk after a death, without touching them: read from a copy.
 * @template T
 * @param {import('./place.mjs').Place} place
 * @param {(tables: Tables) => T} look
 * @returns {T}
 */
export function withDeadStore({ home, data }, look) {
  const copy = path.join(home, 'copy.db');
  for (const suffix of ['', '-wal', '-journal']) {
    fs.rmSync(copy + suffix, { force: true });
    const file = path.join(data, `belfry.db${suffix}`);
    if (fs.existsSync(file)) fs.copyFileSync(file, copy + suffix);
  }
  const tables = new DatabaseSync(copy);
  try {
    return look(tables);
  } finally {
    tables.close();
    for (const suffix of ['', '-wal', '-journal', '-shm']) fs.rmSync(copy + suffix, { force: true });
  }
}

/**
 * The same with the tables of a store that is in use, as they are at one moment.
 * @template T
 * @param {string} data
 * @param {(tables: Tables) => T} look
 * @returns {T}
 */
export function withLiveStore(data, look) {
  const tables = new DatabaseSync(path.join(data, 'belfry.db'), { readOnly: true, timeout: 5_000 });
  try {
    tables.exec('BEGIN');
    return look(tables);
  } finally {
    tables.close();
  }
}

/** Whether nobody is in the middle of a change. @param {string} data */
export function isWritable(data) {
  const tables = new DatabaseSync(path.join(data, 'belfry.db'), { timeout: 0 });
  try {
    tables.exec('BEGIN IMMEDIATE; ROLLBACK');
    return true;
  } catch {
    return false;
  } finally {
    tables.close();
  }
}

/** @param {Tables} tables @returns {string[]} */
export function brokenRules(tables) {
  const answer = tables.prepare('PRAGMA quick_check(1)').get();
  const finding = String(Object.values(answer ?? {})[0]);
  return [
    ...(finding === 'ok' ? [] : [`quick check: ${finding}`]),
    ...Object.entries(RULES).flatMap(([rule, sql]) =>
      tables.prepare(sql).get() === undefined ? [] : [rule],
    ),
  ];
}

/**
 * Whether everything that was acknowledged is there.
 * @param {Tables} tables
 * @param {import('./person.mjs').Memory} memory
 * @returns {string[]}
 */
export function lostChanges(tables, memory) {
  const job = tables.prepare(`
    SELECT j.revision, j.is_enabled AS isEnabled, j.deleted_at AS deletedAt, v.definition ->> '$.notes' AS notes, v.disabled_reason AS why
    FROM jobs AS j JOIN job_revisions AS v ON v.job_key = j.key AND v.revision = j.revision
    WHERE j.id = unhex(?, '-')`);
  const run = tables.prepare("SELECT 1 FROM runs WHERE id = unhex(?, '-')");
  const pause = tables.prepare("SELECT ended_at AS endedAt FROM pauses WHERE id = unhex(?, '-')");
  return [
    ...memory.jobs.flatMap(({ id, name, revision, possible }) => {
      const found = /** @type {any} */ (job.get(id));
      if (found === undefined) return [`the job ${name} is lost`];
      const isSame = possible.some(
        (each) =>
          each.notes === found.notes &&
          each.isDeleted === (found.deletedAt !== null) &&
          // Belfry itself may have switched it off.
          (each.isEnabled === (found.isEnabled === 1) || ![null, 'user'].includes(found.why)),
      );
      return isSame && found.revision >= revision
        ? []
        : [
            `a change of ${name} is lost: ${JSON.stringify(found)}, not ${JSON.stringify(possible)} from ${revision}`,
          ];
    }),
    ...memory.runIds.filter((id) => run.get(id) === undefined).map((id) => `a run by hand is lost: ${id}`),
    ...[...memory.pauses].flatMap(([id, states]) => {
      const found = /** @type {any} */ (pause.get(id));
      if (found === undefined) return [`a pause is lost: ${id}`];
      return states.includes(found.endedAt === null) ? [] : [`the end of a pause is lost: ${id}`];
    }),
  ];
}

/**
 * Holds what the commands wrote down against the store. Read before `tables` began what `before` says, so that each of its
 * starts has to be there.
 * @param {Tables} tables
 * @param {ReturnType<typeof readEvidence>} before
 * @param {string} folder of the evidence, which is read again for the ends
 * @param {ReadonlySet<string>} onceEach
 * @returns {string[]}
 */
export function wrongStarts(tables, before, folder, onceEach) {
  const attempt = tables.prepare(
    `SELECT 1 FROM runs AS r JOIN attempts AS a ON a.run_key = r.key WHERE r.id = unhex(?, '-') AND a.number = ?`,
  );
  const unknown = before.begins.filter(
    ({ runId, attempt: number }) => attempt.get(runId, number) === undefined,
  );
  const codes = new Map(
    readEvidence(folder).ends.map(({ runId, attempt: number, code }) => [
      `${runId.replaceAll('-', '')} ${number}`,
      code,
    ]),
  );
  const closed = /** @type {any[]} */ (
    tables
      .prepare(
        `SELECT lower(hex(r.id)) AS runId, a.number, a.exit_code AS code, a.reason FROM attempts AS a JOIN runs AS r ON r.key = a.run_key
         WHERE a.outcome = 'succeeded' OR (a.outcome = 'failed' AND a.reason = 'exit_code')`,
      )
      .all()
  );
  const untrue = closed.filter(({ runId, number, code }) => codes.get(`${runId} ${number}`) !== code);
  return [
    ...doubleStarts(before.begins, onceEach),
    ...unknown.map(({ job, runId }) => `something began that is not in the store: ${job} ${runId}`),
    ...untrue.map((each) => `a run ended otherwise than is stored: ${JSON.stringify(each)}`),
  ];
}

/**
 * Seconds of schedules that nobody touched for which nothing was decided, up to their watermark.
 * @param {Tables} tables
 * @param {readonly { name: string, stepMs: number }[]} grids
 * @returns {string[]}
 */
export function holes(tables, grids) {
  const all = tables.prepare(`
    SELECT d.planned_at AS at, d.until_at AS until, d.count FROM decisions AS d JOIN jobs AS j ON j.key = d.job_key
    WHERE j.name = ? ORDER BY d.planned_at`);
  return grids.flatMap(({ name, stepMs }) => {
    const rows = /** @type {{ at: number, until: number, count: number }[]} */ (
      /** @type {unknown} */ (all.all(name))
    );
    return rows.flatMap(({ at, until, count }, place) => {
      const next = rows[place + 1];
      const isWhole = until - at === (count - 1) * stepMs;
      const isNext = next === undefined || next.at === until + stepMs;
      return isWhole && isNext ? [] : [`a hole in ${name} after ${new Date(until).toISOString()}`];
    });
  });
}

/**
 * Attempts that the store takes for going on although an earlier life began them and nothing of them goes on.
 * @param {Tables} tables
 * @returns {string[]}
 */
export function ghosts(tables) {
  const open = /** @type {any[]} */ (
    tables
      .prepare(
        `SELECT lower(hex(r.id)) AS runId, a.pid, a.epoch, l.epoch AS present FROM attempts AS a
           JOIN runs AS r ON r.key = a.run_key JOIN leases AS l
         WHERE a.ended_at IS NULL`,
      )
      .all()
  );
  return open
    .filter(({ runId, pid, epoch, present }) => epoch < present && !isRunning(runId, pid))
    .map(({ runId, epoch }) => `nothing is left of a run that is called running: ${runId} of epoch ${epoch}`);
}

/** @param {string} hex @param {number | null} pid */
const isRunning = (hex, pid) =>
  pid !== null &&
  isProcessWith(pid, `BELFRY_RUN_ID=${hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')}`);

/** Names in the data folder that belong to nothing that lasts. @param {string} data */
export function leftovers(data) {
  const usual =
    /^(belfry\.db(-wal|-shm|\.created)?|belfry\.sock|changed|results-(agent|app)\.spill|logs|runs|backups)$/;
  const copies = path.join(data, 'backups');
  return [
    ...fs.readdirSync(data).filter((name) => !usual.test(name)),
    ...(fs.existsSync(copies) ? fs.readdirSync(copies) : []).filter(
      (name) => !/^belfry-[\w-]+\.db(\.json)?$/.test(name),
    ),
  ];
}
