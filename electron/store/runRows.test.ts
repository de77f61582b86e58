/** Runs are read by hand where that is enough, and the result is what the schema would give. */

import { expect, test } from 'vitest';
import { EndReason, MissCause, Outcome, Run, Trigger } from '../../shared/model/run';
import { StoreError } from '../core/storeError';
import { runFromRow } from './runRows';
import { jobIdOf, minute, runIdOf, scheduleIdOf } from './samples';

const hex = (id: string): string => id.replaceAll('-', '').toUpperCase();
const row = {
  key: 1,
  id: hex(runIdOf(1)),
  jobId: hex(jobIdOf(1)),
  jobName: 'Job 1',
  revision: 1,
  trigger: 'schedule',
  state: 'finished',
  outcome: 'failed',
  reason: 'exit_code',
  detail: 'why',
  scheduleId: hex(scheduleIdOf(1)),
  plannedAt: minute(1),
  mergedCount: 2,
  missCause: null,
  queuedAt: minute(1),
  startedAt: minute(2),
  endedAt: minute(3),
  durationMs: 5,
  exitCode: -1,
  signal: null,
  attemptCount: 1,
  wasAdopted: 1,
  outputBytes: 9,
  outputRemovedAt: null,
  notBeforeAt: null,
  attemptsMax: 3,
  waits: null,
};

test('every word that a run may carry is read as the schema reads it', () => {
  const variants = [
    {},
    ...Trigger.options.map((trigger) => ({ trigger })),
    ...Outcome.options.map((outcome) => ({ outcome })),
    ...EndReason.options.map((reason) => ({ reason })),
    ...MissCause.options.map((missCause) => ({ missCause })),
    {
      outcome: null,
      reason: null,
      detail: null,
      exitCode: null,
      scheduleId: '',
      plannedAt: null,
      endedAt: null,
    },
    { waits: '[]' },
  ];
  for (const variant of variants) {
    const run = runFromRow({ ...row, ...variant });
    expect(run).toEqual(Run.parse(run));
  }
  expect(runFromRow(row)).toMatchObject({ id: runIdOf(1), exitCode: -1, wasAdopted: true, waits: [] });
});

test.each(
  Object.keys(row).filter(
    (column) => !['key', 'jobName', 'wasAdopted', 'id', 'jobId', 'scheduleId'].includes(column),
  ),
)('a damaged %s is told as damage (D2)', (column) => {
  for (const wrong of [1.5, -1, 'nonsense', Number.NaN, {}, 2 ** 60]) {
    const read = (): Run => runFromRow({ ...row, [column]: wrong });
    // What the schema takes is no damage: any text as a detail, any number as an exit code.
    const isTaken = Run.safeParse({ ...runFromRow(row), [column]: wrong }).success;
    if (isTaken) expect(read()).toMatchObject({ [column]: wrong });
    else expect(read).toThrow(StoreError);
  }
});
