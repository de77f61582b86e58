/** "Check and resume" for a job that an interruption switched off while its process might still be at work (S-53). */

import type { Job, JobId } from '../../shared/model/job';
import { fail, type Result } from '../../shared/result';
import type { Runner } from '../ports/running';
import type { Store } from '../ports/store';
import type { CheckedAndResumed } from './engine';

export type ResumePorts = { readonly store: Store; readonly runner: Runner };

export type ResumeSurroundings = {
  readonly save: (input: { readonly jobId: JobId; readonly isEnabled: boolean }) => Promise<Result<Job>>;
};

export interface Resume {
  checkAndResume(jobId: JobId): Promise<Result<CheckedAndResumed>>;
}

export const createResume = (_ports: ResumePorts, _surroundings: ResumeSurroundings): Resume => ({
  checkAndResume: async () => fail('unsupported', 'Belfry cannot check this yet.'),
});
