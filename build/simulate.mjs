/**
 * `npm run simulate -- --hours N [--wrong-clocks]`: simulated months on fresh numbers until the time is over. Prints the
 * simulated years and the faults; exits with 1 if there was one. Without `--wrong-clocks` every other life has them.
 */
import { runnerImport } from 'vite';

/** @param {readonly string[]} argv */
function readArguments(argv) {
  const at = argv.indexOf('--hours');
  const hours = at < 0 ? 1 : Number(argv[at + 1]);
  if (!Number.isFinite(hours) || hours <= 0) throw new Error('--hours takes a number above zero.');
  return { hours, isOnlyWrong: argv.includes('--wrong-clocks') };
}

/** A life of this many days takes some seconds. */
const DAYS = 30;
/** Sorts of lives take turns of this length, in milliseconds. */
const TURN_MS = 60_000;

async function simulate() {
  const { hours, isOnlyWrong } = readArguments(process.argv.slice(2));
  const { module } = await runnerImport('./electron/testing/freshLives.ts', {
    configFile: false,
    define: { __TEST_BUILD__: 'true' },
    logLevel: 'error',
  });
  const endAt = performance.now() + hours * 3_600_000;
  const total = { lives: 0, faults: 0, days: 0 };
  for (let turn = 0; performance.now() < endAt; turn += 1) {
    const lived = await module.liveAfresh({
      until: Math.min(endAt, performance.now() + TURN_MS),
      hasWrongClocks: isOnlyWrong || turn % 2 === 1,
      days: DAYS,
      now: () => performance.now(),
      newSeed: () => Math.floor(Math.random() * 2 ** 31),
      print: (/** @type {string} */ line) => console.log(line),
    });
    total.lives += lived.lives;
    total.faults += lived.faults;
    total.days += lived.days;
  }
  console.log(
    `${module.yearsOf(total.days)} simulated years in ${total.lives} lives, ${total.faults} faults`,
  );
  return total.faults > 0 ? 1 : 0;
}

process.exitCode = await simulate();
