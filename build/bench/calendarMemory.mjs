/**
 * What schedules take in memory once they were asked for: a process of its own, started by `calendar.mjs`. Distinct schedules are
 * looked at once each and let go, so that what stays is what the calendar keeps; croner's patterns are held, as a scheduler
 * built on it would hold them.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Cron } from 'croner';
import { loadSources } from './sources.mjs';

const SCHEDULES = 100_000;
const PATTERNS = 400;
const NOW = Date.UTC(2026, 0, 1);
const ZONES = ['Europe/Berlin', 'America/New_York', 'Asia/Tokyo', 'UTC'];

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');

const used = () => {
  collect();
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
};

/** @param {number} number */
const expressionOf = (number) =>
  `${number % 60} ${Math.floor(number / 60) % 24} ${1 + (Math.floor(number / 1_440) % 28)} ${1 + (Math.floor(number / 40_320) % 12)} *`;

const { occurrences } = await loadSources({ occurrences: 'shared/schedule/occurrences.ts' });

/** @param {number} from @param {Float64Array} due */
const lookAt = (from, due) => {
  for (let number = from; number < from + due.length; number += 1) {
    const rule = {
      kind: 'cron',
      expression: expressionOf(number),
      zone: ZONES[number % ZONES.length],
      dayMatch: 'either',
      gap: 'run_after',
      repeat: 'first',
    };
    due[number - from] = occurrences.nextOccurrence(rule, NOW, { hostZone: 'UTC' });
  }
};

const due = new Float64Array(SCHEDULES);
const before = used();
const beganAt = performance.now();
lookAt(0, due);
const tookMs = performance.now() - beganAt;
const once = used();
lookAt(SCHEDULES, due);
const twice = used();
const bytes = Math.max(0, once - before) / SCHEDULES + Float64Array.BYTES_PER_ELEMENT;

/** @type {Cron[]} */
const patterns = [];
for (let number = 0; number < PATTERNS; number += 1) {
  patterns.push(new Cron(expressionOf(number), { timezone: 'UTC', paused: true }));
}
const bytesOfCroner = (used() - twice) / patterns.length;

console.log(
  `${SCHEDULES.toLocaleString('en-US')} distinct schedules looked at once: ${tookMs.toFixed(0)} ms, ` +
    `${bytes.toFixed(0)} bytes each stay, due time included (goal 300), as many more add ${((twice - once) / 1_024).toFixed(0)} KiB; ` +
    `croner ${bytesOfCroner.toFixed(0)} bytes a pattern, ${(bytesOfCroner / bytes).toFixed(0)}x`,
);
