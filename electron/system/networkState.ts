/**
 * Whether the machine has a network: an interface with an address that others could answer to. Bridges of containers, tunnels
 * and the like exist without any cable or Wi-Fi, so they do not count where that can be told.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { NetworkState } from '../../shared/model/machine';

/** Where Linux tells about interfaces and routes. */
export type NetworkPlaces = { readonly sys: string; readonly proc: string };
export const networkPlaces: NetworkPlaces = { sys: '/sys/class/net', proc: '/proc/net' };

type Address = { readonly address: string; readonly family: string; readonly internal: boolean };
export type Interfaces = Readonly<Record<string, readonly Address[] | undefined>>;

/** Up is also what the system cannot judge, as drivers of modems and some cards. */
const STATES_WITHOUT_LINK = ['down', 'lowerlayerdown', 'notpresent', 'dormant', 'testing'];
/** ARPHRD numbers of what needs another network below it: IP in IP, SIT, GRE, and plain tunnels as WireGuard's. */
const TUNNEL_TYPES = ['768', '769', '776', '778', '823', '65534'];
/** Virtual by name, for systems that do not tell more: sharing bridges, virtual machines, tunnels, links between Apple devices. */
const VIRTUAL_NAMES =
  /^(?:lo|docker|virbr|veth|br-|vmnet|vnic|vboxnet|bridge\d|utun|tun\d|wg\d|awdl|llw|anpi)|^vEthernet \(|Loopback|VirtualBox|VMware/i;

const RTF_UP = 0x1;
const RTF_REJECT = 0x200;

/** Never throws. Quick: a handful of small files that the kernel makes up. */
export function readNetworkState(
  platform: NodeJS.Platform,
  places: NetworkPlaces = networkPlaces,
  list: () => Interfaces = os.networkInterfaces,
): NetworkState {
  try {
    const names = Object.entries(list())
      .filter(([, addresses]) => addresses?.some(isUsable))
      .map(([name]) => name);
    const isReal = platform === 'linux' ? linuxJudge(places) : isRealByName;
    return names.some(isReal) ? 'up' : 'down';
  } catch {
    return 'unknown';
  }
}

/** An address that others can reach: not the machine itself, and not one that an interface gives itself. */
export function isUsable({ address, family, internal }: Address): boolean {
  if (internal) return false;
  return family === 'IPv4' ? !address.startsWith('169.254.') : !/^fe[89ab]/i.test(address);
}

const isRealByName = (name: string): boolean => !VIRTUAL_NAMES.test(name);

function linuxJudge({ sys, proc }: NetworkPlaces): (name: string) => boolean {
  if (!fs.existsSync(sys)) return isRealByName;
  let routed: Set<string> | null = null;
  return (name) => {
    const folder = path.join(sys, name);
    if (STATES_WITHOUT_LINK.includes(readText(path.join(folder, 'operstate')))) return false;
    // Real hardware, or what a virtual machine is given for it. A bridge or a pair into a container has none.
    if (fs.existsSync(path.join(folder, 'device'))) return true;
    if (TUNNEL_TYPES.includes(readText(path.join(folder, 'type')))) return false;
    // A bridge, bond or VLAN over a real one is known by the way out of this machine that goes over it.
    routed ??= defaultRoutes(proc);
    return routed.has(name);
  };
}

/** Interfaces that a default route goes over. */
function defaultRoutes(proc: string): Set<string> {
  const found = new Set<string>();
  for (const line of readText(path.join(proc, 'route')).split('\n')) {
    const [name, destination, , flags = '', , , , mask] = line.trim().split(/\s+/);
    if (name && destination === '00000000' && mask === '00000000' && isOpen(flags)) found.add(name);
  }
  for (const line of readText(path.join(proc, 'ipv6_route')).split('\n')) {
    const [destination = '', length, , , , , , , flags = '', name] = line.trim().split(/\s+/);
    if (name && /^0{32}$/.test(destination) && length === '00' && isOpen(flags)) found.add(name);
  }
  return found;
}

function isOpen(flagsText: string): boolean {
  const flags = Number.parseInt(flagsText, 16);
  return (flags & RTF_UP) !== 0 && (flags & RTF_REJECT) === 0;
}

function readText(file: string): string {
  try {
    return fs.readFileSync(file, 'utf8').trim();
  } catch {
    return '';
  }
}
