/** How figures are taken and told: quantiles, and how long the main thread was kept from anything else. */

/** @param {readonly number[]} values @param {number} share */
export function quantile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

/** @param {number} value milliseconds */
export const ms = (value) => `${value < 10 ? value.toFixed(2) : value.toFixed(0)} ms`;

/**
 * The longest time between two turns of the event loop while `work` goes on, how long it took in all, and how long a
 * processor was busy with it: on a machine that does other things too, that is the figure to compare.
 * @template T
 * @param {() => Promise<T>} work
 * @returns {Promise<{ result: T, tookMs: number, stallMs: number, busyMs: number }>}
 */
export async function watchStalls(work) {
  let stallMs = 0;
  let isOver = false;
  let turnedAt = performance.now();
  const turn = () => {
    const now = performance.now();
    stallMs = Math.max(stallMs, now - turnedAt);
    turnedAt = now;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  const beganAt = performance.now();
  const before = process.cpuUsage();
  const result = await work();
  const tookMs = performance.now() - beganAt;
  const { user, system } = process.cpuUsage(before);
  isOver = true;
  stallMs = Math.max(stallMs, performance.now() - turnedAt);
  return { result, tookMs, stallMs, busyMs: (user + system) / 1_000 };
}
