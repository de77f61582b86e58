/**
 * Goal: the rules can fail. Method: the store is broken on purpose, in one way at a time, and a life with it must end with
 * the sentence of the rule that it breaks.
 */

import { expect, test } from 'vitest';
import { HOUR_MS, toInstant } from '../../shared/time';
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
    'more runs of a job wait than its policies allow',
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
  'forgets every pause': [
    'something ran that was due within a pause',
    (writer) => ({ ...writer, pauses: { ...writer.pauses, between: async () => [] } }),
  ],
  'forgets what follows a run': [
    'a run ended and what was to follow is owed by nobody',
    (writer) => ({ ...writer, schedules: { ...writer.schedules, waitingFor: async () => [] } }),
  ],
  'owes for ever': [
    'what is owed is decided already',
    (writer) => ({ ...writer, schedules: { ...writer.schedules, removePending: async () => undefined } }),
  ],
  'lets a run be tried without end': [
    'a run was tried more often than its job says',
    (writer) => ({
      ...writer,
      runs: {
        ...writer.runs,
        get: async (runId) => {
          const run = await writer.runs.get(runId);
          return run === null ? null : { ...run, attemptsMax: 50 };
        },
      },
    }),
  ],
  'stores other ends than were kept for it': [
    'an end that was kept is lost',
    (writer) => ({
      ...writer,
      runs: {
        ...writer.runs,
        finish: (end, fence) =>
          writer.runs.finish({ ...end, outcome: 'failed', reason: end.reason ?? 'exit_code' }, fence),
      },
    }),
  ],
  'stores later retries than it was told': [
    'something started before its moment',
    (writer) => ({
      ...writer,
      runs: {
        ...writer.runs,
        requeue: async ({ notBeforeAt, ...end }, fence) => {
          const later = notBeforeAt === null ? null : toInstant(notBeforeAt + HOUR_MS);
          return writer.runs.requeue({ ...end, notBeforeAt: later }, fence);
        },
      },
    }),
  ],
};

const SEEDS_MAX = 30;

test.each(Object.entries(faults))('a store that %s is found out', async (_, [sentence, tamper]) => {
  const lives: string[] = [];
  for (let seed = 1; seed <= SEEDS_MAX && !lives.some((broken) => broken.includes(sentence)); seed += 1) {
    const options = { seed, days: 4, hasWrongClocks: true, isThorough: true, tamper };
    lives.push((await live(options)).broken ?? '');
  }
  expect(
    lives.some((broken) => broken.includes(sentence)),
    lives.join('\n'),
  ).toBe(true);
});
