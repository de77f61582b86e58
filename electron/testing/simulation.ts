/**
 * Weeks in the life of an engine, from one number: jobs of every policy, sleep, crashes at any call, power failures, clocks
 * and zones that move, a full disk, a person who edits, pauses and stops. After each event the rules are checked.
 */

import { defaultSettings, type Retention } from '../../shared/model/settings';
import { DAY_MS, MINUTE_MS } from '../../shared/time';
import type { ScheduleState } from '../core/ledger';
import { SLEEP_MS_MAX } from '../engine/wakeLoop';
import type { AttemptOrder } from '../ports/running';
import { Fate } from './fate';
import {
  brokenNow,
  brokenRules,
  brokenRunning,
  brokenSpawns,
  decidedTooEarly,
  silentSchedules,
  startedTooEarly,
} from './invariants';
import type { LifeOptions, LifeReport } from './life';
import { Person } from './person';
import { createRandom, type Random } from './random';
import { randomScript, ZONES } from './randomJobs';
import { Rig, settle } from './rig';
import { Watch } from './watch';

/** Rules about what is stored for good are looked at after this many events, and at the end. */
const LASTING_EVERY = 10;

/** The rules look at everything that ever ran; what was dated by a wrong clock would be too old to be kept. */
const KEEP_ALL: Retention = {
  ...{ runDays: null, failureDays: null, runsPerJobMax: null },
  ...{ outputDays: null, outputMegabytesMax: null },
};

/** Lives through `days` days, or until the first broken rule. */
export async function live(options: LifeOptions): Promise<LifeReport> {
  const life = new Life(options);
  await life.begin();
  return life.until(options.days * DAY_MS);
}

type Event = {
  readonly weight: number;
  readonly name: string;
  readonly happen: () => Promise<void>;
  readonly setsClock?: boolean;
};

class Life {
  readonly #random: Random;
  readonly #rig: Rig;
  readonly #person: Person;
  readonly #fate: Fate;
  readonly #watch = new Watch();
  readonly #events: readonly Event[];
  readonly #trail: string[] = [];
  readonly #wrong: string[] = [];
  readonly #options: LifeOptions;

