/** What Linux tells about the processes of an app: its descendants, and the TCP ports that they listen on. */
import fs from 'node:fs';
import { expect } from '@playwright/test';

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

/** Pids of living processes whose command line names this: those of an app and of its jobs name its data folder. */
export function processesWith(marker: string): number[] {
  if (process.platform !== 'linux') return [];
  return numbers('/proc').filter((pid) => {
    try {
      const commandLine = fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      const state = fs.readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\) /, '')[0];
      return commandLine.includes(marker) && state !== 'Z';
    } catch {
      return false;
    }
  });
}

/**
 * Ends every process of this data folder and then removes it. Chromium's own processes outlive the main one by a moment and
 * go on writing their caches, so the folder can only be emptied once all of them are gone.
 */
export async function removeDataFolder(dataFolder: string): Promise<void> {
  await expect
    .poll(
      () => {
        const left = processesWith(dataFolder);
        for (const pid of left) {
          try {
            process.kill(pid, 'SIGKILL');
          } catch {
            // It ended between the look and the signal.
          }
        }
        return left;
      },
      { message: 'every process of the data folder is gone', intervals: [10, 50] },
    )
    .toEqual([]);
  fs.rmSync(dataFolder, { recursive: true, force: true, maxRetries: 5 });
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
