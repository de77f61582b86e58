/**
 * Installs the npm packages of the lock file where they are missing or out of date.
 *
 * A stamp inside node_modules says for which lock file they were installed. `npm ci` begins by removing the folder
 * and the stamp is written last, so an interrupted installation is never taken for a finished one.
 */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { npmCommand, runStep } from './processes.mjs';

const STAMP = 'node_modules/.belfry-installed';

/**
 * @param {string} root the working copy
 * @param {(message: string) => void} say
 */
export async function installDependencies(root, say) {
  const stampFile = path.join(root, STAMP);
  const wanted = createHash('sha256')
    .update(fs.readFileSync(path.join(root, 'package-lock.json')))
    .update(`${process.platform}-${process.arch}`)
    .digest('hex');
  if (fs.existsSync(stampFile) && fs.readFileSync(stampFile, 'utf8') === wanted) {
    say('up to date');
    return;
  }
  say('installing the packages of package-lock.json (half a minute, more on a slow network)');
  fs.rmSync(stampFile, { force: true });
  // Warnings about newer Node versions say nothing here: engines in package.json is what counts, and is checked.
  await runStep(...npmCommand(['ci', '--no-audit', '--no-fund', '--loglevel=error']), {
    cwd: root,
    // Asked to stop, npm first takes back all that it has done, which lasts longer than the installation itself.
    patienceMs: 500,
  });
  fs.writeFileSync(stampFile, wanted);
}
