/**
 * Kills whoever is about to change the files of a store as a whole: the command line that makes a copy or puts one back, the agent
 * that does so while it runs, and the agent that brings an older store up to date. Afterwards everything is there and can be used.
 */
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { DatabaseSync } from '@photostructure/sqlite';
import { askFor } from '../bench/socketClient.mjs';
import { brokenRules, withDeadStore } from './check.mjs';
import { draftOf } from './jobs.mjs';
import { makePlace } from './place.mjs';

/** @typedef {import('./place.mjs').Place} Place */
/** @typedef {import('./program.mjs').Program} Program */
/** @typedef {import('./chance.mjs').Chance} Chance */
/** @typedef {{ kills: number, faults: string[], outcomes: Record<string, number> }} CopyReport */

const RELEASED = path.resolve(import.meta.dirname, '..', '..', 'electron', 'store', 'released');
const OLDER_SCHEMAS = [1, 2, 3];
const JOBS = ['first', 'second', 'third'];
/** Longer than the work takes, so that some of it is let through. */
const WORK_MS_MAX = 1_500;

/**
 * @param {(place: Place, report: CopyReport) => Promise<void>} work
 * @returns {Promise<CopyReport>}
 */
async function inPlace(work) {
  const place = makePlace('belfry-copies-');
  /** @type {CopyReport} */
  const report = { kills: 0, faults: [], outcomes: {} };
  try {
    await work(place, report);
  } catch (error) {
    report.faults.push(error instanceof Error ? error.message : String(error));
  }
  await place.endAll();
  if (report.faults.length === 0) place.remove();
  else report.faults.push(`kept: ${place.home}`);
  return report;
}

/** @param {CopyReport} report @param {string} outcome */
const note = ({ outcomes }, outcome) => {
  outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
};

/** Kills it after a while, unless it has ended by then. @param {CopyReport} report @param {import('./place.mjs').Agent} program @param {number} afterMs */
async function killAfter(report, program, afterMs) {
  await Promise.race([pause(afterMs), program.ended]);
  if (program.isAlive()) report.kills += 1;
  program.signal('SIGKILL');
  await program.ended;
}

/** What is wrong with copies that have their name. @param {string} data */
function brokenCopies(data) {
  const folder = path.join(data, 'backups');
  return fs
    .readdirSync(folder)
    .filter((name) => name.endsWith('.db'))
    .flatMap((name) => {
      const tables = new DatabaseSync(`file://${path.join(folder, name)}?mode=ro&immutable=1`, {
        readOnly: true,
      });
      try {
        const answer = tables.prepare('PRAGMA quick_check(1)').get();
        return Object.values(answer ?? {})[0] === 'ok' ? [] : [`the copy ${name} is damaged`];
      } finally {
        tables.close();
      }
    });
}

/** @param {Place} place @returns {string[]} */
const faultsOf = (place) =>
  withDeadStore(place, (tables) => {
    const names = tables.prepare('SELECT name FROM jobs WHERE deleted_at IS NULL ORDER BY name').all();
    const found = names.map((row) => String(/** @type {any} */ (row).name)).join(' ');
    return [...brokenRules(tables), ...(found === JOBS.join(' ') ? [] : [`the jobs are "${found}"`])];
  });

/**
 * A start after the kill: whatever was left undone is finished, and the agent leads.
 * @param {Program} program
 * @param {Place} place
 * @param {CopyReport} report
 */
async function comeBack(program, place, report) {
  report.faults.push(...brokenCopies(place.data));
  const agent = place.start(program.agent);
  if ((await agent.ready) !== 'leading') report.faults.push(`the agent does not lead: ${agent.words()}`);
  else note(report, 'the store was there');
  agent.signal('SIGTERM');
  if ((await agent.ended) !== 0) report.faults.push(`the agent did not end well: ${agent.words()}`);
  report.faults.push(...faultsOf(place), ...partedStores(place.data));
}

