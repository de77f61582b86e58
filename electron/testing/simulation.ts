/**
 * Days in the life of an engine, from one number: jobs of every kind, sleep, crashes at any call, power failures, clocks
 * and zones that move, a full disk, a person who edits, pauses and stops. After each event the invariants are checked.
 */

import type { JobId } from '../../shared/model/job';
import { isCalendarRule, type ScheduleId } from '../../shared/model/schedule';
import { DAY_MS, HOUR_MS, type Instant, MINUTE_MS, SECOND_MS, toInstant } from '../../shared/time';
import type { ScheduleState } from '../core/ledger';
import { StoreError } from '../core/storeError';
import type { Engine } from '../engine/engine';
import { SLEEP_MS_MAX } from '../engine/wakeLoop';
import {
  brokenRules,
  brokenRunning,
  brokenSpawns,
  decidedTooEarly,
  silentSchedules,
  undecidedOccurrences,
  watchWatermarks,
} from './invariants';
import type { LifeOptions, LifeReport } from './life';
import { createRandom, type Random } from './random';
import { randomDraft, randomScript, ZONES } from './randomJobs';
import { Rig, settle } from './rig';

const JOBS_IN_LIFE_MAX = 10;
/** Further back than anything in a life. */
const AGES_MS = 9_000 * DAY_MS;

/** Lives through `days` days, or until the first broken rule. */
export async function live(options: LifeOptions): Promise<LifeReport> {
  const life = new Life(options);
  await life.begin();
  return life.until(options.days * DAY_MS);
}

type Event = readonly [weight: number, name: string, happen: () => Promise<void>];

class Life {
  readonly #random: Random;
  readonly #rig: Rig;
  readonly #backwards = watchWatermarks();
  /** Where the duty to decide begins, per schedule: its creation, its last edit, or the last change of the zone. */
  readonly #bases = new Map<ScheduleId, Instant>();
  readonly #known = new Map<ScheduleId, string>();
  #deleted: JobId[] = [];
  readonly #trail: string[] = [];
  readonly #wrong: string[] = [];
  readonly #hasWrongClocks: boolean;

