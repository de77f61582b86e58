/** The three timings of the lease (H-03, H-04). Settable by texts from the environment, for tests only; nonsense is ignored. */

export type LeaseTimings = {
  /** How often the holder renews. */
  readonly renewMs: number;
  /** How long a row that does not change is believed. */
  readonly staleMs: number;
  /** How often a process on standby looks. */
  readonly watchMs: number;
};

export const LEASE_TIMINGS_DEFAULT: LeaseTimings = { renewMs: 5_000, staleMs: 20_000, watchMs: 7_500 };

/** A threshold that does not exceed the renewal period makes every healthy holder look dead: this many periods then. */
const STALE_RENEWALS = 5;

/** Texts that are finite numbers above zero win over the defaults. */
export function resolveTimings(
  texts: {
    readonly [K in keyof LeaseTimings]?: string | undefined;
  },
): LeaseTimings {
  const renewMs = positive(texts.renewMs) ?? LEASE_TIMINGS_DEFAULT.renewMs;
  const staleMs = positive(texts.staleMs) ?? LEASE_TIMINGS_DEFAULT.staleMs;
  return {
    renewMs,
    staleMs: staleMs > renewMs ? staleMs : STALE_RENEWALS * renewMs,
    watchMs: positive(texts.watchMs) ?? LEASE_TIMINGS_DEFAULT.watchMs,
  };
}

function positive(text: string | undefined): number | null {
  if (text === undefined || text.trim() === '') return null;
  const value = Number(text);
  return Number.isFinite(value) && value > 0 ? value : null;
}
