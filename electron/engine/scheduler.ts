/**
 * One step: look at the clocks, see what is due, decide, and commit decisions, runs and watermarks in one transaction under
 * the fence; then tell the dispatcher. A crash before the commit changes nothing, a crash after it loses nothing.
 */

import type { JobId } from '../../shared/model/job';
import type { Run } from '../../shared/model/run';
import type { EventRule, ScheduleId } from '../../shared/model/schedule';
import { type Instant, toInstant } from '../../shared/time';
import type { MissedSpan } from '../core/catchUp';
import { isHeldBy } from '../core/lease';
import type { Gap, ScheduleState } from '../core/ledger';
import { type PlannedDecision, plan } from '../core/plan';
import type { Reader, Store, Writer } from '../ports/store';
import type { Surroundings } from '../ports/surroundings';
import type { Clock, Host, Ids, Log } from '../ports/world';
import { Agenda, type DecidedAhead } from './agenda';
import { Batches } from './batches';
import { createBreath } from './breath';
import { goBack, readDecidedAhead, readUndecided, type WentBack } from './clockRepair';
import { newestDecided, oldestOf, pausesFor, readJobs, viewJobs, waitingAmong } from './dueFacts';
import { createEventWatch, type EventWatch } from './eventWatch';
import { missesOf, NO_MISSES, recordDecisions } from './ledger';
import { LeaseLost, type Life } from './life';
import type { Wake } from './wakeLoop';

/** A shorter sleep, or a quicker restart, is not worth telling. */
export const GAP_MS_MIN = 5_000;
/** Gaps that are read to tell why occurrences were missed. */
const GAPS_MAX = 1_000;

