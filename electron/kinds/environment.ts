/**
 * The environment of a job: the user's own, without what Electron, npm or a package launcher put into Belfry's, with the
 * job's variables and the facts about the run (security.md 4.12). Unknown variables are kept.
 */
import path from 'node:path';
import type { EnvironmentMode } from '../../shared/kinds/where';

/** Where programs are looked for without a PATH, as shells do it. */
export const PATH_DEFAULT = '/usr/local/bin:/usr/bin:/bin';

/** Names that belong to Belfry, Electron or their launcher. Exact, or a prefix where they end in `*`. */
const REMOVED = [
  'APPDIR',
  'APPIMAGE',
  'ARGV0',
  'BELFRY_*',
  'CHROME_*',
  'ELECTRON_*',
  'GDK_PIXBUF_*',
  'NODE_EXTRA_CA_CERTS',
  'NODE_OPTIONS',
  'NPM_*',
  // The value that Electron replaced, put back below.
  'ORIGINAL_XDG_CURRENT_DESKTOP',
  // Would name a folder that the job has nothing to do with.
  'OLDPWD',
  'OWD',
  'SNAP',
  // Not `SNAP*`: SNAPSHOT_DIR is the user's.
  'SNAP_*',
];

/** What a minimal environment keeps of the user's: who and where, and the language. Prefix where it ends in `*`. */
const MINIMAL = ['HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'LANGUAGE', 'LC_*', 'TMPDIR', 'TZ'];
/** Without these Windows starts hardly any program. */
const MINIMAL_WINDOWS = ['SYSTEMROOT', 'SYSTEMDRIVE', 'WINDIR', 'COMSPEC', 'PATHEXT', 'TEMP', 'TMP'];
const MINIMAL_WINDOWS_USER = ['USERNAME', 'USERPROFILE', 'APPDATA', 'LOCALAPPDATA'];
const MINIMAL_PATH = '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin';

/** What npm sets besides `npm_*`; without npm these names are the user's own. */
const REMOVED_UNDER_NPM = ['COLOR', 'INIT_CWD', 'NODE'];

export type Variable = { readonly name: string; readonly value: string };

export type EnvironmentParts = {
  /** Belfry's own environment. */
  readonly base: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  readonly mode: EnvironmentMode;
  /** The job's variables; a later one of the same name wins. */
  readonly variables: readonly Variable[];
  /** Folders with programs that a desktop start leaves out of PATH. Appended, so that they replace nothing. */
  readonly usualFolders: readonly string[];
};

/** What a run tells its command. Set last, because finding leftovers depends on BELFRY_RUN_ID (D10). */
export type RunFacts = {
  readonly runId: string;
  readonly jobId: string;
  readonly jobName: string;
  readonly trigger: string;
  readonly plannedAt: number | null;
  readonly attemptNumber: number;
  readonly lateMs: number | null;
};

/** The environment in which a job's programs are looked up and started, without the facts about one run. */
export function jobEnvironment({
  base,
  platform,
  mode,
  variables,
  usualFolders,
}: EnvironmentParts): Record<string, string> {
  const isWindows = platform === 'win32';
  const environment = mode === 'own' ? {} : withoutLauncher(base, isWindows);
  if (mode === 'minimal') keepMinimal(environment, isWindows);
  if (mode === 'terminal') addFolders(environment, usualFolders, isWindows);
  for (const { name, value } of variables) environment[nameIn(environment, name, isWindows)] = value;
  return environment;
}

function keepMinimal(environment: Record<string, string>, isWindows: boolean): void {
  const kept = isWindows ? [...MINIMAL, ...MINIMAL_WINDOWS, ...MINIMAL_WINDOWS_USER] : MINIMAL;
  for (const name of Object.keys(environment)) {
    const compared = isWindows ? name.toUpperCase() : name;
    const isKept = kept.some((entry) =>
      entry.endsWith('*') ? compared.startsWith(entry.slice(0, -1)) : compared === entry,
    );
    if (!isKept) delete environment[name];
  }
  const root = environment[nameIn(environment, 'SYSTEMROOT', isWindows)] ?? 'C:\\Windows';
  environment.PATH = isWindows ? `${root}\\System32;${root}` : MINIMAL_PATH;
}

function addFolders(
  environment: Record<string, string>,
  usualFolders: readonly string[],
  isWindows: boolean,
): void {
  const pathName = nameIn(environment, 'PATH', isWindows);
  const delimiter = isWindows ? ';' : ':';
  const folders = (environment[pathName] || (isWindows ? '' : PATH_DEFAULT)).split(delimiter);
  const missing = usualFolders.filter((folder) => !folders.includes(folder));
  environment[pathName] = [...folders, ...missing].join(delimiter);
}

/** The variables documented for jobs, as the command sees them. Times are ISO 8601 in UTC. */
export function runVariables(facts: RunFacts): Record<string, string> {
  return {
    BELFRY_RUN_ID: facts.runId,
    BELFRY_JOB_ID: facts.jobId,
    // A name may hold anything that a person can type, but an environment cannot hold NUL.
    BELFRY_JOB_NAME: facts.jobName.replaceAll('\0', ''),
    BELFRY_TRIGGER: facts.trigger,
    BELFRY_ATTEMPT: String(facts.attemptNumber),
    ...(facts.plannedAt === null ? {} : { BELFRY_PLANNED_AT: new Date(facts.plannedAt).toISOString() }),
    ...(facts.lateMs === null ? {} : { BELFRY_LATE_MS: String(facts.lateMs) }),
  };
}

/** Where people keep programs, by system. Only those that exist are worth adding. */
export const usualProgramFolders = (home: string, platform: NodeJS.Platform): string[] =>
  platform === 'win32'
    ? []
    : [
        '/usr/local/bin',
        ...(platform === 'darwin' ? ['/opt/homebrew/bin'] : []),
        path.posix.join(home, '.local', 'bin'),
        path.posix.join(home, 'bin'),
      ];

function withoutLauncher(base: EnvironmentParts['base'], isWindows: boolean): Record<string, string> {
  const isUnderNpm = base.npm_lifecycle_event !== undefined;
  const removed = isUnderNpm ? [...REMOVED, ...REMOVED_UNDER_NPM] : REMOVED;
  const isRemoved = (name: string): boolean => {
    // npm writes its names in lower case everywhere; the others are exact, except where the system ignores case.
    const compared = isWindows || name.startsWith('npm_') ? name.toUpperCase() : name;
    return removed.some((entry) =>
      entry.endsWith('*') ? compared.startsWith(entry.slice(0, -1)) : compared === entry,
    );
  };
  // AppImage and snap put folders of their own mount in front of lists such as LD_LIBRARY_PATH and XDG_DATA_DIRS.
  const mounts = [base.APPDIR, base.SNAP].filter((mount) => mount?.startsWith('/'));
  const isOfLauncher = (entry: string): boolean =>
    mounts.some((mount) => entry === mount || entry.startsWith(`${mount}/`)) ||
    (isUnderNpm && /[/\\](node_modules[/\\]\.bin|node-gyp-bin)$/.test(entry));

  const environment: Record<string, string> = {};
  for (const [name, value] of Object.entries(base)) {
    if (value === undefined || isRemoved(name)) continue;
    const entries = value.split(isWindows ? ';' : ':');
    const kept = entries.filter((entry) => !isOfLauncher(entry));
    if (kept.length === entries.length) environment[name] = value;
    else if (kept.some((entry) => entry !== '')) environment[name] = kept.join(isWindows ? ';' : ':');
  }
  if (base.ORIGINAL_XDG_CURRENT_DESKTOP !== undefined) {
    environment.XDG_CURRENT_DESKTOP = base.ORIGINAL_XDG_CURRENT_DESKTOP;
  }
  return environment;
}

// Windows keeps one variable however its name is spelled; elsewhere `Path` and `PATH` are two.
const nameIn = (environment: Record<string, string>, name: string, isWindows: boolean): string =>
  isWindows
    ? (Object.keys(environment).find((known) => known.toUpperCase() === name.toUpperCase()) ?? name)
    : name;
