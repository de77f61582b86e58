/**
 * Who and where this process is: node, boot, pid and start time, compared as a whole because a bare pid proves nothing
 * (X-41, S-28). What cannot be learned is null, and a comparison with null never proves a death.
 */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import { isZone } from '../../shared/schedule/zone';
import type { Host } from '../ports/world';
import type { ProcessTable } from './processTable';

const BOOT_ID_FILE = '/proc/sys/kernel/random/boot_id';
const SYSCTL_MS_MAX = 1_000;

/** The host this process runs on. `nodeId` is made once per installation and kept by the caller. */
export function createHost({ nodeId, processes }: { nodeId: string; processes: ProcessTable }): Host {
  const bootId = readBootId();
  const own = processes.look(process.pid);
  return {
    nodeId,
    bootId,
    pid: process.pid,
    processStart: own.kind === 'found' ? own.process.start : null,
    zone: () => currentZone(process.env.TZ, readZoneLink(), runtimeZone()),
    uptimeMs: () => Math.round(os.uptime() * 1_000),
    isAlive: (other) => judge(other, { nodeId, bootId, processes }),
  };
}

/** The rule behind `Host.isAlive`: `dead` needs proof, everything doubtful is `unknown`. */
export function judge(
  other: Parameters<Host['isAlive']>[0],
  here: { nodeId: string; bootId: string | null; processes: Pick<ProcessTable, 'look'> },
): 'alive' | 'dead' | 'unknown' {
  if (other.nodeId !== here.nodeId) return 'unknown';
  const areBootsKnown = other.bootId !== null && here.bootId !== null;
  if (areBootsKnown && other.bootId !== here.bootId) return 'dead';
  const seen = here.processes.look(other.pid);
  if (seen.kind === 'absent') return 'dead';
  if (seen.kind === 'unknown') return 'unknown';
  if (seen.process.isZombie) return 'dead';
  if (other.processStart === null || seen.process.start === null) return 'unknown';
  if (other.processStart !== seen.process.start) return 'dead';
  // Start times count from the boot, so without a boot id an equal one proves little.
  return areBootsKnown ? 'alive' : 'unknown';
}

function readBootId(): string | null {
  try {
    if (process.platform === 'linux') return fs.readFileSync(BOOT_ID_FILE, 'utf8').trim();
    if (process.platform === 'darwin') {
      const text = execFileSync('/usr/sbin/sysctl', ['-n', 'kern.bootsessionuuid'], {
        encoding: 'utf8',
        timeout: SYSCTL_MS_MAX,
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      return text.trim() || null;
    }
    return null;
  } catch {
    return null;
  }
}

// The runtime remembers the zone it started in. The link is read anew because a laptop travels while Belfry runs.
function readZoneLink(): string | null {
  try {
    return fs.readlinkSync('/etc/localtime');
  } catch {
    return null;
  }
}

// The types promise a name; the runtime has none for TZ=UTC+2.
const runtimeZone = (): string | undefined => Intl.DateTimeFormat().resolvedOptions().timeZone;

/**
 * The zone in force: TZ if it names one, else where /etc/localtime points, else what the runtime believes. Always a name that
 * schedules know: a runtime may have none (TZ=UTC+2), and then it is UTC.
 */
export function currentZone(
  tz: string | undefined,
  link: string | null,
  runtimeZone: string | undefined,
): string {
  const linked =
    link === null ? undefined : /zoneinfo(?:\.default)?\/(?:posix\/|right\/)?(.+)$/.exec(link)?.[1];
  const known = [tz?.replace(/^:/, ''), linked, runtimeZone].find(
    (name) => name !== undefined && isZone(name),
  );
  return known ?? 'UTC';
}
