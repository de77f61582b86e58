/**
 * `npm test`: prepares what is missing and runs all checks and tests, also after a failing one. The last line and the
 * exit code are true for the whole.
 *
 *   npm test -- --only unit   one of check, unit, simulation, e2e, package; several with commas
 */
import { requireNode } from './nodeVersion.mjs';

requireNode();
const { prepare, seconds } = await import('./prepare.mjs');
const { suites } = await import('./suites.mjs');
const { describeCounts, oneFailure, sumCounts } = await import('./testReports.mjs');

/** @param {readonly string[]} argv */
function chosenSuites(argv) {
  const at = argv.indexOf('--only');
  if (at < 0) return suites;
  const names = (argv[at + 1] ?? '').split(',');
  const unknown = names.find((name) => !suites.some((suite) => suite.name === name));
  if (unknown !== undefined) {
    throw new Error(`--only takes ${suites.map(({ name }) => name).join(', ')}, not "${unknown}".`);
  }
  return suites.filter(({ name }) => names.includes(name));
}

/** @returns {Promise<number>} the exit code */
async function test() {
  const chosen = chosenSuites(process.argv.slice(2));
  const needsElectron = chosen.some((suite) => suite.needsElectron);
  const electron = await prepare({
    needsElectron,
    needsBuild: needsElectron,
    isForTests: true,
    isTimed: true,
  });
  const results = [];
  for (const suite of chosen) {
    console.log(`\n== ${suite.name} ==`);
    const beganAt = performance.now();
    const counts = await suite.run(electron).catch((error) => {
      console.error(error);
      return oneFailure;
    });
    const line = `${suite.name}: ${describeCounts(counts)} in ${seconds(performance.now() - beganAt)}`;
    results.push({ counts, line });
  }
  const total = sumCounts(results.map(({ counts }) => counts));
  console.log(`\n${results.map(({ line }) => line).join('\n')}\n`);
  console.log(describeCounts(total));
  return total.failed > 0 ? 1 : 0;
}

try {
  process.exitCode = await test();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  console.log(describeCounts(oneFailure));
  process.exitCode = 1;
}
