/**
 * What the machine tells about power, network and its user. What it does not tell is unknown, and never blocks. It is looked at
 * when somebody asks, and every few seconds only while somebody who listens waits for a change: otherwise it causes no wake-up.
 */
import type { Condition } from '../../shared/model/condition';
import type { Machine, NetworkState } from '../../shared/model/machine';
import { assertNever } from '../../shared/result';
import type { ConditionAnswer, Surroundings, SurroundingsChange } from '../ports/surroundings';
import type { Clock, Timer } from '../ports/world';
import type { AskHost } from './hostAnswers';
import { type PowerReading, unknownPower } from './powerSupply';
import { createReading, createWatch, type Reading } from './watch';

/** Who was told no and still waits asks again within this time. */
const INTEREST_MS = 60_000;
/** A battery's controller that does not answer has this long. */
const POWER_MS_MAX = 3_000;

/** What the desktop knows besides. null is "cannot tell". */
export interface MachineHints {
  isOnBattery(): boolean | null;
  idleMs(): number | null;
  /** Certainly without network; false says nothing. */
  isOffline(): boolean;
  onChange(listener: (change: SurroundingsChange) => void): () => void;
}

export type SurroundingsPorts = {
  readonly clock: Clock;
  readonly timer: Timer;
  readonly readPower: () => Promise<PowerReading>;
  readonly readNetwork: () => NetworkState;
  readonly askHost: AskHost;
  readonly checkCommand: (
    settings: Extract<Condition, { kind: 'check_command' }>['settings'],
    signal: AbortSignal,
  ) => Promise<ConditionAnswer>;
  /** null for a process without a desktop. */
  readonly hints: MachineHints | null;
};

export interface MachineSurroundings extends Surroundings {
  /** Everything that is known without asking anybody else. */
  look(): Promise<Machine>;
}

const met: ConditionAnswer = { state: 'met', detail: null };
const unknown: ConditionAnswer = { state: 'unknown', detail: null };
const unmet = (detail: string | null): ConditionAnswer => ({ state: 'unmet', detail });

export function createSurroundings(ports: SurroundingsPorts): MachineSurroundings {
  const { clock, timer, hints } = ports;
  const listeners = new Set<(change: SurroundingsChange) => void>();
  const tell = (change: SurroundingsChange): void => {
    for (const listener of [...listeners]) listener(change);
  };

  const network = createReading(clock, (): NetworkState => {
    const state = ports.readNetwork();
    return state === 'up' && hints?.isOffline() ? 'down' : state;
  });
  const power = createPowerReading(ports);
  const lookAtPower = async (): Promise<PowerReading> => {
    const reading = await power.get();
    if (power.isNews(`${reading.source} ${reading.batteryPercent}`)) tell('power');
    return reading;
  };
  const lookAtNetwork = (): NetworkState => {
    const state = network.get();
    if (network.isNews(state)) tell('network');
    // That the network is back is an event of its own.
    if (state === 'down') awaitChange('network');
    return state;
  };

  const idle = createIdle(hints);
  const awaitedUntil = { power: 0, network: 0, idle: 0 };
  const isAwaited = (change: SurroundingsChange): boolean => clock.monotonic() < awaitedUntil[change];
  const watch = createWatch({
    timer,
    isWanted: () => listeners.size > 0 && (['power', 'network', 'idle'] as const).some(isAwaited),
    look: async () => {
      if (isAwaited('network')) lookAtNetwork();
      if (idle.hasReached()) tell('idle');
      if (isAwaited('power')) await lookAtPower();
    },
  });
  function awaitChange(change: SurroundingsChange): void {
    awaitedUntil[change] = clock.monotonic() + INTEREST_MS;
    watch.start();
  }
  /** The answer; a no means that somebody may wait for this to change. */
  const expecting = (change: SurroundingsChange, answer: ConditionAnswer): ConditionAnswer => {
    if (answer.state === 'unmet') awaitChange(change);
    return answer;
  };
  let stopHints = (): void => undefined;
  const begin = (): void => {
    stopHints =
      hints?.onChange((change) => {
        // The event is older than what it is about to make known.
        power.forget();
        network.forget();
        tell(change);
      }) ?? stopHints;
    // Somebody may have been told no just before.
    watch.start();
  };
  const end = (): void => {
    stopHints();
    watch.stop();
    idle.forget();
  };

  const check = async (condition: Condition, signal: AbortSignal): Promise<ConditionAnswer> => {
    switch (condition.kind) {
      case 'mains':
        return expecting('power', judgeMains(await lookAtPower()));
      case 'battery_above':
        return expecting('power', judgeBattery(await lookAtPower(), condition.percent));
      case 'network':
        return expecting('network', judgeNetwork(lookAtNetwork()));
      case 'host_answers': {
        const answer = await ports.askHost(condition, signal);
        return expecting('network', answer.isAnswering ? met : unmet(cut(answer.why)));
      }
      case 'user_idle':
        return expecting('idle', idle.check(condition.idleMs));
      case 'check_command': {
        const answer = await ports.checkCommand(condition.settings, signal);
        return { ...answer, detail: answer.detail === null ? null : cut(answer.detail) };
      }
      default:
        return assertNever(condition);
    }
  };

  return {
    check,
    network: lookAtNetwork,
    onChange: (listener) => {
      // Its own, so that the same function can listen twice and each stop for itself.
      const own = (change: SurroundingsChange): void => listener(change);
      listeners.add(own);
      if (listeners.size === 1) begin();
      return () => {
        if (listeners.delete(own) && listeners.size === 0) end();
      };
    },
    look: async () => {
      const { source, batteryPercent } = await lookAtPower();
      return { power: source, batteryPercent, network: lookAtNetwork(), idleMs: hints?.idleMs() ?? null };
    },
  };
}

