/** What became of every occurrence in the sandbox, read from its own decisions and runs. */

import type { JobId } from '../../shared/model/job';
import type { Decision } from '../../shared/model/run';
import type { ScheduleId } from '../../shared/model/schedule';
import { WHAT_IF_ROWS_MAX, type WhatIf, type WhatIfRow } from '../../shared/model/whatIf';
import { INSTANT_ABSOLUTE_MAX, type Instant, toInstant } from '../../shared/time';
import type { Reader, Store } from '../ports/store';

/** Schedules, or runs, that are read at once, so that each read is short. */
const READ_AT_ONCE = 100;
const EVER = { after: toInstant(-INSTANT_ABSOLUTE_MAX), until: toInstant(INSTANT_ABSOLUTE_MAX) };

export type WatchedStore = {
  /** For the engine: what it decides is counted. */
  readonly store: Store;
  readonly count: () => number;
  /** The first moment of each decision that was made through it. */
  readonly decided: ReadonlyMap<ScheduleId, ReadonlySet<Instant>>;
};

export function watchDecisions(store: Store): WatchedStore {
  const decided = new Map<ScheduleId, Set<Instant>>();
  let count = 0;
  return {
    store: {
      read: (work) => store.read(work),
      transact: (work) =>
        store.transact((writer) =>
          work({
            ...writer,
            decisions: {
              ...writer.decisions,
              async insert(decision) {
                if (!(await writer.decisions.insert(decision))) return false;
                const { scheduleId, plannedAt } = decision;
                decided.set(scheduleId, (decided.get(scheduleId) ?? new Set()).add(plannedAt));
                count += 1;
                return true;
              },
            },
          }),
        ),
      close: () => store.close(),
    },
    count: () => count,
    decided,
  };
}

export type RowWish = {
  /** Only rows of this job; absent for all. */
  readonly jobId: JobId | undefined;
  readonly endsAt: Instant;
  readonly isCut: boolean;
  readonly rest: () => Promise<void>;
};

export async function readRows({ store, decided }: WatchedStore, wish: RowWish): Promise<WhatIf> {
  const jobOf = await store.read(async (reader) => {
    const jobs = (await reader.jobs.list()).filter(({ id }) => wish.jobId === undefined || id === wish.jobId);
    return new Map(jobs.flatMap(({ id, schedules }) => schedules.map((each) => [each.id, id] as const)));
  });
  const found: { jobId: JobId; decision: Decision }[] = [];
  await inParts([...decided], wish.rest, async (part) => {
    await store.read(async (reader) => {
      for (const [scheduleId, moments] of part) {
        const jobId = jobOf.get(scheduleId);
        if (jobId === undefined) continue;
        const decisions = await reader.decisions.between(scheduleId, { ...EVER, max: WHAT_IF_ROWS_MAX + 1 });
        const own = decisions.filter(({ plannedAt }) => moments.has(plannedAt));
        found.push(...own.map((decision) => ({ jobId, decision })));
      }
    });
  });
  found.sort((a, b) => a.decision.plannedAt - b.decision.plannedAt);
  const told = found.slice(0, WHAT_IF_ROWS_MAX);
  const rows: WhatIfRow[] = [];
  await inParts(told, wish.rest, async (part) => {
    await store.read(async (reader) => {
      for (const { jobId, decision } of part) rows.push(await rowOf(reader, jobId, decision));
    });
  });
  if (told.length === found.length) return { rows, endsAt: wish.endsAt, isCut: wish.isCut };
  return { rows, endsAt: rows.at(-1)?.untilAt ?? wish.endsAt, isCut: true };
}

async function inParts<T>(
  all: readonly T[],
  rest: () => Promise<void>,
  work: (part: readonly T[]) => Promise<void>,
): Promise<void> {
  for (let from = 0; from < all.length; from += READ_AT_ONCE) {
    await work(all.slice(from, from + READ_AT_ONCE));
    await rest();
  }
}

async function rowOf(reader: Reader, jobId: JobId, decision: Decision): Promise<WhatIfRow> {
  const { scheduleId, plannedAt, untilAt, count, kind, reason, missCause, runId } = decision;
  const run = kind !== 'run' || runId === null ? null : await reader.runs.get(runId);
  return {
    ...{ jobId, scheduleId, plannedAt, untilAt, count, kind, reason, missCause },
    trigger: run?.trigger ?? null,
    startedAt: run?.startedAt ?? null,
    endedAt: run?.endedAt ?? null,
  };
}
