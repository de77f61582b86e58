/** Refuses a Node.js that is too old, in a sentence instead of a syntax error: it must not use anything new itself. */

const OLDEST = [20, 18];

/** Ends the process with code 1 if this Node.js is older than `engines` in package.json allows. */
export function requireNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = OLDEST;
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return;
  console.error(`Belfry needs Node.js ${OLDEST.join('.')} or newer; this is ${process.versions.node}.`);
  process.exit(1);
}
