/** What the commands themselves have written down: who began, for which due time, and with which code it ended. */
import fs from 'node:fs';
import path from 'node:path';

/** @typedef {{ job: string, runId: string, attempt: number, plannedAt: string | null, trigger: string }} Begin */
/** @typedef {{ job: string, runId: string, attempt: number, code: number }} End */

/** @param {string} folder @returns {{ begins: Begin[], ends: End[] }} */
export function readEvidence(folder) {
  /** @type {Begin[]} */
  const begins = [];
  /** @type {End[]} */
  const ends = [];
  for (const job of fs.readdirSync(folder)) {
    // The last line may be written just now.
    const lines = fs.readFileSync(path.join(folder, job), 'utf8').split('\n').slice(0, -1);
    for (const line of lines) {
      const [mark, runId = '', attempt, third = '', trigger = ''] = line.split(' ');
      if (mark === 'b') {
        const plannedAt = third === '-' ? null : third;
        begins.push({ job, runId, attempt: Number(attempt), plannedAt, trigger });
      } else {
        ends.push({ job, runId, attempt: Number(attempt), code: Number(third) });
      }
    }
  }
  return { begins, ends };
}

/** Values that occur more than once. @param {readonly string[]} sorted */
const twice = (sorted) => sorted.filter((each, place) => each === sorted[place - 1]);

/**
 * What began twice, without asking the store.
 * @param {readonly Begin[]} begins
 * @param {ReadonlySet<string>} onceEach names of jobs of which no run may be tried again
 */
export function doubleStarts(begins, onceEach) {
  const attempts = twice(sortedBy(begins, ({ runId, attempt }) => `${runId} ${attempt}`));
  const runs = twice(
    sortedBy(
      begins.filter(({ job }) => onceEach.has(job)),
      ({ runId }) => runId,
    ),
  );
  const planned = begins.filter(
    ({ plannedAt, trigger }) => plannedAt !== null && ['schedule', 'catch_up'].includes(trigger),
  );
  /** @type {Map<string, string>} */
  const runOf = new Map();
  const occurrences = planned.filter(({ job, plannedAt, runId }) => {
    const known = runOf.get(`${job} ${plannedAt}`);
    runOf.set(`${job} ${plannedAt}`, runId);
    return known !== undefined && known !== runId;
  });
  return [
    ...attempts.map((each) => `an attempt began twice: ${each}`),
    ...runs.map((each) => `a run began twice: ${each}`),
    ...occurrences.map(({ job, plannedAt }) => `a due time ran twice: ${job} ${plannedAt}`),
  ];
}

/** @template T @param {readonly T[]} all @param {(each: T) => string} key */
const sortedBy = (all, key) => all.map(key).sort();
