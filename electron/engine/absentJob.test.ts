/** A job whose stored form cannot be read, through the engine and a real store (X-45, S-08). */

import { expect, test } from 'vitest';
import { DAY_MS } from '../../shared/time';
import { createStore } from '../store/store';
import { asDraft, cron, Rig, settle, unwrap } from '../testing/rig';

/** A job that has run, and whose definition was broken behind our back. */
async function broken() {
  const rig = await Rig.started();
  const job = await rig.addJob({ name: 'Broken', rules: [cron('0 8 * * *')] });
  const other = await rig.addJob({ name: 'Whole', rules: [cron('0 9 * * *')] });
  await rig.advanceTo('2026-05-04T08:10Z');
  await rig.engine.stop({ runs: 'leave' });
  rig.database.writer.run('UPDATE job_revisions SET definition = ? WHERE revision = 1 AND job_key = 1', [
    DAMAGE,
  ]);
  // As after a start: nothing is remembered of what was read before.
  rig.store = createStore(rig.database);
  await rig.renew().start();
  const rows = () => rig.database.writer.all('SELECT * FROM job_revisions ORDER BY job_key, revision');
  return { rig, job, other, rows };
}
const DAMAGE = '{"name":7}';

test('it is shown where what fails is shown, and everything that would need its settings says why (X-45)', async () => {
  const { rig, job, other, rows } = await broken();
  const before = rows();
  expect(await rig.engine.jobRows()).toMatchObject([
    { id: other.id, disabledReason: null },
    { id: job.id, state: 'failed', isEnabled: false, disabledReason: 'quarantined' },
  ]);
  const refused = [
    await rig.engine.jobDetail(job.id),
    await rig.engine.startRun(job.id, 'manual'),
    await rig.engine.setEnabled({ jobId: job.id, isEnabled: true }),
    await rig.engine.duplicateJob(job.id),
    await rig.engine.checkAndResume(job.id),
    await rig.engine.saveJob({ jobId: job.id, revision: 1, draft: asDraft(job) }),
  ];
  expect(refused).toEqual(
    refused.map(() => ({
      ok: false,
      error: {
        code: 'unsupported',
        message: 'What is stored of this job cannot be read, so it can neither run nor be changed.',
      },
    })),
  );
  await rig.time.advance(DAY_MS);
  expect(rows()).toEqual(before);
  expect(await rig.runs(job.id)).toHaveLength(1);
  expect((await rig.runs(other.id)).length).toBeGreaterThan(0);
});

test('its history is there, it can be deleted and brought back, and its row is never rewritten (S-08, X-45)', async () => {
  const { rig, job, rows } = await broken();
  const before = rows();
  const history = unwrap(await rig.engine.history({ jobId: job.id, limit: 10 }));
  expect(history.entries).toMatchObject([{ entry: 'run', run: { outcome: 'succeeded' } }]);

  unwrap(await rig.engine.deleteJob({ jobId: job.id, stopRun: false }));
  await settle();
  expect((await rig.engine.jobRows()).map(({ name }) => name)).toEqual(['Whole']);
  expect(await rig.engine.jobDetail(job.id)).toMatchObject({ error: { code: 'not_found' } });
  expect(await rig.engine.deleteJob({ jobId: job.id, stopRun: false })).toMatchObject({
    error: { code: 'not_found' },
  });

  expect(unwrap(await rig.engine.restoreJob(job.id))).toBeNull();
  expect(await rig.engine.restoreJob(job.id)).toMatchObject({ error: { code: 'not_found' } });
  expect((await rig.engine.jobRows()).map(({ id }) => id)).toContain(job.id);
  expect(unwrap(await rig.engine.history({ jobId: job.id, limit: 10 })).entries).toHaveLength(1);
  expect(rows()).toEqual(before);
});
