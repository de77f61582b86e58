/**
 * Why nothing can be done with a job that is not among those that can be read: it is gone, or what is stored of it cannot be read.
 * Such a job stays as it is, and can be deleted and brought back all the same.
 */

import type { JobId } from '../../shared/model/job';
import { fail, type Result } from '../../shared/result';
import type { Reader } from '../ports/store';

export const noSuchJob = (): Result<never> => fail('not_found', 'This job does not exist any more.');

/** For a job that `get` did not find, or found deleted: `unsupported` if it is there and cannot be read, else `not_found`. */
export async function refuseAbsent({ jobs }: Pick<Reader, 'jobs'>, jobId: JobId): Promise<Result<never>> {
  const unreadable = await jobs.unreadable(jobId);
  return unreadable === null || unreadable.deletedAt !== null
    ? noSuchJob()
    : fail('unsupported', 'What is stored of this job cannot be read, so it can neither run nor be changed.');
}
