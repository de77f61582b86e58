import { expect, test } from 'vitest';
import { emptyCommandSettings } from '../../shared/kinds/command';
import type { Condition } from '../../shared/model/condition';
import type { NetworkState } from '../../shared/model/machine';
import { toInstant } from '../../shared/time';
import type { ConditionAnswer, SurroundingsChange } from '../ports/surroundings';
import type { HostAnswer } from './hostAnswers';
import type { PowerReading } from './powerSupply';
import { createSurroundings, type MachineHints } from './surroundings';
import { LOOK_MS } from './watch';

/** Two clocks and the timers on them, moved by hand. */
class Time {
  #now = 0;
  readonly #timers = new Set<{ at: number; wake: () => void }>();
  /** How far the wall is ahead: sleep, in which the monotonic clock stands still. */
  asleepMs = 0;
  readonly clock = { now: () => toInstant(this.#now + this.asleepMs), monotonic: () => this.#now };
  readonly timer = {
    after: (delayMs: number, wake: () => void): (() => void) => {
      const entry = { at: this.#now + delayMs, wake };
      this.#timers.add(entry);
      return () => this.#timers.delete(entry);
    },
  };

  get armedCount(): number {
    return this.#timers.size;
  }

  async pass(durationMs: number): Promise<void> {
    this.#now += durationMs;
    for (const entry of [...this.#timers]) {
      if (entry.at > this.#now) continue;
      this.#timers.delete(entry);
      entry.wake();
    }
    await settle();
  }
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const never = new AbortController().signal;
const patience = { waitMsMax: 60_000, otherwise: 'skip' as const };

class Desktop implements MachineHints {
  battery: boolean | null = null;
  idle: number | null = null;
  offline = false;
  readonly listeners = new Set<(change: SurroundingsChange) => void>();
  isOnBattery = (): boolean | null => this.battery;
  idleMs = (): number | null => this.idle;
  isOffline = (): boolean => this.offline;
  onChange(listener: (change: SurroundingsChange) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
  tell(change: SurroundingsChange): void {
    for (const listener of this.listeners) listener(change);
  }
}

function setUp({ hints = new Desktop() as Desktop | null } = {}) {
  const time = new Time();
  const machine = {
    power: { source: 'mains', batteryPercent: 83 } as PowerReading,
    network: 'up' as NetworkState,
    host: { isAnswering: true } as HostAnswer,
    command: { state: 'met', detail: null } as ConditionAnswer,
    readCount: 0,
    readPower: null as (() => Promise<PowerReading>) | null,
  };
  const surroundings = createSurroundings({
    clock: time.clock,
    timer: time.timer,
    readPower: () => {
      machine.readCount += 1;
      return machine.readPower?.() ?? Promise.resolve(machine.power);
    },
    readNetwork: () => machine.network,
    askHost: async () => machine.host,
    checkCommand: async () => machine.command,
    hints,
  });
  const told: SurroundingsChange[] = [];
  const ask = (condition: Condition): Promise<ConditionAnswer> => surroundings.check(condition, never);
  const listen = (): (() => void) => surroundings.onChange((change) => told.push(change));
  return { time, machine, desktop: hints, surroundings, told, ask, listen };
}

const mains: Condition = { kind: 'mains', ...patience };
const above50: Condition = { kind: 'battery_above', percent: 50, ...patience };
const idle60: Condition = { kind: 'user_idle', idleMs: 60_000, ...patience };

test.each<[PowerReading['source'], number | null, ConditionAnswer, ConditionAnswer['state'], string | null]>([
  ['mains', 12, { state: 'met', detail: null }, 'met', null],
  ['mains', null, { state: 'met', detail: null }, 'met', null],
  ['battery', 51, { state: 'unmet', detail: 'on battery, 51 %' }, 'met', null],
  ['battery', 50, { state: 'unmet', detail: 'on battery, 50 %' }, 'unmet', 'battery at 50 %'],
  ['battery', null, { state: 'unmet', detail: 'on battery' }, 'unknown', null],
  ['unknown', 51, { state: 'unknown', detail: null }, 'met', null],
  ['unknown', 12, { state: 'unknown', detail: null }, 'unknown', null],
])('on %s with %s % the conditions about power say so, plugged in counts as enough', async (...row) => {
  const [source, batteryPercent, forMains, state, detail] = row;
  const { machine, ask } = setUp();
  machine.power = { source, batteryPercent };
  expect(await ask(mains)).toEqual(forMains);
  expect(await ask(above50)).toEqual({ state, detail });
});

test('what the system does not tell about power is asked of the desktop, and nothing else is', async () => {
  const { machine, desktop, time, ask } = setUp();
  machine.power = { source: 'unknown', batteryPercent: null };
  if (desktop) desktop.battery = true;
  expect((await ask(mains)).state).toBe('unmet');
  if (desktop) desktop.battery = false;
  await time.pass(1_000);
  expect((await ask(mains)).state).toBe('met');
  machine.power = { source: 'battery', batteryPercent: 40 };
  await time.pass(1_000);
  expect((await ask(mains)).state).toBe('unmet');
});

test.each([
  ['up', false, 'met'],
  ['down', false, 'unmet'],
  ['unknown', false, 'unknown'],
  ['up', true, 'unmet'],
] as const)('a network that is %s, desktop offline: %s, is %s', async (network, offline, state) => {
  const { machine, desktop, surroundings, ask } = setUp();
  machine.network = network;
  if (desktop) desktop.offline = offline;
  expect(await ask({ kind: 'network', ...patience })).toEqual({ state, detail: null });
  expect(surroundings.network()).toBe(offline ? 'down' : network);
});

test('a host that does not answer is unmet with the reason, cut to what a wait can hold', async () => {
  const { machine, ask } = setUp();
  const condition: Condition = { kind: 'host_answers', host: 'nas.example', port: 22, ...patience };
  expect(await ask(condition)).toEqual({ state: 'met', detail: null });
  machine.host = { isAnswering: false, why: 'x'.repeat(400) };
  const answer = await ask(condition);
  expect([answer.state, answer.detail?.length]).toEqual(['unmet', 300]);
});

test('a check command answers for itself', async () => {
  const { machine, ask } = setUp();
  machine.command = { state: 'unmet', detail: 'exit code 3' };
  expect(await ask({ kind: 'check_command', settings: emptyCommandSettings, ...patience })).toEqual(
    machine.command,
  );
});

test('idle time is compared, and unknown without a desktop or where the desktop cannot tell', async () => {
  const { desktop, ask } = setUp();
  expect(await ask(idle60)).toEqual({ state: 'unknown', detail: null });
  if (desktop) desktop.idle = 59_999;
  expect(await ask(idle60)).toEqual({ state: 'unmet', detail: 'in use 59 s ago' });
  if (desktop) desktop.idle = 60_000;
  expect((await ask(idle60)).state).toBe('met');
  expect((await setUp({ hints: null }).ask(idle60)).state).toBe('unknown');
});

test('nothing is looked at while nobody who listens waits for a change', async () => {
  const { time, machine, desktop, ask, listen } = setUp();
  const stopOne = listen();
  const stopOther = listen();
  await ask(mains);
  await time.pass(10 * LOOK_MS);
  expect([time.armedCount, machine.readCount, desktop?.listeners.size]).toEqual([0, 1, 1]);
  machine.power = { source: 'battery', batteryPercent: 83 };
  await ask(mains);
  await time.pass(LOOK_MS);
  expect([time.armedCount, machine.readCount]).toEqual([1, 3]);
  stopOne();
  stopOne();
  await time.pass(LOOK_MS);
  expect(machine.readCount).toBe(4);
  stopOther();
  await time.pass(LOOK_MS);
  await ask(mains);
  await time.pass(10 * LOOK_MS);
  expect([time.armedCount, machine.readCount, desktop?.listeners.size]).toEqual([0, 5, 0]);
});

test('looking ends a minute after the last who was told no, and begins again with the next', async () => {
  const { time, machine, ask, listen } = setUp();
  machine.power = { source: 'battery', batteryPercent: 83 };
  await ask(mains);
  listen();
  for (let turn = 0; turn < 20; turn += 1) await time.pass(LOOK_MS);
  expect([time.armedCount, machine.readCount]).toEqual([0, 12]);
  await ask(mains);
  expect(time.armedCount).toBe(1);
});

test('a network that is gone is looked for as long as somebody listens, and nothing else is', async () => {
  const { time, machine, surroundings, told, listen } = setUp();
  listen();
  expect(surroundings.network()).toBe('up');
  machine.network = 'down';
  await time.pass(30_000);
  expect(surroundings.network()).toBe('down');
  for (let turn = 0; turn < 100; turn += 1) await time.pass(LOOK_MS);
  machine.network = 'up';
  await time.pass(LOOK_MS);
  expect([told, machine.readCount]).toEqual([['network', 'network'], 0]);
  await time.pass(60_000);
  await time.pass(LOOK_MS);
  expect(time.armedCount).toBe(0);
});

test('while somebody waits, a change of power or network is told within one look, and only a change', async () => {
  const { time, machine, told, ask, listen } = setUp();
  listen();
  machine.power = { source: 'battery', batteryPercent: 83 };
  machine.network = 'down';
  await ask(mains);
  await ask({ kind: 'network', ...patience });
  await time.pass(LOOK_MS);
  expect(told).toEqual([]);
  machine.power = { source: 'mains', batteryPercent: 83 };
  machine.network = 'up';
  await time.pass(LOOK_MS);
  expect(told.splice(0)).toEqual(['network', 'power']);
  await time.pass(LOOK_MS);
  expect(told).toEqual([]);
});

test('a change that one asker finds is told to all who wait', async () => {
  const { time, machine, told, ask, listen } = setUp();
  await ask(mains);
  listen();
  machine.power = { source: 'battery', batteryPercent: 83 };
  await time.pass(1_000);
  await ask(mains);
  expect(told).toEqual(['power']);
});

test('the end of the wanted idle time is told once to who was told to wait', async () => {
  const { time, desktop, told, ask, listen } = setUp();
  if (!desktop) throw new Error('There is no desktop.');
  desktop.idle = 58_000;
  listen();
  await ask(idle60);
  await time.pass(LOOK_MS);
  expect(told).toEqual([]);
  desktop.idle = 63_000;
  await time.pass(LOOK_MS);
  await time.pass(LOOK_MS);
  expect(told).toEqual(['idle']);
});

test('an event of the desktop is passed on at once, and what was read before it is not believed', async () => {
  const { machine, desktop, told, ask, listen } = setUp();
  listen();
  await settle();
  expect((await ask(mains)).state).toBe('met');
  machine.power = { source: 'battery', batteryPercent: 83 };
  desktop?.tell('power');
  desktop?.tell('power');
  expect(told.splice(0)).toEqual(['power', 'power']);
  expect((await ask(mains)).state).toBe('unmet');
});

test('a thousand conditions at once are one look, which is not believed after a sleep', async () => {
  const { time, machine, ask } = setUp();
  const answers = await Promise.all(Array.from({ length: 1_000 }, () => ask(mains)));
  expect(new Set(answers.map(({ state }) => state))).toEqual(new Set(['met']));
  expect(machine.readCount).toBe(1);
  machine.power = { source: 'battery', batteryPercent: 83 };
  time.asleepMs = 3_600_000;
  expect((await ask(mains)).state).toBe('unmet');
});

test('a controller that hangs is unknown after its limit, and is not asked again beside it', async () => {
  const { time, machine, ask } = setUp();
  let answer = (_: PowerReading): void => undefined;
  machine.readPower = () =>
    new Promise((resolve) => {
      answer = resolve;
    });
  const first = ask(mains);
  await time.pass(3_000);
  expect((await first).state).toBe('unknown');
  const second = ask(mains);
  expect(machine.readCount).toBe(1);
  answer({ source: 'battery', batteryPercent: 5 });
  expect((await second).state).toBe('unmet');
  expect(time.armedCount).toBe(0);
});

test('tells all that is known of the machine', async () => {
  const { desktop, surroundings } = setUp();
  const known = { power: 'mains', batteryPercent: 83, network: 'up' };
  expect(await surroundings.look()).toEqual({ ...known, idleMs: null });
  if (desktop) desktop.idle = 5_000;
  expect(await surroundings.look()).toEqual({ ...known, idleMs: 5_000 });
});
