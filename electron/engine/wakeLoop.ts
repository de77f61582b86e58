/**
 * Runs `step` now, and again whenever it asks to.
 *
 * One step at a time: a wake-up that arrives during a step is remembered and served after it. Sleeps are cut into pieces of
 * at most SLEEP_MS_MAX because a timer set before suspend may fire hours late or not at all (C-034, C-054); waking for
 * nothing costs far less than waking too late. A step that throws is reported and tried again, ever more slowly.
 */

import { assert } from '../../shared/result';
import type { Instant } from '../../shared/time';
import { type Passage, passageBetween, type Reading } from '../core/passage';
import type { Clock, Timer } from '../ports/world';

/** The longest that the engine sleeps without looking at the clocks. */
export const SLEEP_MS_MAX = 30_000;
/** The first wait after a step that failed; it doubles up to SLEEP_MS_MAX. */
export const RETRY_MS_MIN = 1_000;
/** The longest that a step counts as having taken; the rest of a longer one is taken for suspend. */
const STEP_MS_MAX = 10_000;

/** What a step is told about the moment it runs in. */
export type Wake = {
  readonly now: Instant;
  /** The wall time of the step before, or null for the first. */
  readonly since: Instant | null;
  /** What happened to the clocks since then. */
  readonly passage: Passage;
};

export interface WakeLoop {
  /** Runs the first step. Resolves when it has ended, well or not. */
  start(): Promise<void>;
  /** Runs a step as soon as possible. Resolves when one that began after the call has ended, or the loop was stopped. */
  nudge(): Promise<void>;
  /** No step begins afterwards. Resolves when the one in hand has ended. */
  stop(): Promise<void>;
}

export type WakeLoopPorts = {
  readonly clock: Clock;
  readonly timer: Timer;
  readonly uptimeMs: () => number | null;
  /** Answers when it wants to run again; null means that nothing is planned. */
  readonly step: (wake: Wake) => Promise<Instant | null>;
  /** Called after each step: with what it threw, or with null. */
  readonly onEnd: (trouble: { readonly error: unknown } | null) => void;
  /** Another limit than SLEEP_MS_MAX, for a time on which no timer gets lost. */
  readonly sleepMsMax?: number | undefined;
};

export function createWakeLoop(ports: WakeLoopPorts): WakeLoop {
  const { clock, timer, uptimeMs, step, onEnd, sleepMsMax = SLEEP_MS_MAX } = ports;
  let isOver = false;
  let isStarted = false;
  let isAsked = false;
  let failureCount = 0;
  let waiting: (() => void)[] = [];
  let callOff = (): void => {};
  let current: Promise<void> | null = null;
  let last: { reading: Reading; armedAt: number; delayMs: number } | null = null;

  const observe = (): Wake => {
    const reading = { wall: clock.now(), monotonic: clock.monotonic(), uptime: uptimeMs() };
    const before = last;
    last = { reading, armedAt: reading.monotonic, delayMs: 0 };
    if (before === null) {
      return { now: reading.wall, since: null, passage: { asleepMs: 0, steppedMs: 0 } };
    }
    const expectedMs = Math.min(before.armedAt - before.reading.monotonic, STEP_MS_MAX) + before.delayMs;
    return {
      now: reading.wall,
      since: before.reading.wall,
      passage: passageBetween(before.reading, reading, expectedMs),
    };
  };

  /** Runs one step and answers how long to sleep after it. */
  const stepOnce = async (): Promise<number> => {
    try {
      const next = await step(observe());
      // NaN would become a timer of one millisecond (H-48).
      assert(next === null || Number.isFinite(next), 'a step must name a moment to wake at');
      failureCount = 0;
      onEnd(null);
      if (next === null) return sleepMsMax;
      return Math.min(Math.max(0, next - clock.now()), sleepMsMax);
    } catch (error) {
      onEnd({ error });
      failureCount += 1;
      return Math.min(RETRY_MS_MIN * 2 ** (failureCount - 1), SLEEP_MS_MAX);
    }
  };

  const serve = async (): Promise<void> => {
    let delayMs = 0;
    do {
      isAsked = false;
      const served = waiting;
      waiting = [];
      delayMs = await stepOnce();
      for (const resolve of served) resolve();
    } while (isAsked && !isOver);
    current = null;
    if (isOver) return;
    if (last !== null) last = { ...last, armedAt: clock.monotonic(), delayMs };
    callOff = timer.after(delayMs, wake);
  };

  const wake = (): void => {
    isAsked = true;
    if (isOver || current !== null) return;
    callOff();
    current = serve();
  };

  const nudge = (): Promise<void> => {
    if (isOver || !isStarted) return Promise.resolve();
    const ended = new Promise<void>((resolve) => waiting.push(resolve));
    wake();
    return ended;
  };

  return {
    start() {
      isStarted = true;
      return nudge();
    },
    nudge,
    async stop() {
      isOver = true;
      callOff();
      await current;
      for (const resolve of waiting) resolve();
      waiting = [];
    },
  };
}
