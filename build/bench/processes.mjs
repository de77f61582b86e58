/** Memory of an app's processes, as Linux accounts for it. */
import fs from 'node:fs';

/**
 * `pid` and everything below it.
 * @param {number} pid
 */
export function processesBelow(pid) {
  /** @type {Map<number, number>} */
  const parents = new Map();
  for (const name of fs.readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const fields = fs
        .readFileSync(`/proc/${name}/stat`, 'utf8')
        .replace(/^.*\) /, '')
        .split(' ');
      parents.set(Number(name), Number(fields[1]));
    } catch {
      // It ended meanwhile.
    }
  }
  const found = [pid];
  for (const each of found) for (const [child, parent] of parents) if (parent === each) found.push(child);
  return found;
}

/**
 * Proportional and resident memory in MB over all of `pids`.
 * @param {readonly number[]} pids
 */
export function memoryOf(pids) {
  const sum = { pss: 0, rss: 0 };
  for (const pid of pids) {
    try {
      const text = fs.readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
      sum.pss += Number(/^Pss:\s+(\d+)/m.exec(text)?.[1] ?? 0) / 1024;
      sum.rss += Number(/^Rss:\s+(\d+)/m.exec(text)?.[1] ?? 0) / 1024;
    } catch {
      // It ended meanwhile.
    }
  }
  return sum;
}
