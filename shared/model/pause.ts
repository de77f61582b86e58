/** A pause: due times of its scope are skipped from `since` on, until it ends by itself or a person ends it. */
import { z } from 'zod';
import { Instant } from '../time';
import { JobId } from './job';

export const PauseId = z.uuid().brand<'PauseId'>();
export type PauseId = z.output<typeof PauseId>;

export const PauseScope = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('all') }),
  z.strictObject({ kind: z.literal('tag'), tag: z.string().min(1).max(40) }),
  z.strictObject({ kind: z.literal('job'), jobId: JobId }),
]);
export type PauseScope = z.output<typeof PauseScope>;

export const PauseNote = z.string().trim().max(200, 'Use at most 200 characters.');

export const Pause = z.strictObject({
  id: PauseId,
  scope: PauseScope,
  note: PauseNote,
  /** `restored`: nobody paused; a copy of the data was put back, and what happened from its making on is not known. */
  cause: z.enum(['user', 'restored']),
  since: Instant,
  /** When it ends by itself; null: when a person ends it. A due time exactly then is not paused any more. */
  until: Instant.nullable(),
  /** When a person ended it before that, or null. */
  endedAt: Instant.nullable(),
});
export type Pause = z.output<typeof Pause>;
