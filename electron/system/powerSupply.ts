/**
 * Power as Linux tells it in /sys/class/power_supply. A battery in a mouse or headset (scope Device) is not the laptop's, and
 * a charger on a USB-C port counts as mains (product.md, complaint 39). What cannot be read is unknown.
 */
import fs from 'node:fs/promises';
import path from 'node:path';
import type { PowerSource } from '../../shared/model/machine';

export const POWER_SUPPLY_FOLDER = '/sys/class/power_supply';

export type PowerReading = {
  readonly source: PowerSource;
  /** 0 to 100, all batteries together; null for none or unknown. */
  readonly batteryPercent: number | null;
};

export const unknownPower: PowerReading = { source: 'unknown', batteryPercent: null };

type Supply = {
  readonly type: string;
  readonly online: number | null;
  readonly status: string;
  readonly percent: number | null;
  /** Present and full energy in one unit of its own kind; null where the driver has none. */
  readonly energy: { readonly now: number; readonly full: number } | null;
};

/** Reads all supplies. Never throws; a folder that cannot be read is unknown, an empty one is a computer without a battery. */
export async function readPowerSupplies(folder: string): Promise<PowerReading> {
  let names: string[];
  try {
    names = await fs.readdir(folder);
  } catch {
    return unknownPower;
  }
  const supplies = await Promise.all(names.map((name) => readSupply(path.join(folder, name))));
  // One that cannot be read at all may be what decides.
  const isWhole = !supplies.includes('unreadable');
  return judge(
    supplies.filter((supply) => typeof supply === 'object' && supply !== null),
    isWhole,
  );
}

function judge(supplies: readonly Supply[], isWhole: boolean): PowerReading {
  const batteries = supplies.filter(isBattery);
  const chargers = supplies.filter((supply) => !isBattery(supply));
  const batteryPercent = percentOf(batteries);
  const answer = (source: PowerSource): PowerReading => ({ source, batteryPercent });
  // 2 is "online, programmable", as chargers on USB-C are.
  if (chargers.some(({ online }) => online !== null && online > 0)) return answer('mains');
  if (!isWhole) return answer('unknown');
  if (batteries.length === 0) return answer('mains');
  if (batteries.some(({ status }) => status === 'Discharging')) return answer('battery');
  // Some firmware tells of the round socket only, and is charged through another one.
  if (batteries.some(({ status }) => status === 'Charging')) return answer('mains');
  if (chargers.some(({ online }) => online === 0)) return answer('battery');
  // No charger is told of: then the battery's own state is all there is.
  return answer(
    batteries.every(({ status }) => status === 'Full' || status === 'Not charging') ? 'mains' : 'unknown',
  );
}

// An uninterruptible supply that has taken over is a battery too.
const isBattery = ({ type }: Supply): boolean => type === 'Battery' || type === 'UPS';

/** null for what is none of the computer's own supplies: a device's battery, an empty bay, an entry that just went away. */
async function readSupply(folder: string): Promise<Supply | 'unreadable' | null> {
  const read = (name: string): Promise<string | null> =>
    fs.readFile(path.join(folder, name), 'utf8').then(
      (text) => text.trim(),
      () => null,
    );
  const [type, scope, present] = await Promise.all([read('type'), read('scope'), read('present')]);
  if (scope === 'Device' || present === '0') return null;
  if (type === null) {
    const isThere = await fs.access(folder).then(
      () => true,
      () => false,
    );
    return isThere ? 'unreadable' : null;
  }
  const names = ['online', 'status', 'capacity', 'energy_now', 'energy_full', 'charge_now', 'charge_full'];
  const [online, status, capacity, energyNow, energyFull, chargeNow, chargeFull] = await Promise.all(
    names.map(read),
  );
  return {
    type,
    online: asNumber(online),
    status: status ?? 'Unknown',
    percent: asNumber(capacity),
    energy: pairOf(energyNow, energyFull) ?? pairOf(chargeNow, chargeFull),
  };
}

/** The rest of all batteries as a whole, so that a small second one counts for what it holds. */
function percentOf(batteries: readonly Supply[]): number | null {
  const [only] = batteries;
  // The system's own figure is the one that the user sees elsewhere.
  if (batteries.length === 1 && only?.percent != null) return bounded(only.percent);
  let now = 0;
  let full = 0;
  for (const { energy } of batteries) {
    if (energy === null) return meanPercent(batteries);
    now += energy.now;
    full += energy.full;
  }
  return full > 0 ? bounded((now / full) * 100) : meanPercent(batteries);
}

function meanPercent(batteries: readonly Supply[]): number | null {
  const known = batteries.flatMap(({ percent }) => percent ?? []);
  if (known.length === 0 || known.length < batteries.length) return null;
  return bounded(known.reduce((sum, percent) => sum + percent, 0) / known.length);
}

const bounded = (percent: number): number => Math.min(100, Math.max(0, Math.round(percent)));

function asNumber(text: string | null | undefined): number | null {
  return text != null && /^-?\d+$/.test(text) ? Number(text) : null;
}

function pairOf(nowText: string | null | undefined, fullText: string | null | undefined): Supply['energy'] {
  const [now, full] = [asNumber(nowText), asNumber(fullText)];
  return now !== null && full !== null && now >= 0 && full > 0 ? { now, full } : null;
}
