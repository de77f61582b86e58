/**
 * Goal: no write of the store is a bad moment, neither to die nor for the disk to be full or read-only (faults 1 and 5 of the list).
 * Method: some minutes in which every writing statement of the store is used are lived again and again, each time with the next
 * call or the next write as the bad one; then the rules must hold, and everything goes on without a restart.
 */

import { expect, test } from 'vitest';
import { defaultPolicies } from '../../shared/model/policies';
import type { Result } from '../../shared/result';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../shared/time';
import { StoreError, type StoreErrorCode } from '../core/storeError';
import type { Writer } from '../ports/store';
import type { Connection } from '../store/connection';
import { type Database, openDatabase } from '../store/database';
import { brokenRules, brokenRunning, brokenSpawns } from './invariants';
import { cron, draftOf, RARE_RENEWALS, Rig, settle, unwrap } from './rig';

const WRITES_MAX = 2_000;
const TIMINGS = { renewMs: 2 * MINUTE_MS, staleMs: HOUR_MS, watchMs: HOUR_MS };
/** Of neighbours, which mostly belong to one transaction, not each is tried in an ordinary run. */
const CALL_STRIDE = 4;
const WRITE_STRIDE = 11;
const BAD_FOR_MS = 25 * SECOND_MS;

const retry = { ...defaultPolicies.retry, countMax: 1, delayMs: 5 * SECOND_MS, growth: 'fixed' } as const;
const mains = { kind: 'mains', waitMsMax: 20 * SECOND_MS, otherwise: 'skip' } as const;

/** What is asked, one after the other; a failure is an answer and not the end of the story. */
const story: readonly ((rig: Rig) => Promise<unknown>)[] = [
  ({ engine }) => engine.start(),
  ({ engine }) =>
    engine.saveJob({
      draft: draftOf({
        name: 'Busy',
        tags: ['disk'],
        rules: [cron('*/20 * * * * *')],
        policies: { retry, overlap: { mode: 'queue_one', countMax: 3 } },
      }),
    }),
  async ({ engine, store }) => {
    const [busy] = await store.read((reader) => reader.jobs.list());
    if (busy === undefined) return;
    const rule = { kind: 'after_job', jobId: busy.id, on: 'ended' } as const;
    await engine.saveJob({ draft: draftOf({ name: 'Then', rules: [rule] }) });
  },
  ({ engine }) =>
    engine.saveJob({
      draft: draftOf({ name: 'Waits', rules: [cron('*/30 * * * * *')], conditions: [mains] }),
    }),
  ({ time }) => time.advance(100 * SECOND_MS),
  ({ engine }) => engine.startPause({ scope: { kind: 'tag', tag: 'disk' }, note: '', until: null }),
  async ({ engine, store }) => {
    const waits = (await store.read((reader) => reader.jobs.list())).find(({ name }) => name === 'Waits');
    if (waits !== undefined) await engine.setEnabled({ jobId: waits.id, isEnabled: false });
  },
  ({ time }) => time.advance(45 * SECOND_MS),
  async ({ engine }) => {
    for (const { id } of await engine.pauses()) await engine.endPause(id);
  },
  ({ time }) => time.advance(60 * SECOND_MS),
];

function newRig(options: ConstructorParameters<typeof Rig>[0] = {}): Rig {
  const rig = new Rig({ startAt: '2026-05-04T07:58:10Z', timings: TIMINGS, ...options });
  let turn = 0;
  rig.surroundings.states.set('mains', 'unmet');
  // Longer than the time between two due times, and every other attempt fails.
  rig.processes.script = () => {
    turn += 1;
    return { durationMs: 13 * SECOND_MS, exitCode: turn % 2 };
  };
  return rig;
}

/** Lives through the story, or to the death of the engine: what it was asked is never answered then. */
async function live(rig: Rig): Promise<void> {
  for (const step of story) {
    await Promise.race([step(rig), rig.incarnation.died]);
    if (rig.incarnation.isDead) return;
  }
}

const brokenOf = (rig: Rig): string[] => [
  ...brokenRules(rig.database),
  ...brokenSpawns(rig.database, rig.processes),
  ...brokenRunning(rig.database, rig.processes),
];

