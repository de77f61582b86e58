/**
 * What the system tells about processes: when one began, its group, and which ones carry a mark in their environment.
 * Linux answers from /proc, macOS through `ps`. Where the system tells nothing the answer is "unknown", never "gone".
 */
import { execFile, execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';

/** S-28: asking is bounded, and failing to learn is an answer. */
const PS_MS_MAX = 1_000;
const PS_BYTES_MAX = 64 * 1024 * 1024;
/** A program begins within milliseconds of its exec, unless the machine is very busy. */
const EXEC_LOOK_MS = 2;
const EXEC_LOOKS_MAX = 250;
/** Fixed words and a fixed zone, so that the same process is always described by the same text (S-28). */
const PS_ENVIRONMENT = { LC_ALL: 'C', TZ: 'UTC', PATH: '/usr/bin:/bin' };

/** One process. `start` is in the system's own unit and only good for comparing. */
export type ProcessFacts = {
  readonly pid: number;
  readonly group: number;
  readonly start: string | null;
  /** A process that has ended and whose parent has not asked yet: dead for every purpose. */
  readonly isZombie: boolean;
};

export type Look =
  | { readonly kind: 'found'; readonly process: ProcessFacts }
  /** Proven: no process has this number. */
  | { readonly kind: 'absent' }
  | { readonly kind: 'unknown' };

export interface ProcessTable {
  look(pid: number): Look;
  /** Living processes whose environment has `entry` (NAME=value), or whose group is `group`. null: the system does not tell. */
  search(wanted: { entry: string; group: number | null }): Promise<MarkedProcess[] | null>;
}

export type MarkedProcess = ProcessFacts & { readonly hasEntry: boolean };

/** The table of the system this process runs on. */
export function createProcessTable(platform: NodeJS.Platform = process.platform): ProcessTable {
  if (platform === 'linux' && fs.existsSync('/proc/self/stat')) return procTable;
  return platform === 'win32' ? silentTable : psTable;
}

/** Reads a line of /proc/<pid>/stat: the name may hold spaces and brackets, so fields are counted from the last bracket. */
export function parseProcStat(line: string): ProcessFacts | null {
  const pid = Number.parseInt(line, 10);
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
  const state = fields[0];
  const group = Number(fields[2]);
  const start = fields[19];
  if (Number.isNaN(pid) || Number.isNaN(group) || state === undefined || start === undefined) return null;
  return { pid, group, start, isZombie: state === 'Z' || state === 'X' };
}

const procTable: ProcessTable = {
  look: (pid) => {
    try {
      const found = parseProcStat(fs.readFileSync(`/proc/${pid}/stat`, 'latin1'));
      return found === null ? { kind: 'unknown' } : { kind: 'found', process: found };
    } catch (error) {
      // /proc may be mounted so that it hides processes: only the kernel's own "no such process" is proof.
      const isMissing = isCode(error, 'ENOENT') || isCode(error, 'ESRCH');
      return isMissing && !existsByNumber(pid) ? { kind: 'absent' } : { kind: 'unknown' };
    }
  },
  search: async ({ entry, group }) => {
    const pids = (await fs.promises.readdir('/proc')).filter((name) => /^\d+$/.test(name));
    const found = await Promise.all(pids.map((pid) => readProc(pid, entry)));
    return found.filter((one) => one !== null).filter((one) => one.hasEntry || one.group === group);
  },
};

// Asynchronous throughout: reading the environment of a process that is stuck in the kernel can block.
async function readProc(pid: string, entry: string): Promise<MarkedProcess | null> {
  try {
    const facts = parseProcStat(await fs.promises.readFile(`/proc/${pid}/stat`, 'latin1'));
    if (facts === null || facts.isZombie) return null;
    // Not readable: it belongs to somebody else.
    const environment = await readEnvironment(pid).catch(() => '');
    return { ...facts, hasEntry: `\0${environment}\0`.includes(`\0${entry}\0`) };
  } catch {
    // It ended while we looked.
    return null;
  }
}

/** In the middle of exec a process has no environment yet, longer so under load: it is looked at again until it has. */
async function readEnvironment(pid: string): Promise<string> {
  for (let looks = 0; looks < EXEC_LOOKS_MAX; looks += 1) {
    const environment = await fs.promises.readFile(`/proc/${pid}/environ`, 'utf8');
    if (environment !== '') return environment;
    if (isBareForGood(await fs.promises.readFile(`/proc/${pid}/stat`, 'latin1'))) return '';
    await wait(EXEC_LOOK_MS);
  }
  return '';
}

/** Its environment has a place and no length; or it has no memory, like threads of the kernel and what is just ending. */
function isBareForGood(stat: string): boolean {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [memory, start, end] = [fields[20], fields[47], fields[48]];
  return memory === '0' || (start !== '0' && start === end);
}

const psTable: ProcessTable = {
  look: (pid) => {
    try {
      const text = execFileSync('ps', ['-o', 'pid=,pgid=,stat=,lstart=', '-p', String(pid)], {
        env: PS_ENVIRONMENT,
        encoding: 'utf8',
        timeout: PS_MS_MAX,
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      const found = parsePsLine(text);
      return found === null ? { kind: 'unknown' } : { kind: 'found', process: found };
    } catch {
      return existsByNumber(pid) ? { kind: 'unknown' } : { kind: 'absent' };
    }
  },
  search: async ({ entry, group }) => {
    try {
      // `e` prints the environment after the command, without the quoting that would tell them apart: enough for an entry
      // that holds a run's id.
      const { stdout } = await promisify(execFile)(
        'ps',
        ['axeww', '-o', 'pid=,pgid=,stat=,lstart=,command='],
        {
          env: PS_ENVIRONMENT,
          timeout: PS_MS_MAX,
          maxBuffer: PS_BYTES_MAX,
        },
      );
      return stdout
        .split('\n')
        .map((line) => ({ facts: parsePsLine(line), hasEntry: `${line} `.includes(` ${entry} `) }))
        .flatMap(({ facts, hasEntry }) => (facts === null || facts.isZombie ? [] : [{ ...facts, hasEntry }]))
        .filter((one) => one.hasEntry || one.group === group);
    } catch {
      return null;
    }
  },
};

/** Reads `pid pgid stat lstart` as `ps` prints them; lstart is five words. */
export function parsePsLine(line: string): ProcessFacts | null {
  const match = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(\S+\s+\S+\s+\S+\s+\S+\s+\S+)/.exec(line);
  if (match === null) return null;
  const [, pid, group, state = '', start = ''] = match;
  return {
    pid: Number(pid),
    group: Number(group),
    start: start.replaceAll(/\s+/g, ' '),
    isZombie: state.startsWith('Z'),
  };
}

/** Windows tells none of this without native code. */
const silentTable: ProcessTable = {
  look: (pid) => (existsByNumber(pid) ? { kind: 'unknown' } : { kind: 'absent' }),
  search: async () => null,
};

function existsByNumber(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it exists and belongs to somebody else.
    return !isCode(error, 'ESRCH');
  }
}

const isCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code;
