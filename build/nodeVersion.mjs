/** Refuses a Node.js that is too old, in a sentence instead of a syntax error: it must not use anything new itself. */
import fs from 'node:fs';

/** Ends the process with code 1 if this Node.js is older than `engines` in package.json allows. */
export function requireNode() {
  const manifest = JSON.parse(fs.readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  const oldest = /** @type {string} */ (manifest.engines.node).replace('>=', '');
  if (!isOlder(process.versions.node, oldest)) return;
  console.error(`Belfry needs Node.js ${oldest} or newer; this is ${process.versions.node}.`);
  process.exit(1);
}

/**
 * Compares major and minor versions.
 * @param {string} version
 * @param {string} than
 */
function isOlder(version, than) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [thanMajor = 0, thanMinor = 0] = than.split('.').map(Number);
  return major < thanMajor || (major === thanMajor && minor < thanMinor);
}
