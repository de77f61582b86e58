/**
 * Goal: the rules can fail. Method: the store is broken on purpose, in one way at a time, and a life with it must end with
 * the sentence of the rule that it breaks.
 */

import { expect, test } from 'vitest';
import type { Writer } from '../ports/store';
import { live } from './simulation';

const faults: Readonly<Record<string, readonly [sentence: string, tamper: (writer: Writer) => Writer]>> = {
  'forgets skipped due times': [
    'has no decision',
    (writer) => ({
      ...writer,
      decisions: {
        ...writer.decisions,
        insert: async (decision) => decision.kind === 'skip' || writer.decisions.insert(decision),
      },
    }),
  ],
  'accepts every decision and keeps none': [
    'a planned run has no decision of its own',
    (writer) => ({ ...writer, decisions: { ...writer.decisions, insert: async () => true } }),
  ],
  'says that a start is committed and commits none': [
    'something was spawned without a committed attempt',
    (writer) => ({ ...writer, runs: { ...writer.runs, begin: async () => true } }),
  ],
  'shows no active run to the scheduler': [
    'a job has two active runs although it skips on overlap',
    (writer) => ({ ...writer, runs: { ...writer.runs, isActive: async () => false } }),
  ],
  'says that a run is finished and leaves it running': [
    'a run is running that has no process',
    (writer) => ({ ...writer, runs: { ...writer.runs, finish: async () => true } }),
  ],
  'finds nothing to reopen after the clock was ahead': [
    'something that is still to come was merged or skipped',
    (writer) => ({ ...writer, decisions: { ...writer.decisions, unrunAfter: async () => [] } }),
  ],
  'never moves a watermark': [
    'a schedule decided something beyond its watermark',
    (writer) => ({ ...writer, schedules: { ...writer.schedules, setWatermark: async () => undefined } }),
  ],
};

test.each(Object.entries(faults))('a store that %s is found out', async (_, [sentence, tamper]) => {
  const lives = [];
  for (let seed = 1; seed <= 6; seed += 1)
    lives.push((await live({ seed, days: 2, hasWrongClocks: true, tamper })).broken ?? '');
  expect(
    lives.some((broken) => broken.includes(sentence)),
    lives.join('\n'),
  ).toBe(true);
});
