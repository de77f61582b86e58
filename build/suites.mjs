/**
 * The suites of `npm test`. Each runs to its end whatever fails in it, and answers honest counts.
 *
 * One check counts as one test, so that the closing line of a run also says that the checks were made.
 */
import fs from 'node:fs';
import path from 'node:path';
import { runBesideElectron } from './electronRuntime.mjs';
import { packageApp } from './package.mjs';
import { root } from './prepare.mjs';
import { runToEnd } from './processes.mjs';
import { countPlaywright, countVitest, oneFailure, onePass, sumCounts } from './testReports.mjs';

/** @typedef {import('./electronDist.mjs').ElectronDist} ElectronDist */
/** @typedef {import('./testReports.mjs').Counts} Counts */
/** @typedef {{ name: string, needsElectron: boolean, run: (electron: ElectronDist | null) => Promise<Counts> }} Suite */

/** The tools as files, since the links in node_modules/.bin are not programs on every system. */
const TOOLS = {
  biome: 'node_modules/@biomejs/biome/bin/biome',
  knip: 'node_modules/knip/bin/knip.js',
  playwright: 'node_modules/@playwright/test/cli.js',
  vitest: 'node_modules/vitest/vitest.mjs',
};

/** Patience: how long a runner may tidy up when it is interrupted. Limit: when it is taken for hung. */
const WAITS = { patienceMs: 10_000, limitMs: 20 * 60_000 };

/** @type {readonly { name: string, args: readonly string[] }[]} */
const checks = [
  { name: 'types', args: ['build/typecheck.mjs'] },
  { name: 'types of the older Electron', args: ['build/typecheck.mjs', '--runtime'] },
  { name: 'lint, format and layers', args: [TOOLS.biome, 'ci', '--colors=off', '--error-on-warnings', '.'] },
  { name: 'unused files, exports and dependencies', args: [TOOLS.knip, '--no-progress'] },
];

/** @type {readonly Suite[]} */
export const suites = [
  { name: 'check', needsElectron: false, run: runChecks },
  { name: 'unit', needsElectron: false, run: () => runVitest('unit', ['node', 'web']) },
  { name: 'simulation', needsElectron: false, run: () => runVitest('simulation', ['simulation']) },
  { name: 'e2e', needsElectron: true, run: (electron) => runPlaywright('app', needed(electron)) },
  { name: 'package', needsElectron: true, run: (electron) => runPackage(needed(electron)) },
];

/** @returns {Promise<Counts>} */
async function runChecks() {
  /** @type {Counts[]} */
  const results = [];
  for (const { name, args } of checks) {
    const code = await runToEnd(process.execPath, args, { cwd: root, ...WAITS });
    console.log(`${code === 0 ? 'passed' : 'FAILED'}: ${name}`);
    results.push(code === 0 ? onePass : oneFailure);
  }
  return sumCounts(results);
}

/**
 * @param {string} name
 * @param {readonly string[]} projects
 */
async function runVitest(name, projects) {
  const report = freshReport(name);
  const selection = projects.flatMap((project) => ['--project', project]);
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const code = await runToEnd(process.execPath, [TOOLS.vitest, 'run', ...selection, ...reporters], {
    cwd: root,
    ...WAITS,
  });
  return countVitest(report, code);
}

/**
 * @param {string} project
 * @param {ElectronDist} electron
 */
async function runPlaywright(project, electron) {
  console.log(`Electron ${electron.version} from ${electron.source}`);
  const report = freshReport(`e2e-${project}`);
  process.env.PLAYWRIGHT_JSON_OUTPUT_FILE = report;
  const args = [TOOLS.playwright, 'test', '--project', project, '--reporter=list,json'];
  const code = await runBesideElectron(electron, process.execPath, args, WAITS);
  return countPlaywright(report, code);
}

/** @param {ElectronDist} electron */
async function runPackage(electron) {
  await packageApp(electron, { isDirOnly: true });
  // Late, because it needs a dependency and this file is loaded before the dependencies are there.
  const { verifyPackage } = await import('./verifyPackage.mjs');
  const problems = await verifyPackage();
  for (const problem of problems) console.error(problem);
  console.log(`${problems.length === 0 ? 'passed' : 'FAILED'}: contents and fuses of the package`);
  return sumCounts([problems.length === 0 ? onePass : oneFailure, await runPlaywright('packaged', electron)]);
}

/** @param {ElectronDist | null} electron */
function needed(electron) {
  if (!electron) throw new Error('There is no Electron to test with.');
  return electron;
}

/**
 * The path of a report of which nothing is left from an earlier run.
 * @param {string} name
 */
function freshReport(name) {
  const file = path.join(root, 'test-results', `${name}.json`);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.rmSync(file, { force: true });
  return file;
}