/** Stores that lie aside without their log, or a log without its store. @param {string} data */
function partedStores(data) {
  const aside = path.join(data, 'aside');
  if (!fs.existsSync(aside)) return [];
  return fs.readdirSync(aside).flatMap((name) => {
    const files = fs.readdirSync(path.join(aside, name));
    return files.length === 0 || files.includes('belfry.db')
      ? []
      : [`aside/${name} holds ${files.join(' ')} without a store`];
  });
}

/**
 * @param {Program} program
 * @param {{ times: number, chance: Chance }} how
 */
export const killCopying = (program, { times, chance }) =>
  inPlace(async (place, report) => {
    const first = place.start(program.agent);
    await first.ready;
    for (const name of JOBS) {
      await askFor(place.data, 'jobs.save', { draft: draftOf(place.evidence, name, {}) });
    }
    await askFor(place.data, 'backups.create', undefined);
    first.signal('SIGTERM');
    await first.ended;
    for (let time = 0; time < times && report.faults.length === 0; time += 1) {
      const words = ['backup', ...chance.pick([['create'], ['restore', 'latest'], ['restore', 'latest']])];
      const afterMs = chance.between(0, WORK_MS_MAX);
      if (chance.isTrue(0.5)) {
        await killAfter(report, place.start(program.cli, words), afterMs);
      } else {
        const agent = place.start(program.agent);
        await agent.ready;
        const asking = place.start(program.cli, words);
        await killAfter(report, agent, afterMs);
        await asking.ended;
      }
      await comeBack(program, place, report);
    }
  });

/** @param {any} tables @param {string} table */
const countIn = (tables, table) =>
  Number(tables.prepare(`SELECT count(*) AS count FROM ${table}`).get().count);

/**
 * @param {Program} program
 * @param {{ schema: number, chance: Chance }} how
 */
const killOneMigration = (program, { schema, chance }) =>
  inPlace(async (place, report) => {
    fs.mkdirSync(place.data, { mode: 0o700 });
    const file = path.join(place.data, 'belfry.db');
    fs.writeFileSync(file, gunzipSync(fs.readFileSync(path.join(RELEASED, `schema-${schema}.db.gz`))), {
      mode: 0o600,
    });
    const count = (/** @type {any} */ tables) =>
      ['jobs', 'job_revisions', 'schedules'].map((table) => countIn(tables, table));
    const before = withDeadStore(place, count);
    await killAfter(report, place.start(program.agent), chance.between(0, WORK_MS_MAX));
    const version = withDeadStore(
      place,
      (tables) => /** @type {any} */ (tables.prepare('PRAGMA user_version').get()),
    );
    note(report, Number(version.user_version) === schema ? 'before the migration' : 'after the migration');
    const agent = place.start(program.agent);
    if ((await agent.ready) !== 'leading')
      report.faults.push(`schema ${schema} is refused: ${agent.words()}`);
    agent.signal('SIGTERM');
    await agent.ended;
    report.faults.push(...withDeadStore(place, brokenRules));
    const after = withDeadStore(place, count);
    if (after.join() !== before.join()) report.faults.push(`schema ${schema}: ${before} became ${after}`);
    report.faults.push(...brokenCopies(place.data));
  });

/**
 * @param {Program} program
 * @param {{ times: number, chance: Chance }} how
 * @returns {Promise<CopyReport>}
 */
export async function killMigrations(program, { times, chance }) {
  /** @type {CopyReport} */
  const all = { kills: 0, faults: [], outcomes: {} };
  for (let time = 0; time < times; time += 1) {
    const { kills, faults, outcomes } = await killOneMigration(program, {
      schema: chance.pick(OLDER_SCHEMAS),
      chance,
    });
    all.kills += kills;
    all.faults.push(...faults);
    for (const outcome of Object.keys(outcomes)) note(all, outcome);
  }
  return all;
}
