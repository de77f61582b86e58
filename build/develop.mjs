/**
 * Development with hot reload: the window comes from a development server, and Electron starts anew after each change
 * of its own side. Ends when the app is quit.
 */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { build, createServer } from 'vite';
import { bundleConfig, pageConfig } from './bundles.mjs';
import { electronEnvironment, resolveElectron, sandboxArguments } from './electronRuntime.mjs';
import { partFolder, parts } from './parts.mjs';

const root = path.resolve(import.meta.dirname, '..');

/**
 * Runs until the app is quit.
 * @returns {Promise<number>} its exit code
 */
export async function develop() {
  const electron = await resolveElectron();
  const server = await createServer({
    ...pageConfig({ outDir: path.join(root, 'out', 'renderer'), isDevelopment: true }),
    server: { host: '127.0.0.1', port: 0 },
  });
  await server.listen();
  const devServer = server.resolvedUrls?.local[0];
  if (!devServer) throw new Error('The development server has no address.');
  copyFiles();
  const args = [...sandboxArguments(), root];
  const app = restartable(() =>
    spawn(electron.executable, args, { cwd: root, stdio: 'inherit', env: electronEnvironment(electron) }),
  );
  const watchers = await rebuildOnChange(devServer, app.restart);
  const code = await app.ended;
  await Promise.all([server.close(), ...watchers.map((watcher) => watcher.close())]);
  return code;
}

function copyFiles() {
  for (const part of parts.filter(({ runsIn }) => runsIn === 'files')) {
    fs.cpSync(path.join(root, part.entry), partFolder(root, part), { recursive: true });
  }
}

/**
 * Builds what runs in Electron now and after each change, and calls `onBuilt` once all of it is there.
 * @param {string} devServer
 * @param {() => void} onBuilt
 */
async function rebuildOnChange(devServer, onBuilt) {
  const watched = parts.filter(({ runsIn }) => runsIn === 'electron');
  /** @type {Set<string>} */
  const built = new Set();
  const watchers = [];
  for (const part of watched) {
    const config = bundleConfig(part, { outDir: partFolder(root, part), isDevelopment: true, devServer });
    const watcher = await build({ ...config, build: { ...config.build, watch: {} } });
    if (!('on' in watcher)) throw new Error(`Vite does not watch ${part.entry}.`);
    watcher.on('event', (event) => {
      if (event.code === 'ERROR') console.error(event.error);
      if (event.code !== 'END') return;
      built.add(part.name);
      if (built.size === watched.length) onBuilt();
    });
    watchers.push(watcher);
  }
  return watchers;
}

/**
 * Keeps one process going: `restart` ends it and starts the next one, `ended` resolves when it ends by itself.
 * @param {() => import('node:child_process').ChildProcess} start
 */
function restartable(start) {
  /** @type {import('node:child_process').ChildProcess | null} */
  let current = null;
  let isRestarting = false;
  /** @type {(code: number) => void} */
  let resolveEnded;
  /** @type {Promise<number>} */
  const ended = new Promise((resolve) => {
    resolveEnded = resolve;
  });
  const startNext = () => {
    isRestarting = false;
    current = start();
    current.on('exit', (code) => {
      if (isRestarting) startNext();
      else resolveEnded(code ?? 1);
    });
  };
  const restart = () => {
    if (!current) {
      startNext();
      return;
    }
    isRestarting = true;
    current.kill();
  };
  return { restart, ended };
}
