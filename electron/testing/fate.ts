/** What befalls the machine in a simulated life: sleep, deaths, clocks, zones, power, network and a full disk, by chance. */

import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../shared/time';
import { StoreError } from '../core/storeError';
import { lostEnds, newestRunKey } from './invariants';
import type { Person } from './person';
import type { Random } from './random';
import { ZONES } from './randomJobs';
import type { Rig } from './rig';

/** Further back than anything in a life. */
const AGES_MS = 9_000 * DAY_MS;

export class Fate {
  /** What went wrong in a way that no table tells. */
  readonly wrong: string[] = [];
  /** The newest run when the clock was set last. */
  runKeyAtJump = 0;
  readonly #random: Random;
  readonly #rig: Rig;
  readonly #person: Person;

  constructor(random: Random, rig: Rig, person: Person) {
    this.#random = random;
    this.#rig = rig;
    this.#person = person;
  }

  #jump(ms: number): void {
    this.runKeyAtJump = newestRunKey(this.#rig.database);
    this.#rig.time.jump(ms);
  }

  span(): number {
    return this.#random.between(1, this.#random.pick([MINUTE_MS, 10 * MINUTE_MS, 3 * HOUR_MS]));
  }

  passTime(): Promise<void> {
    return this.#rig.time.advance(this.span());
  }

  async sleep(): Promise<void> {
    const isTold = this.#random.isTrue(0.5);
    if (isTold) this.#rig.engine.notifySuspend();
    const longest = this.#random.pick([MINUTE_MS, HOUR_MS, 14 * HOUR_MS, 60 * HOUR_MS, 60 * HOUR_MS]);
    await this.#rig.time.sleepFor(this.#random.between(SECOND_MS, longest));
    // Resume events come twice, late, or not at all (C-046).
    if (isTold) for (const _ of [1, 2]) this.#rig.engine.notifyResume();
  }

  async comeBack(awayMs: number): Promise<void> {
    await this.#rig.time.advance(awayMs);
    this.#rig.processes.areHidden = this.#random.isTrue(0.1);
    this.#rig.renew();
    await this.#person.ask((engine) => engine.start());
    this.#rig.processes.areHidden = false;
  }

  async die(): Promise<void> {
    this.#rig.kill();
    await this.comeBack(this.span());
  }

