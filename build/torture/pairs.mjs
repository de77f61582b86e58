/**
 * Two agents on one data folder: one sleeps through its lease while a command of it runs, both start in the same instant, and
 * one goes while the other stays. Answers what broke, as sentences, and how long it took.
 */
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { askFor } from '../bench/socketClient.mjs';
import { brokenRules, holes, isWritable, withLiveStore, wrongStarts } from './check.mjs';
import { readEvidence } from './evidence.mjs';
import { draftOf } from './jobs.mjs';
import { makePlace, until } from './place.mjs';

/** @typedef {import('./place.mjs').Place} Place */
/** @typedef {import('./place.mjs').Agent} Agent */
/** @typedef {import('./program.mjs').Program} Program */
/** @typedef {{ faults: string[], tookMs: Record<string, number[]> }} PairReport */

const STALE_MS = 1_500;
/** The usual timings would take half a minute. */
const SHORT = { BELFRY_RENEW_MS: '200', BELFRY_STALE_MS: String(STALE_MS), BELFRY_WATCH_MS: '200' };
/** Between two looks of a sleeper that woke up. */
const SETTLE_MS = 1_500;
const GRID = [{ name: 'every-second', stepMs: 1_000 }];
const ONCE_EACH = new Set(['every-second', 'gated']);

/**
 * Runs `work` in a place of its own, looks at everything at the end, and keeps the place if anything is wrong.
 * @param {(place: Place, report: PairReport) => Promise<void>} work
 * @returns {Promise<PairReport>}
 */
async function inPlace(work) {
  const place = makePlace('belfry-pair-');
  /** @type {PairReport} */
  const report = { faults: [], tookMs: {} };
  try {
    await work(place, report);
    const before = readEvidence(place.evidence);
    const found = withLiveStore(place.data, (tables) => [
      ...brokenRules(tables),
      ...holes(tables, GRID),
      ...wrongStarts(tables, before, place.evidence, ONCE_EACH),
    ]);
    report.faults.push(...found);
  } catch (error) {
    report.faults.push(error instanceof Error ? error.message : String(error));
  }
  await place.endAll();
  if (report.faults.length === 0) place.remove();
  else report.faults.push(`kept: ${place.home}`);
  return report;
}

/** @param {PairReport} report @param {string} what @param {number} ms */
const note = ({ tookMs }, what, ms) => {
  tookMs[what] = [...(tookMs[what] ?? []), ms];
};

/** @param {Place} place @returns {{ pid: number, epoch: number, isHeld: boolean }} */
const leaseOf = ({ data }) =>
  withLiveStore(data, (tables) => {
    const row = /** @type {any} */ (
      tables.prepare('SELECT pid, epoch, holder_id AS holderId FROM leases').get()
    );
    return { pid: row.pid, epoch: row.epoch, isHeld: row.holderId !== null };
  });

/** @param {Place} place @param {Agent} agent */
const isHolder = (place, agent) => {
  const { pid, isHeld } = leaseOf(place);
  return isHeld && pid === agent.pid;
};

/** @param {Place} place @param {string} runId @returns {any} */
const runOf = ({ data }, runId) =>
  withLiveStore(data, (tables) =>
    tables
      .prepare(
        `SELECT r.state, r.outcome, r.exit_code AS exitCode, r.was_adopted AS wasAdopted, count(*) AS attempts
         FROM runs AS r JOIN attempts AS a ON a.run_key = r.key WHERE r.id = unhex(?, '-')`,
      )
      .get(runId),
  );

/** Whether the log of the agents says that this one lost the lease. @param {Place} place @param {Agent} agent */
const hasSteppedDown = (place, agent) =>
  fs
    .readFileSync(path.join(place.data, 'logs', 'agent.log'), 'utf8')
    .split('\n')
    .some((line) => line.includes('"lease_lost"') && line.includes(`"pid":${agent.pid},`));

