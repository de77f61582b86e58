/**
 * Stands in for the default_app.asar of an official Electron: starts the application named on the command line, as in
 * `electron [-r module] [--switches] <path> [arguments]`.
 *
 * It must be an ES module that awaits the application at its top level: only then does Electron hold back `ready`.
 */
import fs from 'node:fs';
import Module from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { app } from 'electron/main';

/** Splits the command line into modules to preload and the application's path. */
function readCommandLine(argv) {
  const preloads = [];
  for (let i = 0; i < argv.length; i++) {
    const arg = argv[i];
    if (arg === '-r' || arg === '--require') {
      preloads.push(argv[i + 1]);
      i += 1;
    } else if (arg === '-v' || arg === '--version') {
      return { preloads, wantsVersion: true, target: null };
    } else if (!arg.startsWith('-')) {
      return { preloads, wantsVersion: false, target: path.resolve(arg) };
    }
  }
  return { preloads, wantsVersion: false, target: null };
}

/** Takes name, version and desktop name from the application's manifest, as Electron does for a packaged one. */
function describeApplication(target) {
  const manifestFile = path.join(target, 'package.json');
  if (!fs.existsSync(manifestFile)) return null;
  const manifest = JSON.parse(fs.readFileSync(manifestFile, 'utf8'));
  if (manifest.version) app.setVersion(manifest.version);
  if (manifest.productName ?? manifest.name) app.name = manifest.productName ?? manifest.name;
  app.setDesktopName?.(manifest.desktopName ?? `${app.name}.desktop`);
  return target;
}

function fail(message, error) {
  console.error(message, error ?? '');
  process.exit(1);
}

const { preloads, wantsVersion, target } = readCommandLine(process.argv.slice(1));
if (wantsVersion) {
  console.log(`v${process.versions.electron}`);
  process.exit(0);
}
if (target === null) fail('Usage: electron <application folder or script> [arguments]');
// Playwright hands its loader over in this way.
if (preloads.length > 0) Module._preloadModules(preloads);
Object.defineProperty(process, 'defaultApp', { value: true, enumerable: true });
try {
  const appPath = describeApplication(target);
  const main = Module._resolveFilename(target, null, true);
  app.setAppPath(appPath ?? path.dirname(main));
  await import(pathToFileURL(main).href);
} catch (error) {
  fail('The application failed to start:', error);
}
