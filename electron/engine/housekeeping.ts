/**
 * What the process that runs the jobs does for the store now and then: a copy each day, a look at all of it each day, and
 * removing what is not to be kept (retention.ts). It is asked at each wake of the engine, begins some seconds after the first
 * plan, sets no timer of its own to begin, does one thing at a time, and holds nothing up. What fails is logged and tried
 * again; only damage concerns the user, and the status tells it.
 */

import type { Retention } from '../../shared/model/settings';
import { DAY_MS, HOUR_MS, type Instant, SECOND_MS } from '../../shared/time';
import { isHeldBy } from '../core/lease';
import { isCorrupt } from '../core/storeError';
import type { DataKeeper } from '../ports/data';
import type { Store, Writer } from '../ports/store';
import type { Clock, Log } from '../ports/world';
import { LeaseLost, type Life, LifeOver } from './life';
import { FROM_RESERVE } from './persistence';
import { removeExpired } from './retention';

/** How long after the beginning of a life nothing is done: what was missed goes first. */
export const FIRST_AFTER_MS = 10 * SECOND_MS;
/** The least between two looks at what is due, in milliseconds. */
const LOOK_EVERY_MS = 10 * SECOND_MS;
/** Copies and checks are made again when the last one is as old as this. */
const EVERY_MS = DAY_MS;
/** The least between two tries of what failed, two looks at damage, and two rounds of removing; awake. */
export const AGAIN_AFTER_MS = HOUR_MS;
/** A leap of the clock that makes ages doubtful; away for as long, it may be wrong as well. */
const LEAP_MS = DAY_MS;
const AWAY_MS_MAX = 60 * DAY_MS;
/** How long nothing is removed for its age after that. */
export const DOUBT_MS = DAY_MS;

export type HousekeepingPorts = {
  readonly clock: Clock;
  readonly log: Log;
  readonly store: Store;
  readonly keeper: DataKeeper;
  readonly life: Life;
  /** When an engine was last known to live before this life, or null. */
  readonly aliveAt: Instant | null;
};

export type HousekeepingEvents = {
  /** Copies, facts or what a check found changed. */
  readonly onDataChanged: () => void;
  readonly onLost: () => void;
};

type Work = 'copy' | 'check' | 'retention';

export class Housekeeping {
  readonly #ports: HousekeepingPorts;
  readonly #events: HousekeepingEvents;
  /** When each was tried last, on the monotonic clock. */
  readonly #tried = new Map<Work, number>();
  #isBusy = false;
  #lookAgainAt: number;
  #doubtedUntil: number;
  #lastRules: string | null = null;

  constructor(ports: HousekeepingPorts, events: HousekeepingEvents) {
    this.#ports = ports;
    this.#events = events;
    const { clock, aliveAt } = ports;
    const beganAt = clock.monotonic();
    this.#lookAgainAt = beganAt + FIRST_AFTER_MS;
    const isLongAway = aliveAt !== null && clock.now() - aliveAt > AWAY_MS_MAX;
    this.#doubtedUntil = isLongAway ? beganAt + DOUBT_MS : beganAt;
  }

  /** After each step of the engine, with how far the wall clock stepped before it. Returns at once. */
  look(steppedMs: number): void {
    const { clock, life } = this.#ports;
    const at = clock.monotonic();
    if (steppedMs > LEAP_MS) this.#doubtedUntil = at + DOUBT_MS;
    if (this.#isBusy || life.isOver || at < this.#lookAgainAt) return;
    this.#lookAgainAt = at + LOOK_EVERY_MS;
    void this.#begin();
  }

  async #begin(): Promise<void> {
    this.#isBusy = true;
    try {
      await this.#round();
    } catch (error) {
      if (error instanceof LeaseLost) this.#events.onLost();
      else if (!(error instanceof LifeOver)) this.#ports.log.warn('housekeeping_failed', { error });
    } finally {
      this.#isBusy = false;
    }
  }

  async #round(): Promise<void> {
    const { life, store } = this.#ports;
    const { lastBackupAt, lastCheck, rules } = await life.hold(() =>
      store.read(async ({ settings }) => ({
        lastBackupAt: await settings.lastBackupAt(),
        lastCheck: await settings.lastCheck(),
        rules: (await settings.preferences()).retention,
      })),
    );
    if (this.#isOld(lastBackupAt) && this.#mayTry('copy')) await this.#attempt('copy', () => this.#copy());
    if (this.#isRetentionDue(rules)) {
      this.#lastRules = JSON.stringify(rules);
      await this.#attempt('retention', () => this.#retain(rules));
    }
    // What was found is looked at again soon: it may have been mended.
    const isSuspect = lastCheck !== null && lastCheck.finding !== null;
    const isDue = isSuspect || this.#isOld(lastCheck?.at ?? null);
    if (isDue && this.#mayTry('check')) await this.#attempt('check', () => this.#check());
  }

  async #attempt(work: Work, act: () => Promise<void>): Promise<void> {
    this.#tried.set(work, this.#ports.clock.monotonic());
    try {
      await act();
    } catch (error) {
      if (error instanceof LifeOver || error instanceof LeaseLost) throw error;
      this.#ports.log.warn('housekeeping_failed', { work, error });
      // What damage there is, is found out now, and not with the next daily check.
      if (work === 'copy' && isCorrupt(error)) await this.#attempt('check', () => this.#check());
    }
  }

  async #copy(): Promise<void> {
    const { life, keeper, clock } = this.#ports;
    await life.hold(() => keeper.backUp('daily'));
    await this.#write((writer) => writer.settings.setLastBackupAt(clock.now()));
    // From here on the stored moment counts, which goes on in sleep.
    this.#tried.delete('copy');
    this.#events.onDataChanged();
  }

  async #check(): Promise<void> {
    const { life, keeper, clock, log } = this.#ports;
    const finding = await life.hold(() => keeper.check());
    if (finding !== null) log.error('data_damaged', { finding });
    await this.#write((writer) => writer.settings.setLastCheck({ at: clock.now(), finding }));
    if (finding === null) this.#tried.delete('check');
    this.#events.onDataChanged();
  }

  async #retain(rules: Retention): Promise<void> {
    const removed = await removeExpired(rules, this.#ports);
    if (removed.outputCount + removed.runCount + removed.decisionCount === 0) return;
    this.#ports.log.info('history_removed', removed);
    this.#events.onDataChanged();
  }

  #isRetentionDue(rules: Retention): boolean {
    if (this.#ports.clock.monotonic() < this.#doubtedUntil) return false;
    return this.#mayTry('retention') || JSON.stringify(rules) !== this.#lastRules;
  }

  #mayTry(work: Work): boolean {
    const triedAt = this.#tried.get(work);
    return triedAt === undefined || this.#ports.clock.monotonic() - triedAt >= AGAIN_AFTER_MS;
  }

  /** A moment that lies ahead was noted under a wrong clock. */
  #isOld(at: Instant | null): boolean {
    const now = this.#ports.clock.now();
    return at === null || at > now || now - at >= EVERY_MS;
  }

  #write(work: (writer: Writer) => Promise<void>): Promise<void> {
    const { life, store } = this.#ports;
    return life.hold(() =>
      store.transact(async (writer) => {
        if (!isHeldBy(await writer.leases.get(), life.fence)) throw new LeaseLost('during housekeeping');
        await work(writer);
      }, FROM_RESERVE),
    );
  }
}
