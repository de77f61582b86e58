/**
 * How many jobs fail and were not looked at since: what turns the tray. Kept in memory and asked anew only for jobs that
 * changed, because the status is asked often and 4,096 jobs are many.
 */

import type { JobId } from '../../shared/model/job';
import { isFailingUnseen } from '../core/jobState';
import type { Reader } from '../ports/store';

export class FailingJobs {
  #failing: Set<JobId> | null = null;
  #changed = new Set<JobId>();

  /** The job, or (null) any of them, may have begun or ceased to fail. */
  note(jobId: JobId | null): void {
    if (jobId === null) this.#failing = null;
    else this.#changed.add(jobId);
  }

  async count(reader: Reader): Promise<number> {
    const changed = this.#changed;
    this.#changed = new Set();
    if (this.#failing === null) {
      const stats = await reader.jobs.allStats();
      const failing = [...stats.values()].filter(isFailingUnseen).map(({ jobId }) => jobId);
      this.#failing = new Set();
      for (const jobId of failing) await this.#update(jobId, reader, this.#failing);
    } else {
      for (const jobId of changed) await this.#update(jobId, reader, this.#failing);
    }
    return this.#failing.size;
  }

  async #update(jobId: JobId, reader: Reader, failing: Set<JobId>): Promise<void> {
    const job = await reader.jobs.get(jobId);
    const isPresent = job !== null && job.deletedAt === null;
    if (isPresent && isFailingUnseen(await reader.jobs.stats(jobId))) failing.add(jobId);
    else failing.delete(jobId);
  }
}