/**
 * One that is stopped in the middle of a change keeps the lock of SQLite, and nobody can write until it goes on or is killed.
 * @param {Place} place
 * @param {Agent} agent
 */
const stopBetweenWrites = ({ data }, agent) =>
  until('the agent is stopped between two changes', async () => {
    agent.signal('SIGSTOP');
    if (isWritable(data)) return true;
    agent.signal('SIGCONT');
    return false;
  });

/** @param {Agent} agent @param {'leading' | 'standby'} role */
async function expectRole(agent, role) {
  const found = await agent.ready;
  if (found !== role) throw new Error(`${found} instead of ${role}: ${agent.words()}`);
}

/** @param {Place} place @param {'quick' | 'gated'} body @param {string} name */
const saveJob = (place, name, body) =>
  askFor(place.data, 'jobs.save', {
    draft: draftOf(place.evidence, name, { body, ...(body === 'gated' ? { rules: [] } : {}) }),
  });

/**
 * The holder is stopped longer than the threshold while a command of it runs. The command ends before the holder goes on, or
 * afterwards.
 * @param {Program} program
 * @param {{ endsAsleep: boolean }} how
 */
export const sleepThroughLease = (program, { endsAsleep }) =>
  inPlace(async (place, report) => {
    const sleeper = place.start(program.agent, [], SHORT);
    await expectRole(sleeper, 'leading');
    await saveJob(place, 'every-second', 'quick');
    const gated = await saveJob(place, 'gated', 'gated');
    const run = await askFor(place.data, 'runs.start', { jobId: gated.id });
    const hasBegun = () => readEvidence(place.evidence).begins.some(({ runId }) => runId === run.id);
    await until('the command has begun', hasBegun);
    const other = place.start(program.agent, [], SHORT);
    await expectRole(other, 'standby');
    const before = leaseOf(place);

    await stopBetweenWrites(place, sleeper);
    const stoppedAt = performance.now();
    await until('the other one takes over', () => isHolder(place, other));
    const tookMs = performance.now() - stoppedAt;
    note(report, 'takeover from a stopped holder', tookMs);
    // It renewed up to one period before it was stopped, and was seen to by a look that came up to one period later.
    if (tookMs < STALE_MS - 400) report.faults.push(`taken over after ${tookMs} ms, before the threshold`);
    if (leaseOf(place).epoch !== before.epoch + 1) report.faults.push('the epoch did not rise by one');
    await pause(SETTLE_MS);
    const open = () => fs.writeFileSync(path.join(place.evidence, 'gated.gate'), '');
    const isOver = () => runOf(place, run.id).state === 'finished';
    if (endsAsleep) {
      open();
      await until('the end of the command is stored', isOver);
    }

    const continuedAt = Date.now();
    sleeper.signal('SIGCONT');
    const wokenAt = performance.now();
    await until('the sleeper steps down', () => hasSteppedDown(place, sleeper));
    note(report, 'stepping down after waking', performance.now() - wokenAt);
    if (!endsAsleep) open();
    await until('the end of the command is stored', isOver);
    await pause(SETTLE_MS);
    const found = runOf(place, run.id);
    if (found.attempts !== 1 || found.exitCode !== 7 || found.outcome !== 'failed') {
      report.faults.push(`the command that went on ended otherwise: ${JSON.stringify(found)}`);
    }
    const late = withLiveStore(place.data, (tables) =>
      tables
        .prepare('SELECT number FROM attempts WHERE epoch = ? AND started_at >= ?')
        .all(before.epoch, continuedAt),
    );
    if (late.length > 0) report.faults.push('the sleeper started something under its old epoch');
    if (!isHolder(place, other)) report.faults.push('the sleeper has the lease again');
    await goAndStay(place, report, { leader: other, follower: sleeper, signal: 'SIGTERM' });
  });

/**
 * The leader goes and the follower takes over.
 * @param {Place} place
 * @param {PairReport} report
 * @param {{ leader: Agent, follower: Agent, signal: 'SIGTERM' | 'SIGKILL' }} who
 */
