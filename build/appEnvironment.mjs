/** The environment that the app would have had if it had not been started through npm. */
import path from 'node:path';

/** What npm sets for the scripts that it runs, besides everything that begins with `npm_`. */
const SET_BY_NPM = new Set(['COLOR', 'INIT_CWD', 'NODE']);

/**
 * Leaves out what npm adds for its scripts: the jobs that the app starts would inherit it.
 * @param {NodeJS.ProcessEnv} env
 * @returns {NodeJS.ProcessEnv}
 */
export function withoutNpm(env) {
  // Without npm these names are the user's own.
  if (env.npm_lifecycle_event === undefined) return { ...env };
  const kept = Object.entries(env).filter(([name]) => !/^npm_/i.test(name) && !SET_BY_NPM.has(name));
  return {
    ...Object.fromEntries(kept),
    ...(env.PATH === undefined ? {} : { PATH: pathWithoutNpm(env.PATH) }),
  };
}

/** @param {string} value */
function pathWithoutNpm(value) {
  const isOfNpm = (/** @type {string} */ folder) =>
    folder.endsWith(path.join('node_modules', '.bin')) || folder.endsWith('node-gyp-bin');
  return value
    .split(path.delimiter)
    .filter((folder) => !isOfNpm(folder))
    .join(path.delimiter);
}
