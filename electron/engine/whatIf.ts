/**
 * "What would happen": this engine again, on virtual time, in a store of its own, on a laptop that does what the scenario
 * says. The real world is read once and never touched. It gives way after every step, so that nothing waits for it, and a
 * newer question ends an older one.
 */

import type { JobId } from '../../shared/model/job';
import { WHAT_IF_MS_MAX, WHAT_IF_ROWS_MAX, type WhatIf } from '../../shared/model/whatIf';
import { fail, ok, type Result } from '../../shared/result';
import { HOUR_MS, MINUTE_MS, toInstant } from '../../shared/time';
import { stretchesOf } from '../core/scenario';
import type { LeaseTimings } from '../core/timings';
import type { Store } from '../ports/store';
import type { Engine, EnginePorts, WhatIfQuery } from './engine';
import { createVirtualTime } from './virtualTime';
import { type CopyWish, fillSandbox, readRealState, USUAL_MS_DEFAULT } from './whatIfCopy';
import { untilOver, WhatIfLife } from './whatIfLife';
import { createWhatIfMachine, sandboxIds, silentLog } from './whatIfMachine';
import { readRows, watchDecisions } from './whatIfRows';

/** How long one answer may work, in milliseconds of real time; what is not reached by then is cut off. */
export const WORK_MS_MAX = 5_000;
/** A span that began no longer ago than this begins now: whoever asks needs a moment to do so. */
const PRESENT_MS = MINUTE_MS;
/** No timer gets lost on virtual time, so there is nothing to wake up for in between. */
const SLEEP_MS = HOUR_MS;
/** Nobody is there who could want the lease. */
const TIMINGS: LeaseTimings = { renewMs: 24 * HOUR_MS, staleMs: 120 * HOUR_MS, watchMs: 24 * HOUR_MS };

/** Thrown on the way out of virtual time. */
class Interrupted extends Error {
  override readonly name = 'Interrupted';
  readonly why: 'newer' | 'limit';
  constructor(why: 'newer' | 'limit') {
    super(why);
    this.why = why;
  }
}

const isInterrupted = (error: unknown, why: Interrupted['why']): boolean =>
  error instanceof Interrupted && error.why === why;

export type BuildEngine = (ports: EnginePorts) => Engine;

/** `build` makes an engine; it is the same function that made this one. */
export function createWhatIf(
  ports: EnginePorts,
  build: BuildEngine,
): (query: WhatIfQuery) => Promise<Result<WhatIf>> {
  let newest = 0;
  return async (query) => {
    newest += 1;
    const number = newest;
    if (query.until <= query.from) {
      return fail('invalid_input', 'The end is before the beginning.', { until: 'Choose a later moment.' });
    }
    const store = await ports.openSandbox();
    try {
      return await answer({ ports, build, store, isNewest: () => number === newest }, query);
    } catch (error) {
      if (!isInterrupted(error, 'newer')) throw error;
      return fail('conflict', 'A newer question took the place of this one.');
    } finally {
      await store.close();
    }
  };
}

type Trial = {
  readonly ports: EnginePorts;
  readonly build: BuildEngine;
  /** The sandbox. */
  readonly store: Store;
  readonly isNewest: () => boolean;
};

async function answer(trial: Trial, query: WhatIfQuery): Promise<Result<WhatIf>> {
  const { ports, store } = trial;
  const wish = wishOf(query, ports);
  const { jobId, startAt, until } = wish;
  const real = await ports.store.read((reader) => readRealState(reader, wish));
  if (jobId !== undefined && !real.jobs.some(({ id }) => id === jobId)) {
    return fail('not_found', 'This job does not exist any more.');
  }
  const watched = watchDecisions(store);
  const guard = createGuard(trial, watched.count);
  const time = createVirtualTime({ startAt, settle: guard.settle });
  const usualMsOf = (id: JobId): number => real.usualMs.get(id) ?? USUAL_MS_DEFAULT;
  const machine = createWhatIfMachine(time, { zone: ports.host.zone(), usualMsOf });
  const ids = sandboxIds();
  const life = new WhatIfLife(time, machine, () =>
    trial.build({
      ...{ clock: time.clock, timer: time.timer, ids, host: machine.newHost(), log: silentLog },
      ...{ announce: () => undefined, store: watched.store, openSandbox: ports.openSandbox },
      ...{ runner: machine.runner, surroundings: machine.surroundings },
      ...{ timings: TIMINGS, sleepMsMax: SLEEP_MS },
    }),
  );
  let rowsOf = jobId;
  let cutAt = until < query.until ? until : null;
  try {
    const fence = await fillSandbox({ store, ids, machine, rest: guard.settle }, real, wish);
    await life.takeOver(async () => void (await store.transact((writer) => writer.leases.release(fence))));
    if (query.draft !== undefined) {
      const saved = await untilOver(time, life.engine.saveJob({ jobId, draft: query.draft }));
      if (!saved.ok) return saved;
      rowsOf = saved.value.id;
    }
    await life.through(stretchesOf(query.scenario, startAt, until));
  } catch (error) {
    if (!isInterrupted(error, 'limit')) throw error;
    cutAt = toInstant(Math.min(until, time.clock.now()));
  } finally {
    guard.lift();
    await life.end();
  }
  const span = { endsAt: cutAt ?? until, isCut: cutAt !== null };
  return ok(await readRows(watched, { ...span, jobId: rowsOf, rest: guard.settle }));
}

function wishOf({ jobId, draft, from, until }: WhatIfQuery, { clock }: EnginePorts): CopyWish {
  const now = clock.now();
  const isPresent = from <= now && now - from <= PRESENT_MS;
  const startAt = isPresent ? now : from;
  const end = Math.max(startAt + 1, Math.min(until, startAt + WHAT_IF_MS_MAX));
  return { jobId, draft, startAt, until: toInstant(end), isPresent };
}

/** Gives way to the real world between any two steps, and ends the trial when its time or its room is used up. */
function createGuard({ ports, isNewest }: Trial, rowCount: () => number) {
  const { clock, timer } = ports;
  const begunAt = clock.monotonic();
  let isLifted = false;
  return {
    async settle(): Promise<void> {
      await new Promise<void>((resolve) => void timer.after(0, resolve));
      if (isLifted) return;
      if (!isNewest()) throw new Interrupted('newer');
      const isUsedUp = rowCount() > WHAT_IF_ROWS_MAX || clock.monotonic() - begunAt > WORK_MS_MAX;
      if (isUsedUp) throw new Interrupted('limit');
    },
    lift(): void {
      isLifted = true;
    },
  };
}
