/**
 * The engine and the store as a bench measures them: bundled from the sources as the app is, so that the figures are those
 * of what is shipped and not of a transformer for tests.
 */
import fs from 'node:fs';
import { builtinModules } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'vite';

const root = path.resolve(import.meta.dirname, '..', '..');
const manifest = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8'));

/**
 * Loads source files by the name that the caller gives each.
 * @param {Record<string, string>} entries for example `{ store: 'electron/store/store.ts' }`
 * @returns {Promise<Record<string, any>>}
 */
export async function loadSources(entries) {
  // Below the root, where packages are found.
  const outDir = path.join(root, 'out', 'bench', String(process.pid));
  const external = [
    ...Object.keys(manifest.dependencies),
    ...builtinModules,
    ...builtinModules.map((name) => `node:${name}`),
  ];
  const input = Object.fromEntries(
    Object.entries(entries).map(([name, file]) => [name, path.join(root, file)]),
  );
  try {
    await build({
      configFile: false,
      root,
      mode: 'production',
      logLevel: 'warn',
      define: { 'process.env.NODE_ENV': '"production"', __TEST_BUILD__: 'false' },
      ssr: { noExternal: true, external },
      build: {
        ssr: true,
        outDir,
        emptyOutDir: true,
        target: 'node20',
        minify: false,
        reportCompressedSize: false,
        rolldownOptions: { input, external, output: { format: 'es', entryFileNames: '[name].mjs' } },
      },
    });
    const loaded = Object.keys(entries).map(async (name) => [
      name,
      await import(pathToFileURL(path.join(outDir, `${name}.mjs`)).href),
    ]);
    return Object.fromEntries(await Promise.all(loaded));
  } finally {
    fs.rmSync(outDir, { recursive: true, force: true });
  }
}
