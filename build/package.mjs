/**
 * `npm run package`: makes the unpacked app and, on Linux, a .deb of it in release/, and checks what came out.
 *
 *   node build/package.mjs --dir  only the unpacked app
 *
 * It packages the Electron that development uses. Where that is the fallback, the result is for tests, not for users.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { prepare, root } from './prepare.mjs';
import { runStep } from './processes.mjs';

/**
 * Packages what is built. Rejects if electron-builder fails.
 * @param {import('./electronDist.mjs').ElectronDist} electron
 * @param {{ isDirOnly: boolean }} options
 */
export async function packageApp(electron, { isDirOnly }) {
  const isLinux = process.platform === 'linux';
  const targets = isDirOnly || !isLinux ? ['--dir'] : ['--linux', 'dir', 'deb'];
  const hasDpkg = isLinux && spawnSync('dpkg-deb', ['--version'], { stdio: 'ignore' }).status === 0;
  const builder = path.join(root, 'node_modules', 'electron-builder', 'cli.js');
  const config = ['--config', 'build/electron-builder.mjs', '--publish', 'never'];
  fs.rmSync(path.join(root, 'release'), { recursive: true, force: true });
  await runStep(process.execPath, [builder, ...targets, ...config], {
    cwd: root,
    patienceMs: 1000,
    env: {
      ...process.env,
      BELFRY_PACK_DIST: electron.dist,
      ...(hasDpkg ? { CUSTOM_FPM_PATH: path.join(import.meta.dirname, 'fpmDeb.mjs') } : {}),
    },
  });
}

async function main() {
  const electron = await prepare({ needsElectron: true, needsBuild: true, isForTests: false });
  if (!electron) throw new Error('There is no Electron to package.');
  await packageApp(electron, { isDirOnly: process.argv.includes('--dir') });
  // Late, because it needs a dependency, and npm test loads this file before the dependencies are there.
  const { verifyPackage } = await import('./verifyPackage.mjs');
  const problems = await verifyPackage();
  for (const problem of problems) console.error(`Package: ${problem}`);
  if (problems.length > 0) return 1;
  console.log(`Package: Belfry around Electron ${electron.version} is in release/`);
  return 0;
}

if (process.argv[1] && fs.realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  process.exitCode = await main().catch((error) => {
    console.error(error instanceof Error ? error.message : error);
    return 1;
  });
}
