/**
 * `npm run torture`: kills Belfry with SIGKILL at moments that a seed chooses, under load, and looks for what was lost, run twice or
 * left behind; then pairs of agents, and whoever changes the
 * files of a store. Prints the figures; exits with 1 and keeps the folder if there was a fault.
 *
 *   npm run torture -- --kills 1000 [--seed 7] [--minutes 30] [--starts 50] [--copies 50]
 *
 * A number of 0 leaves that part out.
 */
import { quantile } from '../bench/figures.mjs';
import { createChance } from './chance.mjs';
import { killCopying, killMigrations } from './copies.mjs';
import { tortureByKills } from './kills.mjs';
import { createTogether, editBesideSilentLeader, sleepThroughLease, startTogether } from './pairs.mjs';
import { buildProgram } from './program.mjs';

/** Pairs that create a folder, for each of those that start again on one. */
const CREATIONS_SHARE = 0.2;

/** @param {string} name @param {number} usual */
function numberAfter(name, usual) {
  const at = process.argv.indexOf(`--${name}`);
  const value = at < 0 ? usual : Number(process.argv[at + 1]);
  if (!Number.isFinite(value) || value < 0) throw new Error(`--${name} takes a number.`);
  return value;
}

/** @param {readonly string[]} faults */
function tell(faults) {
  for (const fault of faults.slice(0, 20)) console.error(`FAULT: ${fault}`);
  if (faults.length > 0) process.exitCode = 1;
}

/** @param {readonly number[]} values */
const spread = (values) =>
  `${quantile(values, 0.5).toFixed(0)} ms (p50), ${quantile(values, 0.99).toFixed(0)} ms (p99), ${Math.max(...values).toFixed(0)} ms (max)`;

/** @param {Parameters<typeof tortureByKills>[0]} order */
async function kill(order) {
  const report = await tortureByKills(order);
  const moments = Object.entries(report.moments).map(([moment, count]) => `${count} while ${moment}`);
  console.log(
    `${report.kills} kills (${moments.join(', ')}), ${report.runs} runs, ${report.begins} commands begun, ` +
      `${report.abandoned} cut off, ${report.acknowledged} changes kept, ${report.unanswered} unanswered; ` +
      `leading again after ${spread(report.readyMs)} from the start of the process; ` +
      `${report.faults.length} faults; seed ${report.seed}`,
  );
  tell(report.faults);
  if (report.folder !== null) console.error(`kept: ${report.folder}`);
}

/** @param {import('./program.mjs').Program} program @param {number} times */
async function pairs(program, times) {
  /** @type {import('./pairs.mjs').PairReport[]} */
  const reports = [await startTogether(program, { times })];
  for (let done = 0; done < CREATIONS_SHARE * times; done += 1) reports.push(await createTogether(program));
  for (const endsAsleep of [true, false]) reports.push(await sleepThroughLease(program, { endsAsleep }));
  reports.push(await editBesideSilentLeader(program));
  /** @type {Record<string, number[]>} */
  const all = {};
  for (const { tookMs } of reports) {
    for (const [what, values] of Object.entries(tookMs)) all[what] = [...(all[what] ?? []), ...values];
  }
  for (const [what, values] of Object.entries(all))
    console.log(`${what}: ${spread(values)}, ${values.length} times`);
  const faults = reports.flatMap((report) => report.faults);
  console.log(`${times} starts of two in the same instant, ${faults.length} faults`);
  tell(faults);
}

/** @param {import('./program.mjs').Program} program @param {{ times: number, chance: import('./chance.mjs').Chance }} how */
async function copies(program, how) {
  for (const [what, part] of /** @type {const} */ ([
    ['copies made and put back', killCopying],
    ['older stores brought up to date', killMigrations],
  ])) {
    const { kills, faults, outcomes } = await part(program, how);
    const found = Object.entries(outcomes).map(([outcome, count]) => `${outcome} ${count} times`);
    console.log(`${what}: ${kills} kills, ${found.join(', ')}, ${faults.length} faults`);
    tell(faults);
  }
}

const kills = numberAfter('kills', 1_000);
const starts = numberAfter('starts', 50);
const copyKills = numberAfter('copies', 50);
const seed = numberAfter('seed', 1 + Math.floor(Math.random() * 2 ** 31));
const minutes = numberAfter('minutes', Number.MAX_SAFE_INTEGER);
console.log(`seed ${seed}`);
const program = await buildProgram();
try {
  const until = performance.now() + minutes * 60_000;
  if (kills > 0) await kill({ program, kills, seed, until, say: (line) => console.log(line) });
  if (starts > 0) await pairs(program, starts);
  if (copyKills > 0) await copies(program, { times: copyKills, chance: createChance(seed) });
} finally {
  program.remove();
}