test('the story uses every statement that runs which wait, pauses and owed occurrences brought', async () => {
  const called = new Set<string>();
  const noting = <T extends object>(name: string, part: T): T =>
    new Proxy(part, {
      get(target, key, receiver) {
        called.add(`${name}.${String(key)}`);
        return Reflect.get(target, key, receiver);
      },
    });
  const tamper = (writer: Writer): Writer => ({
    ...writer,
    runs: noting('runs', writer.runs),
    schedules: noting('schedules', writer.schedules),
    pauses: noting('pauses', writer.pauses),
  });
  const rig = newRig({ tamper });
  await live(rig);
  expect(brokenOf(rig)).toEqual([]);
  for (const statement of [
    ...['runs.withdraw', 'runs.addMerged', 'runs.setWaits', 'runs.requeue'],
    ...[
      'schedules.addPending',
      'schedules.removePending',
      'schedules.setWatermark',
      'pauses.insert',
      'pauses.end',
    ],
  ]) {
    expect([...called], statement).toContain(statement);
  }
});

test.each(['before', 'after'] as const)(
  'dying %s any call of the store takes effect does no harm',
  async (when) => {
    let deathCount = 0;
    for (let call = when === 'before' ? 1 : 3; call <= WRITES_MAX; call += CALL_STRIDE) {
      const rig = newRig();
      rig.incarnation.dieAt({ port: 'store', call, when });
      await live(rig);
      if (!rig.incarnation.isDead) break;
      deathCount += 1;
      rig.kill();
      await settle();
      await rig.time.advance(MINUTE_MS);
      const started = rig.renew().start();
      await rig.time.advance(3 * MINUTE_MS);
      await started;
      expect(brokenOf(rig), `call ${call}`).toEqual([]);
    }
    expect(deathCount).toBeGreaterThan(30);
  },
);

/** A store in memory whose writes fail from the n-th on, until it is mended. */
class FaultyDisk {
  writeCount = 0;
  isBroken = false;
  hasBroken = false;
  readonly #badWrite: number;
  readonly #code: StoreErrorCode;

  constructor(badWrite: number, code: StoreErrorCode) {
    this.#badWrite = badWrite;
    this.#code = code;
  }

  open(): Database {
    const database = unwrap(openDatabase('memory') as Result<Database>);
    const { writer } = database;
    const run: Connection['run'] = (sql, parameters) => {
      if (/^\s*(INSERT|UPDATE|DELETE|COMMIT)/.test(sql)) this.#write();
      return writer.run(sql, parameters);
    };
    return { ...database, writer: Object.create(writer, { run: { value: run } }) };
  }

  mend(): void {
    this.isBroken = false;
  }

  #write(): void {
    this.writeCount += 1;
    if (this.writeCount === this.#badWrite) {
      this.isBroken = true;
      this.hasBroken = true;
    }
    if (this.isBroken) throw new StoreError(this.#code, 'The disk does not take this.');
  }
}

test.each([
  { code: 'full' as const, first: 1 },
  { code: 'read_only' as const, first: 6 },
])(
  'a disk that is $code at any write starts nothing unrecorded, says so, and goes on by itself (S-75)',
  async ({ code, first }) => {
    let faultCount = 0;
    let shownCount = 0;
    for (let badWrite = first; badWrite <= WRITES_MAX; badWrite += WRITE_STRIDE) {
      const disk = new FaultyDisk(badWrite, code);
      const rig = newRig({ open: () => disk.open(), timings: RARE_RENEWALS });
      // Whatever is asked while the disk is bad has to end: so time passes until it has been mended.
      const mending = async (): Promise<void> => {
        for (let passedMs = 0; passedMs < BAD_FOR_MS; passedMs += 5 * SECOND_MS) {
          await rig.time.advance(5 * SECOND_MS);
          expect(brokenSpawns(rig.database, rig.processes), `write ${badWrite}`).toEqual([]);
        }
        if ((await rig.engine.status()).problem !== null) shownCount += 1;
        disk.mend();
      };
      for (const step of story) {
        const asked = step(rig).catch(() => undefined);
        await settle();
        if (disk.isBroken) await mending();
        await rig.time.advance(0);
        await asked;
        if (disk.isBroken) await mending();
      }
      if (!disk.hasBroken) break;
      faultCount += 1;
      await rig.time.advance(3 * MINUTE_MS);
      expect(brokenOf(rig), `write ${badWrite}`).toEqual([]);
      expect((await rig.engine.status()).state, `write ${badWrite}`).toBe('running');
      const before = rig.processes.spawned.length;
      const job = unwrap(await rig.engine.saveJob({ draft: draftOf({ name: 'After all' }) }));
      unwrap(await rig.engine.startRun(job.id, 'manual'));
      await rig.time.advance(MINUTE_MS);
      expect(rig.processes.spawned.length, `write ${badWrite}`).toBeGreaterThan(before);
    }
    expect(faultCount).toBeGreaterThan(20);
    expect(shownCount).toBeGreaterThan(faultCount / 4);
  },
);
