/**
 * Goal: putting an older copy of the store back runs nothing twice, over both histories (D3, D4). Method: jobs of every policy on
 * a real file; a copy is made at some moment, life goes on, the process dies, and the copy takes the place of the store and is
 * marked as Belfry marks it. Everything that was ever spawned is looked at.
 */

import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { JobId } from '../../shared/model/job';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../shared/time';
import type { AttemptOrder } from '../ports/running';
import { openDatabase } from '../store/database';
import { markRestored } from '../store/markRestored';
import { brokenNow } from './invariants';
import { createRandom } from './random';
import { randomDraft, randomScript } from './randomJobs';
import { Rig, settle } from './rig';

const SEEDS = Array.from({ length: Number(process.env.BELFRY_FRESH ?? 6) }, (_, index) => index + 1);

/** Runs that more than one process answered, or that answer what another run has answered. */
function twice(spawned: readonly AttemptOrder[]): string[] {
  const attempts = new Set<string>();
  const moments = new Map<string, string>();
  return spawned.flatMap(({ runId, attemptNumber, jobId, plannedAt, trigger }) => {
    const wrong: string[] = [];
    const attempt = `${runId} ${attemptNumber}`;
    if (attempts.has(attempt)) wrong.push(`attempt ${attemptNumber} of a run was made twice (${trigger})`);
    attempts.add(attempt);
    const moment = `${jobId} ${plannedAt}`;
    const first = moments.get(moment) ?? runId;
    moments.set(moment, first);
    if (plannedAt !== null && first !== runId) {
      wrong.push(`${new Date(plannedAt).toISOString()} was run twice (${trigger})`);
    }
    return wrong;
  });
}

test.each(SEEDS)('a copy that is put back in the life of the number %i runs nothing twice', async (seed) => {
  const folder = mkdtempSync(join(tmpdir(), 'belfry-restored-'));
  const file = join(folder, 'belfry.db');
  const copy = join(folder, 'copy.db');
  const random = createRandom(seed);
  const open = () => {
    const opened = openDatabase({ file });
    if (!opened.ok) throw new Error(opened.error.message);
    return opened.value;
  };
  try {
    const rig = new Rig({ open, hasDisk: true });
    rig.processes.script = () => randomScript(random);
    await rig.engine.start();
    const others: JobId[] = [];
    for (let count = 0; count < 8; count += 1) {
      // One schedule each, so that a job and a moment name an occurrence.
      const draft = randomDraft({ random, now: rig.time.clock.now(), others });
      const saved = await rig.engine.saveJob({ draft: { ...draft, schedules: draft.schedules.slice(0, 1) } });
      if (saved.ok) others.push(saved.value.id);
    }
    await rig.time.advance(random.between(MINUTE_MS, 9 * HOUR_MS));
    rig.database.writer.run('VACUUM INTO ?', [copy]);
    await rig.time.advance(random.between(SECOND_MS, 9 * HOUR_MS));
    rig.kill(() => {
      for (const end of ['-wal', '-shm']) rmSync(file + end, { force: true });
      rmSync(file);
      copyFileSync(copy, file);
    });
    // What the copy had running has ended, or has lost its traces with the machine.
    if (random.isTrue(0.5)) rig.processes.vanish();
    await rig.time.advance(random.between(0, HOUR_MS));
    markRestored(rig.database.writer, { at: rig.time.clock.now(), note: 'A copy was put back.' });
    await rig.renew().start();
    await settle();
    await rig.time.advance(9 * HOUR_MS);
    expect(twice(rig.processes.spawned)).toEqual([]);
    expect(brokenNow(rig.database)).toEqual([]);
    expect((await rig.engine.status()).state).toBe('running');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
