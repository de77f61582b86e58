/**
 * How much later than planned a run starts: a hash of job and occurrence (architecture.md, section 4), so that it is the
 * same after a restart and in a preview.
 */

import type { JobId } from '../../shared/model/job';
import { type Instant, toInstant } from '../../shared/time';

/** Two independent seeds give the 53 bits that a number can hold. */
const SEED_HIGH = 0x81_1c_9d_c5;
const SEED_LOW = 0x5f_35_64_95;

/** FNV-1a, then the finalizer of MurmurHash3: instants differ in few characters, and every bit has to change with them. */
function hash32(text: string, seed: number): number {
  let hash = seed;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01_00_01_93);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85_eb_ca_6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2_b2_ae_35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** Milliseconds from 0 to below `limitMs`, evenly spread over the occurrences of a job and over jobs. */
export function jitterOf(jobId: JobId, plannedAt: Instant, limitMs: number): number {
  if (limitMs <= 1) return 0;
  const text = `${jobId} ${plannedAt}`;
  const hash = (hash32(text, SEED_HIGH) >>> 11) * 2 ** 32 + hash32(text, SEED_LOW);
  return hash % Math.floor(limitMs);
}

/**
 * When a run that is planned for `plannedAt` may start: within `jitterMs`, and before the next occurrence of its schedule
 * (null: there is none), so that jitter alone never makes two of them overlap.
 */
export function jitteredAt(
  jobId: JobId,
  plannedAt: Instant,
  { jitterMs, nextAt }: { readonly jitterMs: number; readonly nextAt: Instant | null },
): Instant {
  const limitMs = nextAt === null ? jitterMs : Math.min(jitterMs, nextAt - plannedAt);
  return toInstant(plannedAt + jitterOf(jobId, plannedAt, limitMs));
}
