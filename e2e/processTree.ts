/** What Linux tells about the processes of an app: its descendants, and the TCP ports that they listen on. */
import fs from 'node:fs';

const numbers = (folder: string): number[] =>
  fs
    .readdirSync(folder)
    .filter((name) => /^\d+$/.test(name))
    .map(Number);

function parentOf(pid: number): number | null {
  try {
    const fields = fs
      .readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ');
    return Number(fields[1]);
  } catch {
    return null;
  }
}

/** `pid` and everything below it that is alive now. */
export function processTree(pid: number): number[] {
  const parents = new Map(numbers('/proc').map((each) => [each, parentOf(each)]));
  const found = [pid];
  for (const each of found) {
    for (const [child, parent] of parents) if (parent === each) found.push(child);
  }
  return found;
}

/** Ports in state LISTEN that belong to one of these processes. Throws if the kernel's tables cannot be read. */
export function listeningPorts(pids: readonly number[]): number[] {
  const LISTEN = '0A';
  const portOfInode = new Map<string, number>();
  for (const table of ['/proc/net/tcp', '/proc/net/tcp6']) {
    if (!fs.existsSync(table)) continue;
    for (const line of fs.readFileSync(table, 'utf8').split('\n').slice(1)) {
      const fields = line.trim().split(/\s+/);
      if (fields[3] !== LISTEN) continue;
      portOfInode.set(fields[9] ?? '', Number.parseInt(fields[1]?.split(':')[1] ?? '', 16));
    }
  }
  return pids.flatMap((pid) => openSockets(pid).flatMap((inode) => portOfInode.get(inode) ?? []));
}

function openSockets(pid: number): string[] {
  try {
    return numbers(`/proc/${pid}/fd`).flatMap((fd) => {
      try {
        return /^socket:\[(\d+)\]$/.exec(fs.readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1] ?? [];
      } catch {
        return [];
      }
    });
  } catch {
    return [];
  }
}