function createPowerReading({
  clock,
  timer,
  readPower,
  hints,
}: Pick<SurroundingsPorts, 'clock' | 'timer' | 'readPower' | 'hints'>): Reading<Promise<PowerReading>> {
  // Where a controller hangs, the next look waits with this one instead of hanging beside it.
  let underWay: Promise<PowerReading> | null = null;
  return createReading(clock, async (): Promise<PowerReading> => {
    underWay ??= readPower().finally(() => {
      underWay = null;
    });
    const reading = await withinLimit(underWay, timer);
    const isOnBattery = reading.source === 'unknown' ? (hints?.isOnBattery() ?? null) : null;
    return isOnBattery === null ? reading : { ...reading, source: isOnBattery ? 'battery' : 'mains' };
  });
}

type Idle = {
  check(idleMsMin: number): ConditionAnswer;
  /** Whether the user is idle by now for as long as somebody waits for. True once for each. */
  hasReached(): boolean;
  forget(): void;
};

function createIdle(hints: MachineHints | null): Idle {
  const awaited = new Set<number>();
  return {
    check: (idleMsMin) => {
      const idleMs = hints?.idleMs() ?? null;
      if (idleMs === null) return unknown;
      if (idleMs >= idleMsMin) return met;
      awaited.add(idleMsMin);
      return unmet(`in use ${Math.floor(idleMs / 1_000)} s ago`);
    },
    hasReached: () => {
      const idleMs = awaited.size === 0 ? null : (hints?.idleMs() ?? null);
      if (idleMs === null) return false;
      const reached = [...awaited].filter((wanted) => idleMs >= wanted);
      for (const wanted of reached) awaited.delete(wanted);
      return reached.length > 0;
    },
    forget: () => awaited.clear(),
  };
}

const judgeMains = ({ source, batteryPercent }: PowerReading): ConditionAnswer => {
  if (source === 'unknown') return unknown;
  return source === 'mains'
    ? met
    : unmet(batteryPercent === null ? 'on battery' : `on battery, ${batteryPercent} %`);
};

function judgeBattery({ source, batteryPercent }: PowerReading, percentMin: number): ConditionAnswer {
  if (source === 'mains' || (batteryPercent !== null && batteryPercent > percentMin)) return met;
  // It may be plugged in, which would be enough.
  if (source === 'unknown' || batteryPercent === null) return unknown;
  return unmet(`battery at ${batteryPercent} %`);
}

const judgeNetwork = (state: NetworkState): ConditionAnswer => {
  if (state === 'unknown') return unknown;
  return state === 'up' ? met : unmet(null);
};

/** As long as a wait may say. */
const DETAIL_LENGTH_MAX = 300;
const cut = (text: string): string =>
  text.length <= DETAIL_LENGTH_MAX ? text : `${text.slice(0, DETAIL_LENGTH_MAX - 1)}…`;

async function withinLimit(reading: Promise<PowerReading>, timer: Timer): Promise<PowerReading> {
  let callOff = (): void => undefined;
  const limit = new Promise<PowerReading>((resolve) => {
    callOff = timer.after(POWER_MS_MAX, () => resolve(unknownPower));
  });
  try {
    return await Promise.race([reading.catch(() => unknownPower), limit]);
  } finally {
    callOff();
  }
}