export type SchedulerPorts = {
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly ids: Ids;
  readonly host: Host;
  readonly log: Log;
  readonly store: Store;
  readonly life: Life;
  readonly surroundings: Pick<Surroundings, 'network'>;
  /** The process has just started, and leads from its start. */
  readonly isStart: boolean;
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

/** The lease is lost, or somebody changed a job meanwhile. */
type Refusal = 'lost' | 'changed';

type Committed = {
  readonly due: readonly ScheduleState[];
  readonly runs: Run[];
  readonly decided: Map<ScheduleId, Instant>;
  readonly waiting: ReadonlySet<ScheduleId>;
  readonly decisions: readonly PlannedDecision[];
};

export class Scheduler {
  agenda: Agenda;
  readonly #ports: SchedulerPorts;
  readonly #listeners: SchedulerEvents;
  readonly #edited = new Set<JobId>();
  #changeNumber: number | null = null;
  /** Kept until a step has succeeded, so that what was missed keeps its cause. */
  #spans: MissedSpan[] = [];
  #gaps: Gap[] = [];
  /** That the computer travelled explains what no other span does. */
  #zoneChangedAt: Instant | null = null;
  /** That the clock went back, until the ledger is put right. At the start an earlier life may have had one ahead. */
  #wentBack: WentBack | null;
  /** Set while the clock is not believed: the earliest instant at which it is again. */
  #believedFrom: Instant | null = null;
  /** Everything is to be read, although nobody changed a job. */
  #isReadAnew = false;
  readonly #events: EventWatch;

  constructor(ports: SchedulerPorts, listeners: SchedulerEvents, now: Instant) {
    this.#ports = ports;
    this.#listeners = listeners;
    this.#wentBack = { to: now, from: null };
    this.agenda = new Agenda(ports.host.zone());
    this.#events = createEventWatch(() => ports.surroundings.network(), ports);
    if (ports.aliveAt !== null && ports.aliveAt < now) this.#noteAbsence(ports.aliveAt, now);
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
      this.#noteBack(toInstant(now - Math.max(0, now - since - passage.steppedMs)), since);
    }
    this.#events.look(now, passage.asleepMs);
    this.#followZone(now);
    await this.putRight();
    await this.#followEdits(now);
    this.agenda.followDates(now);

    const refusal = await this.#decide(now);
    if (refusal === 'lost') {
      this.#listeners.onLost();
      return null;
    }
    // Somebody changed a job in between: read it, and decide again at once.
    if (refusal === 'changed') return now;
    this.#spans = [];
    this.#gaps = [];
    this.#zoneChangedAt = null;
    const wakeAts = [this.agenda.wakeAt(), this.#events.lookAt()].flatMap((at) => at ?? []);
    return wakeAts.length === 0 ? null : toInstant(Math.min(...wakeAts));
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

  /** A run of the job ended: an interval after the end counts from it, and other jobs may start after it. */
  runEnded(jobId: JobId): void {
    if (this.agenda.countsFromEnds(jobId)) this.#edited.add(jobId);
    for (const waiter of this.agenda.waitersOf(jobId)) this.#edited.add(waiter);
  }

  #note(cause: Gap['cause'], from: Instant, to: Instant): void {
    this.#spans.push({ cause, from, to });
    if (to - from >= GAP_MS_MIN) this.#gaps.push({ cause, from, to });
  }

  /** Nobody lived: the machine was off until it booted, and then on without Belfry. */
  #noteAbsence(from: Instant, to: Instant): void {
    const uptimeMs = this.#ports.host.uptimeMs();
    const bootAt = toInstant(Math.min(to, Math.max(from, uptimeMs === null ? from : to - uptimeMs)));
    if (bootAt > from) this.#note('off', from, bootAt);
    if (to > bootAt) this.#note('not_running', bootAt, to);
  }

  /**
   * The watermark stays: a time of today that has passed in the new zone, and not yet in the old one, is caught up like
   * any other, so that no day goes without its run.
   */
  #followZone(now: Instant): void {
    const zone = this.#ports.host.zone();
    if (zone === this.agenda.hostZone) return;
    this.#ports.log.info('zone_changed', { from: this.agenda.hostZone, to: zone });
    this.agenda.setZone(zone, now);
    this.#zoneChangedAt = now;
    this.#listeners.onReplanned();
  }

  #noteBack(to: Instant, from: Instant): void {
    const before = this.#wentBack;
    // Nothing is known of the clock of an earlier life, so its end stays null.
    this.#wentBack =
      before === null
        ? { to, from }
        : { to: toInstant(Math.min(to, before.to)), from: before.from === null ? null : from };
  }

  /** Something about the future was skipped, as if the clock had gone back just now. */
  lookBack(now: Instant): void {
    this.#noteBack(now, now);
  }

  /** After a clock went back, and once at the start, before anything else. Throws LeaseLost if the fence no longer holds. */
  async putRight(): Promise<void> {
    const wentBack = this.#wentBack;
    if (wentBack === null) return;
    const { life, store, log } = this.#ports;
    const done = await goBack({ store, log, life }, wentBack, this.agenda.hostZone);
    if (done === 'lost') throw new LeaseLost();
    this.#believedFrom = done === 'done' ? null : done.believedFrom;
    this.#wentBack = null;
    this.#isReadAnew = true;
  }

  /** False under a clock that is far older than everything in the store. */
  isClockBelieved(now: Instant): boolean {
    return this.#believedFrom === null || now >= this.#believedFrom;
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
        return { changeNumber, all, decided: await readDecidedAhead(reader, all) };
      }
      const jobs: [JobId, ScheduleState[]][] = [];
      for (const jobId of edited) jobs.push([jobId, await reader.schedules.ofJob(jobId)]);
      const states = jobs.flatMap(([, found]) => found);
      return { changeNumber, jobs, decided: await readDecidedAhead(reader, states) };
    };
    const found = await life
      .hold(() => store.read(read))
      .catch((error: unknown) => {
        for (const jobId of edited) this.#edited.add(jobId);
        throw error;
      });
    const { decided } = found;
    if (found.all !== undefined) await this.#load(found.all, now, decided);
    for (const [jobId, states] of found.jobs ?? []) this.agenda.replaceJob(jobId, states, now, decided);
    this.#changeNumber = found.changeNumber;
    if (found.all !== undefined) this.#isReadAnew = false;
    if (found.all !== undefined) this.#listeners.onReplanned();
  }

  /** The first time every rule has to be read, which takes long; later most are as they were. */
  async #load(all: readonly ScheduleState[], now: Instant, decided: DecidedAhead): Promise<void> {
    if (this.isLoaded()) {
      this.agenda.load(all, now, decided);
      return;
    }
    const { life, clock } = this.#ports;
    this.agenda = new Agenda(this.agenda.hostZone);
    await this.agenda.fill(
      all,
      now,
      createBreath(clock, () => life.pause(0)),
      decided,
    );
  }

  /**
   * Decides what is due, some jobs at a time: all schedules of a job and their watermarks in one transaction, and a rest
   * between two, so that a week of sleep keeps nobody waiting (D1). Dying in between leaves the later ones due.
   */
  async #decide(now: Instant): Promise<Refusal | null> {
    const happened = this.#events.open();
    const owed = happened.length === 0 ? [] : await this.#owe(happened, now);
    if (typeof owed === 'string') return owed;
    const due = [...this.agenda.due(now), ...owed];
    if (due.length === 0 && this.#gaps.length === 0) return null;
    const { life, clock } = this.#ports;
    const batches = new Batches(due);
    for (let batch = batches.next(); batch !== null; batch = batches.next()) {
      const beganAt = clock.monotonic();
      const part = batch;
      const committed = await life.hold(() => this.#commit(part, now));
      if (typeof committed === 'string') return committed;
      this.#settle(now, committed);
      batches.took(clock.monotonic() - beganAt);
      if (!batches.isDone) await life.pause(0);
    }
    return null;
  }

  #commit(due: readonly ScheduleState[], now: Instant): Promise<Committed | Refusal> {
    const { ids, log } = this.#ports;
    const gaps = this.#gaps;
    return this.#transact(async (writer) => {
      const jobs = await readJobs(writer, due);
      const views = await viewJobs(writer, jobs, now);
      const undecided = await readUndecided(writer, due, now, this.agenda.hostZone);
      const planned = plan(
        {
          schedules: due,
          jobs: views,
          undecided: undecided.ranges,
          pauses: await pausesFor(writer, due, now),
          spans: await this.#spansFor(writer, due, now),
          hostZone: this.agenda.hostZone,
        },
        now,
      );
      const decisions = [...planned, ...undecided.forgone.filter(({ jobId }) => jobs.has(jobId))];
      const runs = await recordDecisions(writer, { decisions, jobs, now, ids, log });
      const counts = missesOf(decisions, runs);
      // Of one that is stored already only the counts grow.
      for (const gap of gaps) await writer.settings.insertGap(gap, gap === gaps.at(-1) ? counts : NO_MISSES);
      const decided = newestDecided(decisions);
      const waiting = waitingAmong(due, views, decided);
      for (const { scheduleId, pending } of due) {
        for (const { at } of pending) if (at <= now) await writer.schedules.removePending(scheduleId, at);
      }
      // The watermark moves last. If the process dies between the two statements the transaction rolls back and the same
      // occurrences are planned again; moving it first would lose them without a trace.
      for (const [scheduleId, untilAt] of decided) await writer.schedules.setWatermark(scheduleId, untilAt);
      for (const { scheduleId, jobId, owedSince, watermarkAt } of due) {
        // Below a watermark that is ahead, everything up to now was found to be decided or was decided just now.
        const isSearched = owedSince != null && views.has(jobId) && !waiting.has(scheduleId);
        if (isSearched)
          await writer.schedules.setWatermark(scheduleId, toInstant(Math.min(now, watermarkAt)));
      }
      return { due, runs, decided, waiting, decisions };
    });
  }

  /** Under the fence, and only about jobs as they were read. */
  #transact<T>(work: (writer: Writer) => Promise<T>): Promise<T | Refusal> {
    const { life, store } = this.#ports;
    // Taken before the transaction waits its turn: an edit of our own may come in between and must be read first.
    const changeNumber = this.#changeNumber;
    return store.transact(async (writer) => {
      if (!isHeldBy(await writer.leases.get(), life.fence)) return 'lost';
      if ((await writer.jobs.changeNumber()) !== changeNumber) return 'changed';
      return work(writer);
    });
  }

  /** What happened is owed to the schedules that wait for it, and due at once. */
  async #owe(happened: readonly EventRule['on'][], now: Instant): Promise<ScheduleState[] | Refusal> {
    const states = happened.flatMap((event) => this.agenda.onEvent(event));
    const pending = { at: now, trigger: 'event' as const, sourceRunId: null };
    const owed = await this.#ports.life.hold(() =>
      this.#transact(async (writer) => {
        const added: ScheduleState[] = [];
        for (const state of states) {
          const isNew = await writer.schedules.addPending(state.scheduleId, pending);
          if (isNew) added.push({ ...state, pending: [...state.pending, pending] });
        }
        return added;
      }),
    );
    if (typeof owed === 'string') return owed;
    this.#events.settle(happened);
    // Should they not be decided now, they are read again, and what they owe with them.
    for (const { jobId } of owed) this.#edited.add(jobId);
    return owed;
  }

  /** What is stored of earlier steps, what this one noticed, and at last that the computer travelled: the first one counts. */
  async #spansFor(reader: Reader, due: readonly ScheduleState[], now: Instant): Promise<MissedSpan[]> {
    const after = oldestOf(due, now);
    const stored = await reader.settings.gapsBetween({ after, until: now, max: GAPS_MAX });
    const spans: MissedSpan[] = [...stored, ...this.#spans];
    if (this.#zoneChangedAt !== null) {
      spans.push({ cause: 'zone_changed', from: toInstant(0), to: this.#zoneChangedAt });
    }
    return spans;
  }

  #settle(now: Instant, { due, runs, decided, waiting, decisions }: Committed): void {
    for (const { scheduleId } of due) {
      const untilAt = decided.get(scheduleId) ?? null;
      this.agenda.settle(scheduleId, { now, untilAt, isWaiting: waiting.has(scheduleId) });
    }
    if (runs.length > 0) this.#listeners.onQueued(runs);
    if (decisions.length > 0) this.#listeners.onDecided([...new Set(decisions.map(({ jobId }) => jobId))]);
  }
}
