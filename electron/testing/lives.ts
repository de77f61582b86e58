/** The lives of the ordinary run: a few that stay the same for ever, and fresh ones; or the one that is to be replayed. */

const FIXED = [1, 2, 3, 5, 8, 13, 21, 34];
const FIXED_DAYS = 4;
const FRESH_COUNT = Number(process.env.BELFRY_FRESH ?? 10);
const DAYS = 30;

export function livesOfThisRun(): { readonly seed: number; readonly days: number }[] {
  const replayed = process.env.BELFRY_SEED;
  if (replayed !== undefined) return [{ seed: Number(replayed), days: DAYS }];
  const fresh = Array.from({ length: FRESH_COUNT }, () => Math.floor(Math.random() * 2 ** 31));
  return [
    ...FIXED.map((seed) => ({ seed, days: FIXED_DAYS })),
    ...fresh.map((seed) => ({ seed, days: DAYS })),
  ];
}

export const replayCommand = (seed: number, hasWrongClocks: boolean): string => {
  const file = hasWrongClocks ? 'wrongClocks.sim' : 'simulation.sim';
  return `BELFRY_SEED=${seed} npx vitest run --project simulation ${file}`;
};
