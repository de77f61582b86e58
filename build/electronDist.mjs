/** What an unpacked Electron distribution looks like on this system, and where development files are cached. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/** @typedef {{ dist: string, executable: string, version: string, source: string }} ElectronDist */

/** Where the executable lies inside a distribution folder. @type {Partial<Record<NodeJS.Platform, string>>} */
const EXECUTABLE = { darwin: 'Electron.app/Contents/MacOS/Electron', win32: 'electron.exe' };

/**
 * Describes the distribution in `dist`, or answers null if there is no executable in it.
 * @param {string} dist
 * @param {string} source where it came from, in words
 * @returns {ElectronDist | null}
 */
export function describeDist(dist, source) {
  const executable = path.join(dist, EXECUTABLE[process.platform] ?? 'electron');
  const versionFile = path.join(dist, 'version');
  if (!fs.existsSync(executable) || !fs.existsSync(versionFile)) return null;
  return { dist, executable, version: fs.readFileSync(versionFile, 'utf8').trim().replace(/^v/, ''), source };
}

/** The user's cache folder for things that only development needs; BELFRY_DEV_CACHE overrides it. */
export function devCacheFolder() {
  if (process.env.BELFRY_DEV_CACHE) return path.resolve(process.env.BELFRY_DEV_CACHE);
  const base =
    process.platform === 'win32'
      ? (process.env.LOCALAPPDATA ?? path.join(os.homedir(), 'AppData', 'Local'))
      : (process.env.XDG_CACHE_HOME ?? path.join(os.homedir(), '.cache'));
  return path.join(base, 'belfry-dev');
}