  constructor({ seed, days: _days, hasWrongClocks, ...rigOptions }: LifeOptions) {
    this.#random = createRandom(seed);
    this.#hasWrongClocks = hasWrongClocks;
    this.#rig = new Rig({
      ...rigOptions,
      startAt: this.#random.pick(['2026-03-27T20:00Z', '2026-10-23T20:00Z', '2026-07-01T06:00Z']),
      zone: this.#random.pick(ZONES),
      monotonicCountsSleep: this.#random.isTrue(0.4),
    });
    this.#rig.processes.script = () => randomScript(this.#random);
  }

  async begin(): Promise<void> {
    await this.#rig.engine.start();
    for (let count = 0; count < 5; count += 1) await this.#addJob();
  }

  async until(ms: number): Promise<LifeReport> {
    const endAt = this.#rig.time.uptimeMs() + ms;
    let broken: string | null = null;
    while (broken === null && this.#rig.time.uptimeMs() < endAt) {
      const [, name, happen] = this.#choose();
      this.#trail.push(name);
      await happen();
      if (this.#rig.incarnation.isDead) await this.#comeBack(this.#random.between(0, MINUTE_MS));
      await settle();
      broken = await this.#check();
    }
    const runs = this.#rig.processes.spawned.length;
    const told = broken === null ? null : `${broken}\nafter ${this.#trail.slice(-12).join(', ')}`;
    return { events: this.#trail.length, runs, broken: told };
  }

  #choose(): Event {
    const weighted: Event[] = [
      [40, 'time passes', () => this.#rig.time.advance(this.#span())],
      [8, 'sleeps', () => this.#sleep()],
      [4, 'is killed', () => this.#die()],
      [4, 'dies at a call', () => this.#dieAtCall()],
      [3, 'quits', () => this.#quit()],
      [3, 'is relieved', () => this.#relieve()],
      [2, 'loses power', () => this.#losePower()],
      [3, 'clock is set', () => this.#setClock()],
      [this.#hasWrongClocks ? 3 : 0, 'clock is ahead for seconds', () => this.#leapAhead()],
      [this.#hasWrongClocks ? 1 : 0, 'starts far in the past', () => this.#startInThePast()],
      [2, 'travels', () => this.#travel()],
      [2, 'disk is full', () => this.#fillDisk()],
      [4, 'adds a job', () => this.#addJob()],
      [6, 'edits a job', () => this.#editJob()],
      [3, 'switches a job', () => this.#switchJob()],
      [3, 'deletes or restores', () => this.#deleteOrRestore()],
      [5, 'runs by hand', () => this.#runByHand()],
      [3, 'stops a run', () => this.#stopRun()],
      [3, 'pauses or goes on', () => this.#pause()],
    ];
    const places = weighted.flatMap((event) => Array.from({ length: event[0] }, () => event));
    return this.#random.pick(places);
  }

  #span(): number {
    const longest = this.#random.pick([MINUTE_MS, 10 * MINUTE_MS, 2 * HOUR_MS]);
    return this.#random.between(1, longest);
  }

  async #sleep(): Promise<void> {
    const isTold = this.#random.isTrue(0.5);
    if (isTold) this.#rig.engine.notifySuspend();
    await this.#rig.time.sleepFor(
      this.#random.between(SECOND_MS, this.#random.pick([HOUR_MS, 14 * HOUR_MS])),
    );
    // Resume events come twice, late, or not at all (C-046).
    if (isTold) for (const _ of [1, 2]) this.#rig.engine.notifyResume();
  }

  async #comeBack(awayMs: number): Promise<void> {
    await this.#rig.time.advance(awayMs);
    this.#rig.processes.areHidden = this.#random.isTrue(0.1);
    this.#rig.renew();
    await this.#ask((engine) => engine.start());
    this.#rig.processes.areHidden = false;
  }

  async #die(): Promise<void> {
    this.#rig.kill();
    await this.#comeBack(this.#span());
  }

  async #dieAtCall(): Promise<void> {
    const { incarnation, time } = this.#rig;
    const port = this.#random.isTrue(0.7) ? ('store' as const) : ('runner' as const);
    const when = this.#random.isTrue(0.5) ? ('before' as const) : ('after' as const);
    incarnation.dieAt({ port, call: this.#random.between(1, 8), when });
    await this.#random.pick([() => this.#editJob(), () => this.#runByHand(), async () => undefined])();
    if (!incarnation.isDead) await time.advance(this.#span());
    incarnation.dieAt(null);
  }

  async #quit(): Promise<void> {
    const runs = this.#random.isTrue(0.5) ? ('leave' as const) : ('stop' as const);
    const stopping = this.#ask((engine) => engine.stop({ runs }));
    await this.#rig.time.advance(MINUTE_MS);
    await stopping;
    await this.#comeBack(this.#span());
  }

  /** Another process takes over from one that dies, leaves, or is frozen and wakes up later, unaware. */
  async #relieve(): Promise<void> {
    const { incarnation, engine, host, machine, time } = this.#rig;
    const other = this.#rig.beside();
    await other.engine.start();
    const end = this.#random.pick(['dies', 'leaves', 'is frozen']);
    if (end === 'dies') incarnation.die();
    else if (end === 'is frozen') incarnation.freeze();
    else void engine.stop({ runs: 'leave' });
    await time.advance(this.#random.between(0, 9 * MINUTE_MS));
    this.#rig.switchTo(other);
    incarnation.thaw();
    await time.advance(this.#random.between(0, 2 * MINUTE_MS));
    incarnation.die();
    machine.kill(host);
    await time.advance(9 * MINUTE_MS);
  }

  async #losePower(): Promise<void> {
    this.#rig.kill();
    this.#rig.processes.vanish();
    this.#rig.machine.reboot();
    await this.#comeBack(this.#span());
  }

  async #setClock(): Promise<void> {
    this.#rig.time.jump(this.#random.between(-3 * HOUR_MS, 3 * HOUR_MS));
    if (this.#random.isTrue(0.5)) this.#rig.engine.notifyResume();
  }

  /** A flat clock battery, or a wrong time server, put right soon after; perhaps with a restart in between. */
  async #leapAhead(): Promise<void> {
    const { time } = this.#rig;
    const ms = this.#random.between(HOUR_MS, 5 * DAY_MS);
    time.jump(ms);
    await time.advance(this.#random.between(SECOND_MS, 2 * MINUTE_MS));
    const end = this.#random.pick(['goes on', 'goes on', 'dies before', 'dies after']);
    if (end === 'dies before') this.#rig.kill();
    time.jump(-ms);
    if (end === 'dies after') await time.advance(this.#random.between(0, 2 * MINUTE_MS));
    if (end === 'dies after') this.#rig.kill();
    if (end !== 'goes on') await this.#comeBack(this.#span());
  }

  /** Nothing that there is existed then. */
  async #startInThePast(): Promise<void> {
    this.#rig.kill();
    this.#rig.time.jump(-AGES_MS);
    await this.#comeBack(0);
    const spawned = this.#rig.processes.spawned.length;
    await this.#rig.time.advance(this.#span());
    const planned = this.#rig.processes.spawned.slice(spawned).filter(({ plannedAt }) => plannedAt !== null);
    if (planned.length > 0) this.#wrong.push('something ran before its job was made');
    if (this.#random.isTrue(0.3)) this.#rig.kill();
    this.#rig.time.jump(AGES_MS);
  }

  async #travel(): Promise<void> {
    this.#rig.machine.zone = this.#random.pick(ZONES);
    for (const { scheduleId, rule, watermarkAt } of await this.#schedules()) {
      if (isCalendarRule(rule) && rule.kind !== 'interval' && rule.zone === 'local')
        this.#bases.set(scheduleId, watermarkAt);
    }
    this.#rig.engine.notifyResume();
  }

  async #fillDisk(): Promise<void> {
    this.#rig.storeError = new StoreError('full', 'The disk is full.');
    await this.#rig.time.advance(this.#random.between(SECOND_MS, 20 * MINUTE_MS));
    this.#rig.storeError = null;
    await this.#rig.time.advance(2 * MINUTE_MS);
  }

  /** A process that dies under a request answers nothing. */
  async #ask<T>(request: (engine: Engine) => Promise<T>): Promise<T | null> {
    const { engine, incarnation } = this.#rig;
    return Promise.race([request(engine), incarnation.died.then(() => null)]);
  }

  async #jobId(): Promise<JobId | null> {
    const jobs = await this.#rig.store.read((reader) => reader.jobs.list());
    return jobs.length === 0 ? null : this.#random.pick(jobs).id;
  }

  async #addJob(): Promise<void> {
    if ((await this.#rig.store.read((reader) => reader.jobs.count())) >= JOBS_IN_LIFE_MAX) return;
    await this.#ask((engine) =>
      engine.saveJob({ draft: randomDraft(this.#random, this.#rig.time.clock.now()) }),
    );
  }

  async #editJob(): Promise<void> {
    const jobId = await this.#jobId();
    if (jobId === null) return;
    const job = await this.#rig.store.read((reader) => reader.jobs.get(jobId));
    const kept = job?.schedules.slice(0, this.#random.between(0, 1)) ?? [];
    const draft = randomDraft(this.#random, this.#rig.time.clock.now());
    await this.#ask((engine) =>
      engine.saveJob({ jobId, draft: { ...draft, schedules: [...kept, ...draft.schedules] } }),
    );
  }

  async #switchJob(): Promise<void> {
    const jobId = await this.#jobId();
    if (jobId !== null)
      await this.#ask((engine) => engine.setEnabled({ jobId, isEnabled: this.#random.isTrue(0.7) }));
  }

  async #deleteOrRestore(): Promise<void> {
    const [jobId] = this.#deleted;
    if (jobId !== undefined && this.#random.isTrue(0.5)) {
      this.#deleted = this.#deleted.slice(1);
      await this.#ask((engine) => engine.restoreJob(jobId));
      return;
    }
    const present = await this.#jobId();
    if (present === null) return;
    const deleted = await this.#ask((engine) =>
      engine.deleteJob({ jobId: present, stopRun: this.#random.isTrue(0.5) }),
    );
    if (deleted?.ok) this.#deleted.push(present);
  }

  async #runByHand(): Promise<void> {
    const jobId = await this.#jobId();
    if (jobId !== null) await this.#ask((engine) => engine.startRun(jobId, 'manual'));
  }

  async #stopRun(): Promise<void> {
    const [run] = await this.#rig.store.read((reader) => reader.runs.active());
    if (run !== undefined) await this.#ask((engine) => engine.stopRun(run.id));
  }

  async #pause(): Promise<void> {
    await this.#ask((engine) => engine.setPaused(this.#random.isTrue(0.2)));
  }

  #schedules(): Promise<ScheduleState[]> {
    return this.#rig.store.read((reader) => reader.schedules.active());
  }

  async #check(): Promise<string | null> {
    const { database, processes, machine, engine } = this.#rig;
    // The engine has looked at the clocks once, whether or not anybody told it to.
    await this.#rig.time.advance(SLEEP_MS_MAX + 1);
    const states = await this.#schedules();
    const status = await engine.status();
    const isLeading = status.state === 'running' || status.state === 'paused';
    const active = await this.#rig.store.read((reader) => reader.runs.active());
    const busy = new Set(active.map(({ jobId }) => jobId));
    const now = this.#rig.time.clock.now();
    const broken = [
      ...brokenRules(database),
      ...brokenSpawns(database, processes),
      ...this.#backwards(states),
      ...(isLeading ? brokenRunning(database, processes) : []),
      ...(isLeading ? silentSchedules(states, busy, now, machine.zone) : []),
      ...(isLeading ? this.#undecided(states, now, machine.zone) : []),
      ...(isLeading && this.#hasWrongClocks ? decidedTooEarly(database, states, now) : []),
      ...this.#wrong,
    ];
    return broken.length === 0 ? null : broken.join('\n');
  }

  /** Every occurrence has its decision once the engine had time for it, whatever the clock did in between. */
  #undecided(states: readonly ScheduleState[], now: Instant, zone: string): string[] {
    this.#noteBases(states);
    const until = toInstant(now - SLEEP_MS_MAX);
    return states.flatMap((state) => {
      const known = this.#bases.get(state.scheduleId) ?? until;
      const floor = state.activeSince <= now ? state.activeSince : known;
      const base = toInstant(Math.max(known, floor));
      const missing = undecidedOccurrences(this.#rig.database, state, { base, until }, now, zone);
      // What has its decision keeps it until the clock goes back before it, so each occurrence is looked for once.
      this.#bases.set(state.scheduleId, until);
      return missing.map(
        (at) => `${JSON.stringify(state.rule)} at ${new Date(at).toISOString()} has no decision`,
      );
    });
  }

  /** A schedule that is new, changed, or on again owes nothing older than the watermark it starts with. */
  #noteBases(states: readonly ScheduleState[]): void {
    for (const { scheduleId, rule, watermarkAt } of states) {
      const text = JSON.stringify(rule);
      if (this.#known.get(scheduleId) === text) continue;
      this.#known.set(scheduleId, text);
      this.#bases.set(scheduleId, watermarkAt);
    }
    const present = new Set(states.map(({ scheduleId }) => scheduleId));
    for (const id of this.#known.keys()) if (!present.has(id)) this.#known.delete(id);
  }
}
