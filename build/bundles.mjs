/**
 * How Vite makes each part: main, preload, agent and cli as one CommonJS file each, the window as a page.
 *
 * What Electron and Node bring stays outside, and so do the packages in `dependencies`, which are packaged as they
 * are. An engine for plain Node must not ask for Electron, so there such an import fails the build.
 */
import fs from 'node:fs';
import { builtinModules } from 'node:module';
import path from 'node:path';
import react from '@vitejs/plugin-react';

/** @typedef {import('./parts.mjs').Part} Part */

const root = path.resolve(import.meta.dirname, '..');
const manifest = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8'));

/**
 * @typedef {object} BundleOptions
 * @property {string} outDir
 * @property {boolean} [isDevelopment]
 * @property {boolean} [isTestBuild]
 * @property {string | null} [devServer] origin of the development server, where the window comes from one
 */

/**
 * Vite's configuration for a part that is a bundle.
 * @param {Part} part
 * @param {BundleOptions} options
 * @returns {import('vite').InlineConfig}
 */
export function bundleConfig(part, options) {
  return part.runsIn === 'page' ? pageConfig(options) : scriptConfig(part, options);
}

/**
 * @param {Part} part
 * @param {BundleOptions} options
 * @returns {import('vite').InlineConfig}
 */
function scriptConfig(part, { outDir, isDevelopment = false, isTestBuild = false, devServer = null }) {
  const mode = isDevelopment ? 'development' : 'production';
  const external = [
    ...(part.runsIn === 'electron' ? ['electron'] : []),
    ...Object.keys(manifest.dependencies),
    ...builtinModules,
    ...builtinModules.map((name) => `node:${name}`),
  ];
  return {
    configFile: false,
    root,
    mode,
    logLevel: 'warn',
    envPrefix: [],
    define: {
      'process.env.NODE_ENV': JSON.stringify(mode),
      __TEST_BUILD__: JSON.stringify(isTestBuild),
      __DEV_SERVER__: JSON.stringify(devServer),
    },
    plugins: part.runsIn === 'node' ? [refuseElectron(part)] : [],
    ssr: { noExternal: true, external },
    build: {
      ssr: path.join(root, part.entry),
      outDir,
      emptyOutDir: true,
      target: 'node20',
      minify: false,
      sourcemap: true,
      reportCompressedSize: false,
      rolldownOptions: {
        external,
        output: { format: 'cjs', entryFileNames: `${part.name}.cjs`, codeSplitting: false },
      },
    },
  };
}

/**
 * @param {Part} part
 * @returns {import('vite').Plugin}
 */
function refuseElectron(part) {
  return {
    name: 'refuse-electron',
    enforce: 'pre',
    resolveId(id, importer) {
      if (id !== 'electron' && !id.startsWith('electron/')) return null;
      throw new Error(`${part.entry} runs in plain Node, but ${importer ?? part.entry} imports electron.`);
    },
  };
}

/**
 * @param {BundleOptions} options
 * @returns {import('vite').InlineConfig}
 */
export function pageConfig({ outDir, isDevelopment = false, isTestBuild = false }) {
  return {
    configFile: false,
    root: path.join(root, 'renderer'),
    base: '/',
    mode: isDevelopment ? 'development' : 'production',
    logLevel: 'warn',
    envPrefix: [],
    define: { __TEST_BUILD__: JSON.stringify(isTestBuild) },
    plugins: [react()],
    build: {
      outDir,
      emptyOutDir: true,
      target: 'chrome130',
      sourcemap: true,
      modulePreload: { polyfill: false },
      // The content security policy lets fonts and scripts come from files only, so nothing is inlined as data.
      assetsInlineLimit: 0,
      reportCompressedSize: false,
      // The page is read from the disk; one file is quicker there than several.
      chunkSizeWarningLimit: 2000,
    },
  };
}
