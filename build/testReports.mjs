/** Reads what the test runners say in their JSON reports. A report that is missing or empty counts as a failure. */
import fs from 'node:fs';

/** @typedef {{ passed: number, failed: number, skipped: number }} Counts */

/** @type {Counts} */
export const oneFailure = Object.freeze({ passed: 0, failed: 1, skipped: 0 });
/** @type {Counts} */
export const onePass = Object.freeze({ passed: 1, failed: 0, skipped: 0 });

/**
 * Counts the tests of a run of Vitest.
 * @param {string} file
 * @param {number} exitCode
 * @returns {Counts}
 */
export function countVitest(file, exitCode) {
  const report = readReport(file);
  if (!report) return oneFailure;
  const { numPassedTests, numFailedTests, numPendingTests, numTodoTests } = report;
  return honest(
    { passed: numPassedTests, failed: numFailedTests, skipped: numPendingTests + numTodoTests },
    exitCode,
  );
}

/**
 * Counts the tests of a run of Playwright.
 * @param {string} file
 * @param {number} exitCode
 * @returns {Counts}
 */
export function countPlaywright(file, exitCode) {
  const report = readReport(file);
  if (!report) return oneFailure;
  const { expected, unexpected, flaky, skipped } = report.stats;
  return honest({ passed: expected, failed: unexpected + flaky, skipped }, exitCode);
}

/**
 * Adds a failure where the numbers alone would hide one: a file that did not load, an error outside of any test, or a
 * run in which nothing was tested.
 * @param {Counts} counts
 * @param {number} exitCode
 */
function honest(counts, exitCode) {
  const hasHiddenFailure = counts.failed === 0 && (exitCode !== 0 || counts.passed === 0);
  return hasHiddenFailure ? { ...counts, failed: 1 } : counts;
}

/**
 * @param {readonly Counts[]} all
 * @returns {Counts}
 */
export function sumCounts(all) {
  return all.reduce(
    (sum, { passed, failed, skipped }) => ({
      passed: sum.passed + passed,
      failed: sum.failed + failed,
      skipped: sum.skipped + skipped,
    }),
    { passed: 0, failed: 0, skipped: 0 },
  );
}

/**
 * The closing line that CI reads.
 * @param {Counts} counts
 */
export function describeCounts({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed, ${skipped} skipped`;
}

/**
 * @param {string} file
 * @returns {any}
 */
function readReport(file) {
  if (!fs.existsSync(file)) return null;
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8'));
  } catch (error) {
    // A runner that was killed while writing leaves half a report.
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
