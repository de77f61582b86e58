/** Power as macOS tells it: the text of `pmset -g batt`. Devices on Bluetooth are not in it. */
import { execFile } from 'node:child_process';
import { type PowerReading, unknownPower } from './powerSupply';

const PMSET = '/usr/bin/pmset';
const PMSET_MS_MAX = 2_000;

/** Asks the system. Never throws; whatever goes wrong is unknown. */
export const askPmset = (program: string = PMSET): Promise<PowerReading> =>
  new Promise((resolve) => {
    const options = { timeout: PMSET_MS_MAX, killSignal: 'SIGKILL', env: { LC_ALL: 'C' } } as const;
    execFile(program, ['-g', 'batt'], options, (error, text) => {
      resolve(error === null ? parsePmset(text) : unknownPower);
    });
  });

/** `UPS Power` is the battery of an uninterruptible supply that has taken over. */
export function parsePmset(text: string): PowerReading {
  const drawnFrom = /^Now drawing from '(AC|Battery|UPS) Power'/m.exec(text)?.[1];
  const percents = [...text.matchAll(/^ -InternalBattery\S*.*?\t(\d{1,3})%/gm)].map((match) =>
    Number(match[1]),
  );
  const batteryPercent =
    percents.length === 0
      ? null
      : Math.min(100, Math.round(percents.reduce((sum, percent) => sum + percent, 0) / percents.length));
  if (drawnFrom === undefined) return { ...unknownPower, batteryPercent };
  return { source: drawnFrom === 'AC' ? 'mains' : 'battery', batteryPercent };
}
