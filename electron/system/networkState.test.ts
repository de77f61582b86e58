/** Each case is what the kernel shows of interfaces and routes, in folders laid out as its own. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { type Interfaces, isUsable, readNetworkState } from './networkState';

type Card = { readonly operstate?: string; readonly type?: string; readonly isHardware?: boolean };

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) fs.rmSync(folder, { recursive: true, force: true });
});

function makePlaces(cards: Readonly<Record<string, Card>>, routes: { v4?: string; v6?: string } = {}) {
  const root = fs.mkdtempSync(path.join(os.tmpdir(), 'belfry-network-'));
  folders.push(root);
  const [sys, proc] = [path.join(root, 'sys'), path.join(root, 'proc')];
  fs.mkdirSync(sys);
  fs.mkdirSync(proc);
  for (const [name, { operstate = 'up', type = '1', isHardware = false }] of Object.entries(cards)) {
    fs.mkdirSync(path.join(sys, name, ...(isHardware ? ['device'] : [])), { recursive: true });
    fs.writeFileSync(path.join(sys, name, 'operstate'), `${operstate}\n`);
    fs.writeFileSync(path.join(sys, name, 'type'), `${type}\n`);
  }
  const heading = 'Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT';
  fs.writeFileSync(path.join(proc, 'route'), `${heading}\n${routes.v4 ?? ''}\n`);
  fs.writeFileSync(path.join(proc, 'ipv6_route'), `${routes.v6 ?? ''}\n`);
  return { sys, proc };
}

const address = (text: string) => ({
  address: text,
  family: text.includes(':') ? 'IPv6' : 'IPv4',
  internal: text === '127.0.0.1' || text === '::1',
});
const list =
  (interfaces: Record<string, string[]>): (() => Interfaces) =>
  () =>
    Object.fromEntries(Object.entries(interfaces).map(([name, texts]) => [name, texts.map(address)]));

const lo = ['127.0.0.1', '::1'];
const wifi: Card = { isHardware: true };
const v4Default = (name: string, flags = '0003'): string =>
  `${name}\t00000000\t0102A8C0\t${flags}\t0\t0\t600\t00000000\t0\t0\t0`;
const v6Default = (name: string, flags = '00450003'): string => {
  const none = '0'.repeat(32);
  return `${none} 00 ${none} 00 fe800000000000000000000000000001 00000400 00000001 00000000 ${flags} ${name}`;
};

test.each([
  ['192.168.1.2', true],
  ['fd00::1', true],
  ['2001:db8::1', true],
  ['127.0.0.1', false],
  ['169.254.7.7', false],
  ['fe80::1', false],
  ['febf::1', false],
  ['::1', false],
])('an address that others can reach: %s is %s', (text, expected) => {
  expect(isUsable(address(text))).toBe(expected);
});

test.each<[string, Record<string, string[]>, () => ReturnType<typeof makePlaces>, string]>([
  ['only the machine itself', { lo }, () => makePlaces({}), 'down'],
  ['Wi-Fi', { lo, wlan0: ['192.168.1.2'] }, () => makePlaces({ wlan0: wifi }), 'up'],
  ['Wi-Fi with IPv6 alone', { wlan0: ['2001:db8::2'] }, () => makePlaces({ wlan0: wifi }), 'up'],
  [
    'Wi-Fi that has given itself an address',
    { wlan0: ['169.254.3.4', 'fe80::2'] },
    () => makePlaces({ wlan0: wifi }),
    'down',
  ],
  [
    'a cable that is pulled out, its address still there',
    { eth0: ['192.168.1.2'] },
    () => makePlaces({ eth0: { ...wifi, operstate: 'down' } }, { v4: v4Default('eth0') }),
    'down',
  ],
  [
    'a card that does not tell its state',
    { usb0: ['10.0.0.2'] },
    () => makePlaces({ usb0: { ...wifi, operstate: 'unknown' } }),
    'up',
  ],
  [
    'a bridge of containers that rest',
    { docker0: ['172.17.0.1'] },
    () => makePlaces({ docker0: { operstate: 'down' } }),
    'down',
  ],
  ['a bridge of containers that run', { docker0: ['172.17.0.1'] }, () => makePlaces({ docker0: {} }), 'down'],
  [
    'a bridge over the real card',
    { br0: ['192.168.1.2'] },
    () => makePlaces({ br0: {}, eth0: wifi }, { v4: v4Default('br0') }),
    'up',
  ],
  [
    'a bridge over the real card, IPv6 alone',
    { br0: ['2001:db8::2'] },
    () => makePlaces({ br0: {} }, { v6: v6Default('br0') }),
    'up',
  ],
  [
    'a route that refuses is no way out',
    { br0: ['192.168.1.2'] },
    () => makePlaces({ br0: {} }, { v4: v4Default('br0', '0201'), v6: v6Default('br0', '00200200') }),
    'down',
  ],
  [
    'a VPN with nothing below it',
    { wg0: ['10.8.0.2'] },
    () => makePlaces({ wg0: { operstate: 'unknown', type: '65534' } }, { v4: v4Default('wg0', '0001') }),
    'down',
  ],
  [
    'a modem',
    { ppp0: ['10.64.0.2'] },
    () => makePlaces({ ppp0: { operstate: 'unknown', type: '512' } }, { v4: v4Default('ppp0', '0001') }),
    'up',
  ],
  [
    'a modem of its own sort',
    { wwan0: ['10.64.0.2'] },
    () => makePlaces({ wwan0: { ...wifi, operstate: 'unknown', type: '65534' } }),
    'up',
  ],
  [
    'a container sees its own pair as the way out',
    { eth0: ['172.17.0.2'] },
    () => makePlaces({ eth0: {} }, { v4: v4Default('eth0') }),
    'up',
  ],
])('tells whether there is a network: %s', (_, interfaces, places, expected) => {
  expect(readNetworkState('linux', places(), list(interfaces))).toBe(expected);
});

test.each([
  ['Wi-Fi', { lo0: lo, en0: ['192.168.1.2'] }, 'up'],
  [
    'a VPN, a sharing bridge and links between devices',
    { utun3: ['100.64.0.1'], bridge100: ['192.168.64.1'] },
    'down',
  ],
  ['virtual machines', { vmnet8: ['172.16.0.1'] }, 'down'],
])('goes by the name where the system tells no more: %s', (_, interfaces, expected) => {
  expect(readNetworkState('darwin', { sys: '/nowhere', proc: '/nowhere' }, list(interfaces))).toBe(expected);
  expect(readNetworkState('linux', { sys: '/nowhere', proc: '/nowhere' }, list(interfaces))).toBe(expected);
});

test('Windows has switches for virtual machines', () => {
  const cards = { 'vEthernet (WSL)': ['172.20.0.1'], 'VirtualBox Host-Only Network': ['192.168.56.1'] };
  const places = { sys: '/nowhere', proc: '/nowhere' };
  expect(readNetworkState('win32', places, list(cards))).toBe('down');
  expect(readNetworkState('win32', places, list({ ...cards, 'Wi-Fi': ['192.168.1.2'] }))).toBe('up');
});

test('a system that does not list its interfaces is unknown', () => {
  const refuse = (): never => {
    throw new Error('EACCES');
  };
  expect(readNetworkState('linux', makePlaces({}), refuse)).toBe('unknown');
});

test('the machine of this test has an answer', () => {
  expect(['up', 'down']).toContain(readNetworkState(process.platform));
});
