import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { isZone } from '../../shared/schedule/zone';
import { createHost, currentZone, judge } from './host';
import { createProcessTable, type Look } from './processTable';

const here = (look: Look, bootId: string | null = 'boot-1') => ({
  nodeId: 'node-1',
  bootId,
  processes: { look: () => look },
});
const found = (start: string | null, isZombie = false): Look => ({
  kind: 'found',
  process: { pid: 77, group: 77, start, isZombie },
});
const other = { nodeId: 'node-1', bootId: 'boot-1', pid: 77, processStart: '100' } as const;

test.each([
  ['the same process', other, here(found('100')), 'alive'],
  ['the pid now belongs to another process (X-41, C-068)', other, here(found('200')), 'dead'],
  ['no such pid', other, here({ kind: 'absent' }), 'dead'],
  ['another boot, although the pid lives (X-40)', { ...other, bootId: 'boot-0' }, here(found('100')), 'dead'],
  ['a zombie', other, here(found('100', true)), 'dead'],
  ['another machine', { ...other, nodeId: 'node-2' }, here({ kind: 'absent' }), 'unknown'],
  ['the system does not tell', other, here({ kind: 'unknown' }), 'unknown'],
  ['our own record has no start', { ...other, processStart: null }, here(found('100')), 'unknown'],
  ['the system has no start', other, here(found(null)), 'unknown'],
  ['no boot id anywhere', { ...other, bootId: null }, here(found('100'), null), 'unknown'],
  ['no boot id, another start', { ...other, bootId: null }, here(found('200'), null), 'dead'],
] as const)('judges whether a process lives: %s (S-28)', (_, identity, surroundings, expected) => {
  expect(judge(identity, surroundings)).toBe(expected);
});

test.skipIf(process.platform === 'win32')('this process is alive by its own identity', () => {
  const host = createHost({ nodeId: 'node-1', processes: createProcessTable() });
  expect(host.pid).toBe(process.pid);
  expect(host.bootId).toMatch(/^[0-9a-fA-F-]{36}$/);
  expect(host.isAlive(host)).toBe('alive');
  expect(host.isAlive({ ...host, processStart: '1' })).toBe('dead');
  expect(host.uptimeMs()).toBeGreaterThan(0);
});

test.each([
  ['TZ names a zone', 'Europe/Berlin', '/usr/share/zoneinfo/Asia/Tokyo', 'Europe/Berlin'],
  ['TZ with a colon', ':Europe/Berlin', null, 'Europe/Berlin'],
  ['TZ is nonsense', 'Nowhere/Place', '/usr/share/zoneinfo/Asia/Tokyo', 'Asia/Tokyo'],
  [
    'the link of Linux',
    undefined,
    '../usr/share/zoneinfo/America/Argentina/Ushuaia',
    'America/Argentina/Ushuaia',
  ],
  ['the link of macOS', undefined, '/var/db/timezone/zoneinfo/Europe/Rome', 'Europe/Rome'],
  ['a link into posix', undefined, '/usr/share/zoneinfo/posix/Europe/Rome', 'Europe/Rome'],
])('tells the zone in force: %s', (_, tz, link, expected) => {
  expect(currentZone(tz, link, 'America/Lima')).toBe(expected);
});

test.each([
  ['the runtime has a name', 'Asia/Tokyo', 'Asia/Tokyo'],
  ['the runtime has no name', undefined, 'UTC'],
  ['the runtime has an offset, which follows no clock changes', '+02:00', 'UTC'],
])('falls back to the zone of the runtime, and to UTC: %s (H-81)', (_, runtimeZone, expected) => {
  expect(currentZone(undefined, null, runtimeZone)).toBe(expected);
  expect(currentZone('', '/somewhere/else', runtimeZone)).toBe(expected);
  expect(currentZone('+02:00', '/usr/share/zoneinfo/+02:00', runtimeZone)).toBe(expected);
});

test('the zone in force is always one that schedules take, even where the runtime knows no name (H-81)', () => {
  const script = 'process.stdout.write(String(Intl.DateTimeFormat().resolvedOptions().timeZone))';
  const runtimeZone = execFileSync(process.execPath, ['-e', script], {
    encoding: 'utf8',
    env: { TZ: 'UTC+2' },
  });
  const believed = runtimeZone === 'undefined' ? undefined : runtimeZone;
  expect(isZone(currentZone('UTC+2', null, believed))).toBe(true);
});
