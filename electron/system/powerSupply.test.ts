/** Each case is a folder as the kernel lays it out, with the files that such a machine has. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { readPowerSupplies } from './powerSupply';

type Files = Readonly<Record<string, string>>;

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) fs.rmSync(folder, { recursive: true, force: true });
});
function makeTree(supplies: Readonly<Record<string, Files>>): string {
  const root = fs.mkdtempSync(path.join(os.tmpdir(), 'belfry-power-'));
  folders.push(root);
  for (const [name, files] of Object.entries(supplies)) {
    fs.mkdirSync(path.join(root, name));
    for (const [file, text] of Object.entries(files))
      fs.writeFileSync(path.join(root, name, file), `${text}\n`);
  }
  return root;
}

const mains = (online: string): Files => ({ type: 'Mains', online });
const usb = (online: string): Files => ({ type: 'USB', scope: 'System', online });
const battery = (status: string, more: Files = { capacity: '83' }): Files => ({
  type: 'Battery',
  present: '1',
  status,
  ...more,
});
const mouse: Files = { ...battery('Discharging', { capacity: '12' }), scope: 'Device' };

test.each<[string, Record<string, Files>, string, number | null]>([
  ['a desktop has no supplies at all', {}, 'mains', null],
  ['a laptop that is plugged in', { AC: mains('1'), BAT0: battery('Charging') }, 'mains', 83],
  ['a laptop on battery', { AC: mains('0'), BAT0: battery('Discharging') }, 'battery', 83],
  ['full and unplugged, not yet discharging', { AC: mains('0'), BAT0: battery('Full') }, 'battery', 83],
  ['a charger on USB-C', { AC: mains('0'), usbc: usb('1'), BAT0: battery('Charging') }, 'mains', 83],
  ['a programmable charger on USB-C', { usbc: usb('2'), BAT0: battery('Charging') }, 'mains', 83],
  ['an empty USB-C port', { AC: mains('1'), usbc: usb('0'), BAT0: battery('Full') }, 'mains', 83],
  [
    'a charger too weak for the load is still mains',
    { usbc: usb('1'), BAT0: battery('Discharging') },
    'mains',
    83,
  ],
  ['charged through a port that tells nothing', { AC: mains('0'), BAT0: battery('Charging') }, 'mains', 83],
  ['no charger is told of, on battery', { BAT0: battery('Discharging') }, 'battery', 83],
  ['no charger is told of, full', { BAT0: battery('Full', { capacity: '100' }) }, 'mains', 100],
  ['held at its threshold', { BAT0: battery('Not charging', { capacity: '80' }) }, 'mains', 80],
  ['a battery that does not say what it does', { BAT0: battery('Unknown') }, 'unknown', 83],
  ['a mouse on a desktop', { mouse }, 'mains', null],
  [
    'a mouse beside a laptop that is plugged in',
    { AC: mains('1'), BAT0: battery('Full'), mouse },
    'mains',
    83,
  ],
  [
    'a mouse beside a laptop on battery',
    { AC: mains('0'), BAT0: battery('Discharging'), mouse },
    'battery',
    83,
  ],
  ['an empty bay is no battery', { BAT1: { type: 'Battery', present: '0' }, AC: mains('1') }, 'mains', null],
  [
    'an uninterruptible supply that has taken over',
    { ups: battery('Discharging', { type: 'UPS' }) },
    'battery',
    null,
  ],
  ['a supply that cannot be read', { BAT0: { present: '1' } }, 'unknown', null],
  ['one that can be read is plugged in', { AC: mains('1'), strange: {} }, 'mains', null],
  ['figures that are none', { AC: mains('yes'), BAT0: battery('', { capacity: 'NaN' }) }, 'unknown', null],
])('tells the power source: %s', async (_, supplies, source, batteryPercent) => {
  expect(await readPowerSupplies(makeTree(supplies))).toEqual({ source, batteryPercent });
});

test('several batteries count by what they hold', async () => {
  const large = battery('Discharging', { capacity: '90', energy_now: '45000000', energy_full: '50000000' });
  const small = battery('Unknown', { capacity: '10', energy_now: '1000000', energy_full: '10000000' });
  const reading = await readPowerSupplies(makeTree({ AC: mains('0'), BAT0: large, BAT1: small }));
  expect(reading).toEqual({ source: 'battery', batteryPercent: 77 });
});

test('several batteries of which one tells no energy are averaged, and one without any figure is unknown', async () => {
  const bare = (capacity: string): Files => battery('Discharging', { capacity });
  const one = battery('Discharging', { capacity: '60', energy_now: '6', energy_full: '10' });
  expect((await readPowerSupplies(makeTree({ BAT0: one, BAT1: bare('20') }))).batteryPercent).toBe(40);
  const silent = battery('Discharging', {});
  expect((await readPowerSupplies(makeTree({ BAT0: one, BAT1: silent }))).batteryPercent).toBe(null);
});

test('a single battery without a percentage is worked out, and never beyond 100', async () => {
  const worn = battery('Full', { charge_now: '5100000', charge_full: '5000000' });
  expect((await readPowerSupplies(makeTree({ BAT0: worn }))).batteryPercent).toBe(100);
});

test('a folder that cannot be read is unknown', async () => {
  expect(await readPowerSupplies('/nowhere/at/all')).toEqual({ source: 'unknown', batteryPercent: null });
});
