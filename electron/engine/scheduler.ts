/**
 * One step: look at the clocks, see what is due, decide, and commit decisions, runs and watermarks in one transaction under
 * the fence; then tell the dispatcher. A crash before the commit changes nothing, a crash after it loses nothing.
 */

import type { Job, JobId } from '../../shared/model/job';
import type { Pause } from '../../shared/model/pause';
import type { Run } from '../../shared/model/run';
import type { ScheduleId } from '../../shared/model/schedule';
import { HOUR_MS, type Instant, toInstant } from '../../shared/time';
import type { MissedSpan } from '../core/catchUp';
import { isHeldBy } from '../core/lease';
import type { Gap, ScheduleState } from '../core/ledger';
import { type JobView, type PlannedDecision, plan } from '../core/plan';
import type { Reader, Store } from '../ports/store';
import type { Host, Ids, Log } from '../ports/world';
import { Agenda } from './agenda';
import { readDecidedAhead, readUndecided, reopenFuture } from './clockRepair';
import { recordDecisions } from './ledger';
import type { Life } from './life';
import type { Wake } from './wakeLoop';

/** A shorter sleep, or a quicker restart, is not worth telling. */
export const GAP_MS_MIN = 5_000;

export type SchedulerPorts = {
  readonly ids: Ids;
  readonly host: Host;
  readonly log: Log;
  readonly store: Store;
  readonly life: Life;
  /** When an engine was last known to live before this life, or null. */
  readonly aliveAt: Instant | null;
};

export type SchedulerEvents = {
  /** Runs that are committed as queued, in the order in which they should start. */
  readonly onQueued: (runs: readonly Run[]) => void;
  /** Something was decided for these jobs. */
  readonly onDecided: (jobIds: readonly JobId[]) => void;
  /** What is planned next may have changed for all jobs. */
  readonly onReplanned: () => void;
  /** The fence no longer holds. */
  readonly onLost: () => void;
};

type Committed = {
  readonly runs: Run[];
  readonly decided: Map<ScheduleId, Instant>;
  readonly decisions: readonly PlannedDecision[];
};

export class Scheduler {
  readonly agenda: Agenda;
  readonly #ports: SchedulerPorts;
  readonly #events: SchedulerEvents;
  readonly #edited = new Set<JobId>();
  #changeNumber: number | null = null;
  /** Kept until a step has succeeded, so that what was missed keeps its cause. */
  #spans: MissedSpan[] = [];
  #gaps: Gap[] = [];
  /** Where the clock was found to be, until what was decided about the time after it under a clock ahead is reopened. */
  #backTo: Instant | null;
  /** Everything is to be read, although nobody changed a job. */
  #isReadAnew = false;

  constructor(ports: SchedulerPorts, events: SchedulerEvents, now: Instant) {
    this.#ports = ports;
    this.#events = events;
    // An earlier life may have had a clock that was ahead.
    this.#backTo = now;
    this.agenda = new Agenda(ports.host.zone(), now, ports.aliveAt ?? now);
    if (ports.aliveAt !== null && ports.aliveAt < now) this.#note('not_running', ports.aliveAt, now);
  }

  /** The next step of the wake loop. Answers when there is something to do again. */
  async step({ now, since, passage }: Wake): Promise<Instant | null> {
    if (since !== null && passage.asleepMs > 0) this.#note('asleep', since, now);
    else if (since !== null && passage.steppedMs > 0) {
      this.#spans.push({ cause: 'clock_forward', from: since, to: now });
    }
    if (passage.steppedMs !== 0) this.#ports.log.warn('clock_stepped', { byMs: passage.steppedMs });
    if (since !== null && now < since) {
      // It was set back at some moment of the sleep, so what came due since its beginning was met under neither clock.
      this.#doubt(toInstant(now - Math.max(0, now - since - passage.steppedMs)));
    }
    this.#followZone(now);
    if (this.#backTo !== null && !(await this.#repair(this.#backTo))) {
      this.#events.onLost();
      return null;
    }
    await this.#followEdits(now);

    const due = this.agenda.due(now);
    if (due.length > 0 || this.#gaps.length > 0) {
      const committed = await this.#ports.life.hold(() => this.#commit(due, now));
      if (committed === 'lost') {
        this.#events.onLost();
        return null;
      }
      // Somebody changed a job in between: read it, and decide again at once.
      if (committed === 'changed') return now;
      this.#settle(due, now, committed);
    }
    this.agenda.reach(now);
    this.#spans = [];
    this.#gaps = [];
    return this.agenda.next()?.at ?? null;
  }

