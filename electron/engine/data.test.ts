/** What a person asks about the store as a whole, and letting go of the jobs for another process. */

import { expect, test } from 'vitest';
import { toInstant } from '../../shared/time';
import { StoreError } from '../core/storeError';
import { Rig, unwrap } from '../testing/rig';

const codeOf = (result: { ok: boolean; error?: { code: string } }) => (result.ok ? null : result.error?.code);

test('without a disk there is nothing to copy, check or measure, and that is an answer', async () => {
  const rig = await Rig.started();
  const { engine } = rig;
  const answers = [await engine.dataFacts(), await engine.checkData(), await engine.backups()];
  expect([...answers, await engine.backUp('manual')].map(codeOf)).toEqual(Array(4).fill('unsupported'));
});

test('the facts join what the disk tells with what the store counts', async () => {
  const rig = await Rig.started({ hasDisk: true });
  const job = await rig.addJob({});
  await rig.engine.startRun(job.id, 'manual');
  await rig.time.advance(2_000);
  expect(unwrap(await rig.engine.dataFacts())).toMatchObject({
    folder: 'the data folder',
    storeBytes: 8_192,
    outputBytes: 0,
    jobCount: 1,
    runCount: 1,
    oldestRunAt: expect.any(Number),
    lastBackupAt: null,
    lastCheck: null,
  });
});

test('a copy made by hand counts as the newest copy, and is told', async () => {
  const rig = await Rig.started({ hasDisk: true });
  const backup = unwrap(await rig.engine.backUp('manual'));
  expect(unwrap(await rig.engine.backups())).toEqual([backup]);
  expect(unwrap(await rig.engine.dataFacts()).lastBackupAt).toBe(rig.time.clock.now());
  expect(rig.announced.filter(({ name }) => name === 'data.changed')).toHaveLength(1);
  rig.keeper.error = new StoreError('full', 'No room for a copy.');
  expect(codeOf(await rig.engine.backUp('manual'))).toBe('unavailable');
});

test('a cursor that nobody gave out is the mistake of whoever asks', async () => {
  const rig = await Rig.started();
  const answer = await rig.engine.findRuns({ query: {}, after: 'nowhere', limit: 10 });
  expect(codeOf(answer)).toBe('invalid_input');
  const span = { from: toInstant(0), until: rig.time.clock.now() };
  expect(unwrap(await rig.engine.runCounts(span)).days).toEqual([]);
});
