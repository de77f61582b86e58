/**
 * `npm run bench`: measures the built app in the real Electron. Prints figures and fails nothing; quote ratios of one run,
 * since machines differ. Run through `electronRuntime.mjs exec`, which names the Electron and brings a display.
 *
 *   npm run bench               everything
 *   npm run bench -- lateness   one of: start, memory, lateness, calendar, recording, agenda, lists, week, second,
 *                               contention, opening, history, interrupted
 */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { DatabaseSync } from '@photostructure/sqlite';
import { benchCalendar } from './calendar.mjs';
import { benchContention } from './contention.mjs';
import { benchAgenda, benchLists } from './crowd.mjs';
import { benchHistory } from './history.mjs';
import { benchInterrupted } from './interrupted.mjs';
import { benchOpening } from './opening.mjs';
import { benchSameSecond, benchWeek } from './planning.mjs';
import { memoryOf, processesBelow } from './processes.mjs';
import { benchRecording } from './recording.mjs';
import { askFor } from './socketClient.mjs';

const root = path.resolve(import.meta.dirname, '..', '..');
const FIRINGS = 1_000;
/** How many jobs share the firings, each due every second: as many as the pool starts at once, and five times that. */
const CROWDS = [4, 20];
const SETTLE_MS = 10_000;

/** @param {string} folder */
function startApp(folder) {
  const dist = process.env.ELECTRON_OVERRIDE_DIST_PATH;
  if (!dist) throw new Error('start this with `npm run bench`');
  const asRoot = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const beganAt = performance.now();
  const child = spawn(path.join(dist, 'electron'), [...asRoot, root, `--user-data-dir=${folder}`], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, BELFRY_TIMING: '1' },
  });
  /** @type {Promise<number>} */
  const drawn = new Promise((resolve, reject) => {
    child.stdout.on('data', (text) => {
      if (String(text).includes('window drawn')) resolve(performance.now() - beganAt);
    });
    child.on('exit', () => reject(new Error('the app ended before its window was drawn')));
  });
  const end = async () => {
    const gone = new Promise((resolve) => child.on('exit', resolve));
    child.kill('SIGTERM');
    await gone;
  };
  return { pid: child.pid ?? 0, drawn, end };
}

/**
 * Runs `work` with an empty data folder.
 * @param {(folder: string) => Promise<void>} work
 */
async function inFolder(work) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'belfry-bench-'));
  try {
    await work(folder);
  } finally {
    fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** @param {number[]} sorted @param {number} share */
const quantile = (sorted, share) =>
  sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;

async function benchStart() {
  for (const round of ['first start of an empty folder', 'second start']) {
    await inFolder(async (folder) => {
      if (round === 'second start') {
        const before = startApp(folder);
        await before.drawn;
        await before.end();
      }
      const app = startApp(folder);
      console.log(`start to window, ${round}: ${(await app.drawn).toFixed(0)} ms`);
      await app.end();
    });
  }
}

async function benchMemory() {
  await inFolder(async (folder) => {
    const app = startApp(folder);
    await app.drawn;
    await pause(SETTLE_MS);
    const { pss, rss } = memoryOf(processesBelow(app.pid));
    console.log(`idle with a window: ${pss.toFixed(0)} MB PSS, ${rss.toFixed(0)} MB RSS over all processes`);
    await app.end();
  });
}

async function benchLateness() {
  for (const crowd of CROWDS) await latenessOf(crowd);
}

/** @param {number} crowd how many jobs are due in each second */
async function latenessOf(crowd) {
  await inFolder(async (folder) => {
    const app = startApp(folder);
    await app.drawn;
    for (let number = 1; number <= crowd; number += 1) {
      await askFor(folder, 'jobs.save', { draft: everySecond(number) });
    }
    const store = () => new DatabaseSync(path.join(folder, 'belfry.db'), { readOnly: true });
    const lateness = () => {
      const database = store();
      const rows = /** @type {{ late: number }[]} */ (
        database
          .prepare(
            "SELECT started_at - planned_at AS late FROM runs WHERE state = 'finished' AND trigger = 'schedule'",
          )
          .all()
      );
      database.close();
      return rows.map((row) => row.late);
    };
    let late = lateness();
    while (late.length < FIRINGS) {
      await pause(1_000);
      late = lateness();
    }
    const sorted = late.slice(0, FIRINGS).sort((a, b) => a - b);
    const figures = [0.5, 0.99].map((share) => `p${share * 100} ${quantile(sorted, share)} ms`);
    console.log(
      `lateness of ${FIRINGS} firings (${crowd} jobs, each every second): ${figures.join(', ')}, max ${sorted.at(-1)} ms`,
    );
    await app.end();
  });
}

/** @param {number} number */
const everySecond = (number) => ({
  name: `Every second ${number}`,
  settings: {
    kind: 'command',
    form: 'program',
    line: '',
    shell: '',
    program: '/bin/true',
    arguments: [],
    folder: '',
    variables: [],
  },
  tags: [],
  notes: '',
  isEnabled: true,
  policies: {
    catchUp: { mode: 'none', ageMsMax: null },
    overlap: { mode: 'skip' },
    timeoutMs: null,
    graceMs: 5_000,
  },
  schedules: [
    {
      rule: {
        kind: 'cron',
        expression: '* * * * * *',
        zone: 'UTC',
        dayMatch: 'either',
        gap: 'run_after',
        repeat: 'first',
      },
    },
  ],
});

const benches = {
  start: benchStart,
  memory: benchMemory,
  lateness: benchLateness,
  calendar: benchCalendar,
  recording: benchRecording,
  agenda: benchAgenda,
  lists: benchLists,
  week: benchWeek,
  second: benchSameSecond,
  contention: benchContention,
  opening: benchOpening,
  history: benchHistory,
  interrupted: benchInterrupted,
};
const wanted = process.argv[2];
for (const [name, bench] of Object.entries(benches))
  if (wanted === undefined || wanted === name) await bench();