  /** The agenda says what is planned; before the first step it is empty. */
  isLoaded(): boolean {
    return this.#changeNumber !== null;
  }

  /** One of our own edits, so that one job is read anew and not all of them. */
  edited(jobId: JobId, change: { readonly before: number; readonly after: number }): void {
    this.#edited.add(jobId);
    // If somebody else was in between, the numbers do not fit and everything is read.
    if (this.#changeNumber === change.before) this.#changeNumber = change.after;
  }

  /** A run of the job ended, which is what an interval after the end counts from. */
  runEnded(jobId: JobId): void {
    if (this.agenda.countsFromEnds(jobId)) this.#edited.add(jobId);
  }

  #note(cause: Gap['cause'], from: Instant, to: Instant): void {
    this.#spans.push({ cause, from, to });
    if (to - from >= GAP_MS_MIN) this.#gaps.push({ cause, from, to });
  }

  /**
   * The watermark stays: a time of today that has passed in the new zone, and not yet in the old one, is caught up like
   * any other, so that no day goes without its run.
   */
  #followZone(now: Instant): void {
    const zone = this.#ports.host.zone();
    if (zone === this.agenda.hostZone) return;
    this.#ports.log.info('zone_changed', { from: this.agenda.hostZone, to: zone });
    this.agenda.setZone(zone);
    this.#spans.push({ cause: 'unknown', from: toInstant(0), to: now });
    this.#events.onReplanned();
  }

  #doubt(backTo: Instant): void {
    this.#backTo = toInstant(Math.min(backTo, this.#backTo ?? backTo));
  }

  /** False if the fence no longer holds. */
  async #repair(backTo: Instant): Promise<boolean> {
    const { life, store, log } = this.#ports;
    const zone = this.agenda.hostZone;
    if (!(await life.hold(() => reopenFuture({ store, log, fence: life.fence }, backTo, zone)))) return false;
    this.agenda.rewind(backTo);
    this.#backTo = null;
    this.#isReadAnew = true;
    return true;
  }

  async #followEdits(now: Instant): Promise<void> {
    const { life, store } = this.#ports;
    const edited = [...this.#edited];
    // Emptied before the wait, so that an edit during it is read in the next step.
    this.#edited.clear();
    const known = this.#changeNumber;
    const read = async (reader: Reader) => {
      const changeNumber = await reader.jobs.changeNumber();
      if (changeNumber !== known || this.#isReadAnew) {
        const all = await reader.schedules.active();
        return { changeNumber, all, decided: await readDecidedAhead(reader, all, this.agenda) };
      }
      const jobs: [JobId, ScheduleState[]][] = [];
      for (const jobId of edited) jobs.push([jobId, await reader.schedules.ofJob(jobId)]);
      const states = jobs.flatMap(([, found]) => found);
      return { changeNumber, jobs, decided: await readDecidedAhead(reader, states, this.agenda) };
    };
    const found = await life
      .hold(() => store.read(read))
      .catch((error: unknown) => {
        for (const jobId of edited) this.#edited.add(jobId);
        throw error;
      });
    const { decided } = found;
    if (found.all !== undefined) this.agenda.load(found.all, now, decided);
    for (const [jobId, states] of found.jobs ?? []) this.agenda.replaceJob(jobId, states, now, decided);
    this.#changeNumber = found.changeNumber;
    if (found.all !== undefined) this.#isReadAnew = false;
    if (found.all !== undefined) this.#events.onReplanned();
  }

  #commit(due: readonly ScheduleState[], now: Instant): Promise<Committed | 'lost' | 'changed'> {
    const { life, store, ids, log } = this.#ports;
    const gaps = this.#gaps;
    // Taken before the transaction waits its turn: an edit of our own may come in between and must be read first.
    const changeNumber = this.#changeNumber;
    return store.transact(async (writer) => {
      if (!isHeldBy(await writer.leases.get(), life.fence)) return 'lost';
      if ((await writer.jobs.changeNumber()) !== changeNumber) return 'changed';
      const jobs = await readJobs(writer, due);
      const decisions = plan(
        {
          schedules: due,
          jobs: await viewJobs(writer, jobs, now),
          undecided: await readUndecided(writer, due, now, this.agenda),
          pauses: await pausesFor(writer, due, now),
          spans: this.#spans,
          hostZone: this.agenda.hostZone,
        },
        now,
      );
      const runs = await recordDecisions(writer, { decisions, jobs, now, ids, log });
      const caughtUpCount = runs.filter(({ trigger }) => trigger === 'catch_up').length;
      for (const gap of gaps) await writer.settings.insertGap(gap, gap === gaps.at(-1) ? caughtUpCount : 0);
      const decided = newestDecided(decisions);
      for (const { scheduleId, pending } of due) {
        for (const { at } of pending) if (at <= now) await writer.schedules.removePending(scheduleId, at);
      }
      // The watermark moves last. If the process dies between the two statements the transaction rolls back and the same
      // occurrences are planned again; moving it first would lose them without a trace.
      for (const [scheduleId, untilAt] of decided) await writer.schedules.setWatermark(scheduleId, untilAt);
      return { runs, decided, decisions };
    });
  }

  #settle(due: readonly ScheduleState[], now: Instant, { runs, decided, decisions }: Committed): void {
    for (const { scheduleId } of due) {
      const untilAt = decided.get(scheduleId);
      if (untilAt !== undefined) this.agenda.decided(scheduleId, untilAt);
      // One that is ahead of the clock goes on from `reach`.
      else if (this.agenda.rewoundTo(scheduleId, now) === null) this.agenda.pass(scheduleId, now);
    }
    if (runs.length > 0) this.#events.onQueued(runs);
    if (decisions.length > 0) this.#events.onDecided([...new Set(decisions.map(({ jobId }) => jobId))]);
  }
}

