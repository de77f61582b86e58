/**
 * After a night thousands of runs may be queued. Counting them, and asking what is active of a job or of all jobs, is
 * answered from this index alone; the one before told only their order.
 */
export const schema0002 = `
DROP INDEX runs_active;
CREATE INDEX runs_active ON runs (job_key, queued_at, state, started_at) WHERE state <> 'finished';
`;
