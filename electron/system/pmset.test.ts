import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { askPmset, parsePmset } from './pmset';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) fs.rmSync(folder, { recursive: true, force: true });
});

const PLUGGED_IN = `Now drawing from 'AC Power'
 -InternalBattery-0 (id=4653155)\t100%; charged; 0:00 remaining present: true
`;
const ON_BATTERY = `Now drawing from 'Battery Power'
 -InternalBattery-0 (id=4653155)\t83%; discharging; 5:12 remaining present: true
`;

test.each([
  ['a laptop that is plugged in', PLUGGED_IN, 'mains', 100],
  ['a laptop on battery', ON_BATTERY, 'battery', 83],
  ['a Mac without a battery', "Now drawing from 'AC Power'\n", 'mains', null],
  [
    'an uninterruptible supply that has taken over',
    "Now drawing from 'UPS Power'\n -Back-UPS ES 700 \t70%; discharging; 0:20 remaining present: true\n",
    'battery',
    null,
  ],
  ['nothing', '', 'unknown', null],
  ['another language or version', 'Strom kommt aus der Wand\n', 'unknown', null],
])('reads what pmset says: %s', (_, text, source, batteryPercent) => {
  expect(parsePmset(text)).toEqual({ source, batteryPercent });
});

function makeProgram(script: string): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'belfry-pmset-'));
  folders.push(folder);
  const program = path.join(folder, 'pmset');
  fs.writeFileSync(program, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return program;
}

test.skipIf(process.platform === 'win32')(
  'asks the program, and takes whatever goes wrong as unknown',
  async () => {
    const unknown = { source: 'unknown', batteryPercent: null };
    const right = makeProgram(`[ "$*" = "-g batt" ] && printf '%s' "${ON_BATTERY}"`);
    expect(await askPmset(right)).toEqual({ source: 'battery', batteryPercent: 83 });
    expect(await askPmset(makeProgram('exit 3'))).toEqual(unknown);
    expect(await askPmset('/nowhere/pmset')).toEqual(unknown);
  },
);