/** The jobs that are still there and on, read in the transaction that acts on them (S-43). */
async function readJobs(reader: Reader, due: readonly ScheduleState[]): Promise<Map<JobId, Job>> {
  const jobs = new Map<JobId, Job>();
  for (const jobId of new Set(due.map((state) => state.jobId))) {
    const job = await reader.jobs.get(jobId);
    if (job?.isEnabled && job.deletedAt === null) jobs.set(jobId, job);
  }
  return jobs;
}

async function viewJobs(
  reader: Reader,
  jobs: ReadonlyMap<JobId, Job>,
  now: Instant,
): Promise<Map<JobId, JobView>> {
  const views = new Map<JobId, JobView>();
  const hourAgo = toInstant(now - HOUR_MS);
  for (const { id, policies, dates, tags } of jobs.values()) {
    views.set(id, {
      policies,
      dates,
      tags,
      active: (await reader.runs.isActive(id)) ? await reader.runs.activeOf(id) : [],
      startedInHour: policies.runsPerHourMax === null ? 0 : await reader.runs.plannedCountSince(id, hourAgo),
    });
  }
  return views;
}

/** Pauses that held at some moment since the oldest occurrence that may be undecided. */
function pausesFor(reader: Reader, due: readonly ScheduleState[], now: Instant): Promise<Pause[]> {
  const oldest = due.reduce((at, { watermarkAt }) => Math.min(at, watermarkAt), now as number);
  return reader.pauses.between(toInstant(oldest), now);
}

function newestDecided(decisions: readonly PlannedDecision[]): Map<ScheduleId, Instant> {
  const newest = new Map<ScheduleId, Instant>();
  for (const { scheduleId, until } of decisions) {
    const known = newest.get(scheduleId);
    if (known === undefined || until > known) newest.set(scheduleId, until);
  }
  return newest;
}