  constructor(options: LifeOptions) {
    const {
      seed,
      days: _days,
      hasWrongClocks: _has,
      isThorough: _all,
      skips: _skips,
      ...rigOptions
    } = options;
    this.#options = options;
    this.#random = createRandom(seed);
    this.#rig = new Rig({
      ...rigOptions,
      startAt: this.#random.pick(['2026-03-27T20:00Z', '2026-10-23T20:00Z', '2026-07-01T06:00Z']),
      zone: this.#random.pick(ZONES),
      monotonicCountsSleep: this.#random.isTrue(0.4),
      hasDisk: true,
    });
    this.#person = new Person(this.#random, this.#rig);
    this.#fate = new Fate(this.#random, this.#rig, this.#person);
    this.#rig.processes.script = (order) => this.#started(order);
    this.#events = this.#allEvents();
  }

  async begin(): Promise<void> {
    await this.#person.ask((engine) => engine.start());
    await this.#person.ask((engine) => engine.saveSettings({ ...defaultSettings, retention: KEEP_ALL }));
    for (let count = 0; count < 5; count += 1) await this.#person.addJob();
  }

  async until(ms: number): Promise<LifeReport> {
    const endAt = this.#rig.time.uptimeMs() + ms;
    let broken: string | null = null;
    while (broken === null && this.#rig.time.uptimeMs() < endAt) {
      // Each event has chance of its own, so that leaving one out leaves the later ones as they are.
      this.#random.restart(this.#options.seed ^ Math.imul(this.#trail.length + 1, 0x9e3779b9));
      const event = this.#random.pick(this.#events);
      const isLeftOut = this.#options.skips?.has(this.#trail.length) ?? false;
      this.#trail.push(isLeftOut ? '-' : event.name);
      if (!isLeftOut) await event.happen();
      if (this.#rig.incarnation.isDead) await this.#fate.comeBack(this.#random.between(0, MINUTE_MS));
      await settle();
      const isTurn = this.#trail.length % LASTING_EVERY === 0 || this.#rig.time.uptimeMs() >= endAt;
      broken = await this.#check(event, isTurn || this.#options.isThorough === true);
    }
    const runs = this.#rig.processes.spawned.length;
    const told = this.#trail.filter((name) => name !== '-').slice(-12);
    const sentence = broken === null ? null : `${broken}\nafter ${told.join(', ')}`;
    return { events: this.#trail.length, runs, broken: sentence };
  }

  #allEvents(): Event[] {
    const [fate, person] = [this.#fate, this.#person];
    const weigh = (weight: number, name: string, happen: () => Promise<void>): Event => ({
      weight,
      name,
      happen,
    });
    const clock = (weight: number, name: string, happen: () => Promise<void>): Event => ({
      ...weigh(weight, name, happen),
      setsClock: true,
    });
    const wrongClocks = this.#options.hasWrongClocks
      ? [
          clock(3, 'clock is ahead for seconds', () => fate.leapAhead()),
          clock(1, 'starts far in the past', () => fate.startInThePast()),
        ]
      : [];
    const events = [
      weigh(30, 'time passes', () => fate.passTime()),
      weigh(14, 'sleeps', () => fate.sleep()),
      weigh(3, 'is killed', () => fate.die()),
      weigh(4, 'dies at a call', () => fate.dieAtCall()),
      weigh(3, 'quits', () => fate.quit()),
      weigh(3, 'is relieved', () => fate.relieve()),
      weigh(3, 'loses power', () => fate.losePower()),
      clock(3, 'clock is set', () => fate.setClock()),
      ...wrongClocks,
      weigh(2, 'travels', () => fate.travel()),
      weigh(2, 'disk is full', () => fate.fillDisk()),
      weigh(4, 'surroundings change', () => fate.changeSurroundings()),
      weigh(4, 'adds a job', () => person.addJob()),
      weigh(6, 'edits a job', () => person.editJob()),
      weigh(3, 'switches a job', () => person.switchJob()),
      weigh(3, 'deletes or restores', () => person.deleteOrRestore()),
      weigh(5, 'runs by hand', () => person.runByHand()),
      weigh(3, 'stops a run', () => person.stopRun()),
      weigh(1, 'hurries a run', () => person.hurry()),
      weigh(1, 'checks and resumes', () => person.checkAndResume()),
      weigh(2, 'pauses', () => person.pause()),
      weigh(3, 'goes on', () => person.goOn()),
    ];
    return events.flatMap((event) => Array.from({ length: event.weight }, () => event));
  }

  #started(order: AttemptOrder) {
    const moment = { now: this.#rig.time.clock.now(), judgedAfterKey: this.#fate.runKeyAtJump };
    this.#wrong.push(...startedTooEarly(this.#rig.database, order, moment));
    return randomScript(this.#random);
  }

  async #check(event: Event, isThorough: boolean): Promise<string | null> {
    const { database, processes, machine, engine, store, time } = this.#rig;
    // The engine has looked at the clocks once, whether or not anybody told it to.
    await time.advance(SLEEP_MS_MAX + 1);
    const states: ScheduleState[] = await store.read((reader) => reader.schedules.active());
    const status = await engine.status();
    const now = time.clock.now();
    const broken = [
      ...(isThorough ? brokenRules(database) : brokenNow(database)),
      ...brokenSpawns(database, processes, isThorough),
      ...this.#fate.wrong,
      ...this.#wrong,
    ];
    if (status.state === 'running' || status.state === 'paused') {
      const active = await store.read((reader) => reader.runs.active());
      const pauses = await store.read((reader) => reader.pauses.at(now));
      const busy = new Set(active.map(({ jobId }) => jobId));
      const zone = machine.zone;
      const clocks = { isClockSet: event.setsClock === true, runKeyAtJump: this.#fate.runKeyAtJump };
      broken.push(
        ...this.#watch.look({ database, states, pauses, now, zone, ...clocks }),
        ...brokenRunning(database, processes),
        ...silentSchedules(states, busy, now, zone),
        ...decidedTooEarly(database, states, now),
      );
    }
    return broken.length === 0 ? null : broken.join('\n');
  }
}