async function goAndStay(place, report, { leader, follower, signal }) {
  const { epoch } = leaseOf(place);
  leader.signal(signal);
  const asked = performance.now();
  const ended = leader.ended.then(() => performance.now());
  await until(`the follower leads after ${signal}`, () => isHolder(place, follower), 15_000);
  note(report, `takeover after ${signal}`, performance.now() - asked);
  await ended;
  if (leaseOf(place).epoch !== epoch + 1) report.faults.push('the epoch did not rise by one');
}

/**
 * Both start in the same instant, again and again, now and then on a folder that does not exist yet.
 * @param {Program} program
 * @param {{ times: number }} how
 */
export const startTogether = (program, { times }) =>
  inPlace(async (place, report) => {
    for (let time = 0; time < times; time += 1) {
      const both = [place.start(program.agent), place.start(program.agent)];
      const roles = await Promise.all(both.map((agent) => agent.ready));
      if ([...roles].sort().join(' ') !== 'leading standby') {
        report.faults.push(`${roles.join(' and ')}: ${both.map((agent) => agent.words()).join('')}`);
      }
      const leader = both[roles.indexOf('leading')];
      const follower = both[roles.indexOf('standby')];
      if (leader === undefined || follower === undefined) return;
      if (time === 0) await saveJob(place, 'every-second', 'quick');
      if (time % 3 === 2) {
        follower.signal('SIGTERM');
        if ((await follower.ended) !== 0)
          report.faults.push(`the follower did not end well: ${follower.words()}`);
        if (!isHolder(place, leader))
          report.faults.push('the leader leads no longer after the follower went');
        await endWell(leader, report);
        continue;
      }
      await goAndStay(place, report, { leader, follower, signal: time % 3 === 0 ? 'SIGTERM' : 'SIGKILL' });
      await endWell(follower, report);
    }
  });

/** @param {Agent} agent @param {PairReport} report */
async function endWell(agent, report) {
  agent.signal('SIGTERM');
  if ((await agent.ended) !== 0) report.faults.push(`an agent did not end well: ${agent.words()}`);
}

/**
 * Two agents that create one data folder at the same moment: one store, one leader.
 * @param {Program} program
 */
export const createTogether = (program) =>
  inPlace(async (place, report) => {
    const both = [place.start(program.agent), place.start(program.agent)];
    const roles = await Promise.all(both.map((agent) => agent.ready));
    if ([...roles].sort().join(' ') !== 'leading standby') {
      report.faults.push(`${roles.join(' and ')}: ${both.map((agent) => agent.words()).join('')}`);
    }
  });

/**
 * The leader is silent and its socket is gone, so the other one makes the change itself; the leader hears of it when it goes on.
 * @param {Program} program
 */
export const editBesideSilentLeader = (program) =>
  inPlace(async (place, report) => {
    const leader = place.start(program.agent);
    await expectRole(leader, 'leading');
    await stopBetweenWrites(place, leader);
    fs.rmSync(path.join(place.data, 'belfry.sock'));
    const other = place.start(program.agent);
    await expectRole(other, 'standby');
    await until('the other one is found', () => fs.existsSync(path.join(place.data, 'belfry.sock')));
    const { pid } = await askFor(place.data, 'health.get', undefined);
    if (pid !== other.pid) report.faults.push('the change was not made beside the leader');
    await saveJob(place, 'every-second', 'quick');
    leader.signal('SIGCONT');
    const continuedAt = performance.now();
    const isDecided = () =>
      withLiveStore(place.data, (tables) => tables.prepare('SELECT 1 FROM decisions').get() !== undefined);
    await until('the leader decides about the new job', isDecided);
    // The first second that is due may be as far away as that.
    note(report, 'deciding about a change beside the leader', performance.now() - continuedAt);
    if (!isHolder(place, leader)) report.faults.push('the leader lost the lease');
    await pause(SETTLE_MS);
  });
