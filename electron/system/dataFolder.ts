/**
 * Where Belfry keeps its data. App and agent must come to the same answer, so it is computed here and never asked of
 * Electron. The folder is for its owner alone (D2, security.md 4.13).
 */
import fs from 'node:fs';
import path from 'node:path';

const NAME = 'Belfry';
const SWITCH = '--user-data-dir=';

/** What the place depends on; all of it is given, so that every system can be tested on any other. */
export type Surroundings = {
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly workingFolder: string;
  /** Arguments of the process, of which the last `--user-data-dir=` counts, as in Chromium. */
  readonly argv: readonly string[];
};

/** The full path of the data folder. It need not exist. */
export function dataFolder({ platform, env, home, workingFolder, argv }: Surroundings): string {
  const paths = platform === 'win32' ? path.win32 : path.posix;
  const chosen = argv.findLast((argument) => argument.startsWith(SWITCH))?.slice(SWITCH.length);
  if (chosen) return paths.resolve(workingFolder, chosen);
  switch (platform) {
    case 'win32':
      return paths.join(env.APPDATA || paths.join(home, 'AppData', 'Roaming'), NAME);
    case 'darwin':
      return paths.join(home, 'Library', 'Application Support', NAME);
    default: {
      // The XDG rule: a relative path counts as not set.
      const configured = env.XDG_CONFIG_HOME ?? '';
      return paths.join(paths.isAbsolute(configured) ? configured : paths.join(home, '.config'), NAME);
    }
  }
}

/** Makes the folder if it is missing and takes it away from everybody else (mode 0700). Throws as `mkdir` does. */
export function ensurePrivateFolder(folder: string): void {
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (process.platform !== 'win32' && (fs.statSync(folder).mode & 0o077) !== 0) fs.chmodSync(folder, 0o700);
}