  async dieAtCall(): Promise<void> {
    const { incarnation, time } = this.#rig;
    const port = this.#random.pick(['store', 'store', 'store', 'runner', 'surroundings'] as const);
    const when = this.#random.isTrue(0.5) ? ('before' as const) : ('after' as const);
    incarnation.dieAt({ port, call: this.#random.between(1, 8), when });
    const acts = [() => this.#person.editJob(), () => this.#person.runByHand(), async () => undefined];
    await this.#random.pick(acts)();
    if (!incarnation.isDead) await time.advance(this.span());
    incarnation.dieAt(null);
  }

  async quit(): Promise<void> {
    const runs = this.#random.isTrue(0.5) ? ('leave' as const) : ('stop' as const);
    const stopping = this.#person.ask((engine) => engine.stop({ runs }));
    await this.#rig.time.advance(MINUTE_MS);
    await stopping;
    await this.comeBack(this.span());
  }

  /** Another process takes over from one that dies, leaves, or is frozen and wakes up later, unaware. */
  async relieve(): Promise<void> {
    const { incarnation, engine, host, machine, time } = this.#rig;
    const other = this.#rig.beside();
    await other.engine.start();
    const end = this.#random.pick(['dies', 'leaves', 'is frozen', 'sleeps and dies']);
    if (end === 'sleeps and dies') await time.sleepFor(this.#random.between(MINUTE_MS, 9 * HOUR_MS));
    if (end === 'is frozen') incarnation.freeze();
    else if (end === 'leaves') void engine.stop({ runs: 'leave' });
    else incarnation.die();
    await time.advance(this.#random.between(0, 9 * MINUTE_MS));
    this.#rig.switchTo(other);
    incarnation.thaw();
    await time.advance(this.#random.between(0, 2 * MINUTE_MS));
    incarnation.die();
    machine.kill(host);
    await time.advance(9 * MINUTE_MS);
  }

  async losePower(): Promise<void> {
    this.#rig.kill();
    this.#rig.processes.vanish();
    await this.#rig.time.sleepFor(this.#random.between(0, 9 * HOUR_MS));
    this.#rig.machine.reboot();
    await this.comeBack(this.span());
  }

  async setClock(): Promise<void> {
    this.#jump(this.#random.between(-3 * HOUR_MS, 3 * HOUR_MS));
    if (this.#random.isTrue(0.5)) this.#rig.engine.notifyResume();
  }

  /** A flat clock battery, or a wrong time server, put right soon after; perhaps with a restart in between. */
  async leapAhead(): Promise<void> {
    const { time } = this.#rig;
    const ms = this.#random.between(HOUR_MS, 5 * DAY_MS);
    this.#jump(ms);
    await time.advance(this.#random.between(SECOND_MS, 2 * MINUTE_MS));
    const end = this.#random.pick(['goes on', 'goes on', 'dies before', 'dies after']);
    if (end === 'dies before') this.#rig.kill();
    this.#jump(-ms);
    if (end === 'dies after') await time.advance(this.#random.between(0, 2 * MINUTE_MS));
    if (end === 'dies after') this.#rig.kill();
    if (end !== 'goes on') await this.comeBack(this.span());
  }

  /** Nothing that there is existed then, so nothing of it is due. */
  async startInThePast(): Promise<void> {
    const { time, processes } = this.#rig;
    this.#rig.kill();
    this.#jump(-AGES_MS);
    await this.comeBack(0);
    const spawned = processes.spawned.length;
    await time.advance(this.span());
    const isOfThen = ({ plannedAt }: { plannedAt: number | null }): boolean =>
      plannedAt !== null && plannedAt <= time.clock.now();
    if (processes.spawned.slice(spawned).some(isOfThen))
      this.wrong.push('something ran before its job was made');
    if (this.#random.isTrue(0.3)) this.#rig.kill();
    this.#jump(AGES_MS);
  }

  async travel(): Promise<void> {
    this.#rig.machine.zone = this.#random.pick(ZONES);
    this.#rig.engine.notifyResume();
  }

  /** Down to the reserve or to nothing at all; perhaps with a restart, after which only the spill file knows some ends. */
  async fillDisk(): Promise<void> {
    const { time, spill, processes } = this.#rig;
    if (this.#random.isTrue(0.5)) this.#rig.storeError = new StoreError('full', 'The disk is full.');
    else this.#rig.isRoomGone = true;
    await time.advance(this.#random.between(SECOND_MS, 20 * MINUTE_MS));
    const kept = [...spill.ends.values()];
    if (this.#random.isTrue(0.4)) {
      this.#rig.kill();
      if (this.#random.isTrue(0.5)) processes.vanish();
      await this.comeBack(this.#random.between(0, 5 * MINUTE_MS));
      await time.advance(this.#random.between(0, 5 * MINUTE_MS));
    }
    this.#rig.storeError = null;
    this.#rig.isRoomGone = false;
    await time.advance(3 * MINUTE_MS);
    this.wrong.push(...lostEnds(this.#rig.database, kept));
    if (spill.ends.size > 0) this.wrong.push('an end is kept beside a store that has room');
  }

  /** Power, network and idle time change, and the system tells so, or not. */
  async changeSurroundings(): Promise<void> {
    const { surroundings } = this.#rig;
    const kind = this.#random.pick(['mains', 'network', 'user_idle'] as const);
    const state = this.#random.pick(['met', 'met', 'unmet', 'unknown'] as const);
    surroundings.states.set(kind, state);
    if (kind === 'network') {
      surroundings.networkState = state === 'met' ? 'up' : state === 'unmet' ? 'down' : 'unknown';
    }
    const change = { mains: 'power', network: 'network', user_idle: 'idle' } as const;
    if (this.#random.isTrue(0.7)) surroundings.tell(change[kind]);
    await this.#rig.time.advance(this.#random.between(0, 10 * MINUTE_MS));
  }
}
