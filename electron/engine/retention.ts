/**
 * One round of removing what is not to be kept any longer: output first, then runs, then decisions, then room is given back.
 * In portions with a rest after each, so that no transaction and no wait of others takes long; it ends where the life ends,
 * and the next round goes on.
 */

import type { RunId } from '../../shared/model/run';
import type { Retention } from '../../shared/model/settings';
import { DAY_MS, type Instant, toInstant } from '../../shared/time';
import { isHeldBy } from '../core/lease';
import type { DataKeeper } from '../ports/data';
import type { Store, Writer } from '../ports/store';
import type { Clock } from '../ports/world';
import { LeaseLost, type Life } from './life';
import { FROM_RESERVE } from './persistence';

/** Runs or decisions that go in one transaction. */
export const PORTION_MAX = 200;
/** Pages given back in one transaction. */
const PAGES_MAX = 256;
/** The rest after each portion, in milliseconds. */
const REST_MS = 100;
/** Portions of one sort in one round. What is left then goes in the next one. */
const PORTIONS_MAX = 2_000;

export type RetentionPorts = {
  readonly clock: Pick<Clock, 'now'>;
  readonly store: Store;
  readonly keeper: Pick<DataKeeper, 'removeOutputs'>;
  readonly life: Life;
};

export type Removed = {
  readonly outputCount: number;
  readonly runCount: number;
  readonly decisionCount: number;
};

/** Answers what went. Throws what store and disk throw, LifeOver and LeaseLost; what went by then is gone. */
export async function removeExpired(rules: Retention, ports: RetentionPorts): Promise<Removed> {
  const { store, life, clock } = ports;
  const now = clock.now();
  const limits = { now, max: PORTION_MAX };
  const outputCount = await inPortions(ports, async () => {
    const runIds = await life.hold(() =>
      store.read((reader) => reader.retention.expiredOutputs(rules, limits)),
    );
    await removeOutputs(runIds, now, ports);
    return runIds.length;
  });
  const runCount = await inPortions(ports, async () => {
    const runIds = await life.hold(() => store.read((reader) => reader.retention.expiredRuns(rules, limits)));
    if (runIds.length === 0) return 0;
    // Files first: without their runs nobody would find them again.
    await life.hold(() => ports.keeper.removeOutputs(runIds));
    return write(ports, (writer) => writer.retention.removeRuns(runIds));
  });
  const decisionCount = await inPortions(ports, async () => {
    if (rules.runDays === null) return 0;
    const before = toInstant(now - rules.runDays * DAY_MS);
    return write(ports, (writer) => writer.retention.removeDecisions({ before, max: PORTION_MAX }));
  });
  await inPortions(ports, () => write(ports, (writer) => writer.retention.giveBack(PAGES_MAX)));
  return { outputCount, runCount, decisionCount };
}

async function removeOutputs(runIds: readonly RunId[], now: Instant, ports: RetentionPorts): Promise<void> {
  if (runIds.length === 0) return;
  await ports.life.hold(() => ports.keeper.removeOutputs(runIds));
  await write(ports, (writer) => writer.retention.outputsRemoved(runIds, now));
}

/** Until a portion finds nothing. Answers how many went in all. */
async function inPortions({ life }: RetentionPorts, portion: () => Promise<number>): Promise<number> {
  let total = 0;
  for (let index = 0; index < PORTIONS_MAX; index += 1) {
    const count = await portion();
    if (count === 0) break;
    total += count;
    await life.pause(REST_MS);
  }
  return total;
}

const write = <T>({ store, life }: RetentionPorts, work: (writer: Writer) => Promise<T>): Promise<T> =>
  life.hold(() =>
    store.transact(async (writer) => {
      if (!isHeldBy(await writer.leases.get(), life.fence)) throw new LeaseLost('during housekeeping');
      return work(writer);
    }, FROM_RESERVE),
  );
