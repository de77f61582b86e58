/**
 * `npm run torture`: kills Belfry with SIGKILL at moments that a seed chooses, under load, and looks for what was lost, run twice or
 * left behind. Prints the figures; exits with 1 and keeps the folder if there was a fault.
 *
 *   npm run torture -- --kills 1000 [--seed 7] [--minutes 30]
 */
import { quantile } from '../bench/figures.mjs';
import { tortureByKills } from './kills.mjs';
import { buildProgram } from './program.mjs';

/** @param {string} name @param {number} usual */
function numberAfter(name, usual) {
  const at = process.argv.indexOf(`--${name}`);
  const value = at < 0 ? usual : Number(process.argv[at + 1]);
  if (!Number.isFinite(value) || value <= 0) throw new Error(`--${name} takes a number above zero.`);
  return value;
}

const kills = numberAfter('kills', 1_000);
const seed = numberAfter('seed', 1 + Math.floor(Math.random() * 2 ** 31));
const minutes = numberAfter('minutes', Number.MAX_SAFE_INTEGER);
console.log(`seed ${seed}`);
const program = await buildProgram();
try {
  const report = await tortureByKills({
    ...{ program, kills, seed },
    until: performance.now() + minutes * 60_000,
    say: (line) => console.log(line),
  });
  const { moments, readyMs, faults } = report;
  console.log(
    `${report.kills} kills (${Object.entries(moments)
      .map(([moment, count]) => `${count} while ${moment}`)
      .join(', ')}), ` +
      `${report.runs} runs, ${report.begins} commands begun, ${report.abandoned} cut off, ${report.acknowledged} changes kept, ` +
      `${report.unanswered} unanswered; leading again after ${quantile(readyMs, 0.5).toFixed(0)} ms (p50), ` +
      `${quantile(readyMs, 0.99).toFixed(0)} ms (p99), ${Math.max(...readyMs).toFixed(0)} ms (max) of process start; ` +
      `${faults.length} faults; seed ${seed}`,
  );
  for (const fault of faults.slice(0, 20)) console.error(`FAULT: ${fault}`);
  if (report.folder !== null) console.error(`kept: ${report.folder}`);
  process.exitCode = faults.length === 0 ? 0 : 1;
} finally {
  program.remove();
}
