/**
 * A store for a million runs that gives room back: indexes for the lists of all runs, counts that are kept and not counted,
 * words of errors to search by, and what retention has to know. The restoring of a copy leaves a mark among the pauses.
 */
export const schema0004 = `
-- 'user': a person paused. 'restored': from then to its end nobody knows what happened, because a copy was put back.
ALTER TABLE pauses ADD COLUMN cause TEXT NOT NULL DEFAULT 'user' CHECK (octet_length(cause) BETWEEN 1 AND 40);

-- Lists over all jobs, and of one outcome. Test runs are told by nobody.
CREATE INDEX runs_newest ON runs (queued_at) WHERE trigger <> 'test';
-- Outcomes differ by their first letter, whose number takes a byte. Those of one job are asked for when it has failed for months,
-- and "when did it last succeed" must not read all of that.
CREATE INDEX runs_by_outcome ON runs (unicode(outcome), queued_at) WHERE outcome IS NOT NULL AND trigger <> 'test';
CREATE INDEX runs_of_job_by_outcome ON runs (job_key, unicode(outcome), queued_at)
WHERE outcome IS NOT NULL AND trigger <> 'test';

-- Test runs are in none of the lists, and go by their age.
CREATE INDEX runs_of_tests ON runs (queued_at) WHERE trigger = 'test';

-- When its output was removed, by age or for room; NULL while it is kept.
ALTER TABLE runs ADD COLUMN output_removed_at INTEGER;
CREATE INDEX runs_with_output ON runs (queued_at)
WHERE output_bytes > 0 AND output_removed_at IS NULL AND state = 'finished';

-- Bytes of output on the disk per job: what is not removed yet. Of each run no more than 32 MiB are kept.
ALTER TABLE job_stats ADD COLUMN output_bytes INTEGER NOT NULL DEFAULT 0 CHECK (output_bytes >= 0);
UPDATE job_stats
SET output_bytes = (SELECT ifnull(sum(min(r.output_bytes, 33554432)), 0) FROM runs AS r WHERE r.job_key = job_stats.job_key);

-- Finished runs by the day (UTC, in days since 1970) on which they ended. Kept in the transaction of the end, and not lowered
-- when retention removes runs: they count what has happened, not what is still stored. job_stats.run_count does so by job.
CREATE TABLE day_counts (
  day INTEGER NOT NULL,
  outcome TEXT NOT NULL CHECK (octet_length(outcome) BETWEEN 1 AND 40),
  count INTEGER NOT NULL CHECK (count >= 0),
  duration_ms INTEGER NOT NULL CHECK (duration_ms >= 0),
  PRIMARY KEY (day, outcome)
) STRICT, WITHOUT ROWID;
INSERT INTO day_counts (day, outcome, count, duration_ms)
SELECT ended_at / 86400000, outcome, count(*), ifnull(sum(duration_ms), 0)
FROM runs
WHERE state = 'finished' AND trigger <> 'test'
GROUP BY 1, 2;

-- Words of what went wrong, by the key of the run, and four tags that no word can be, because they begin with a letter for private
-- use: the job, the outcome, the day, and the block of 32 days. The text itself stays in runs.detail alone.
CREATE VIRTUAL TABLE run_words USING fts5 (
  detail, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2'
);
INSERT INTO run_words (rowid, detail)
SELECT key, detail || ' \ue000j' || job_key || ' \ue000o' || unicode(outcome) || ' \ue000d' || (queued_at / 86400000)
  || ' \ue000b' || (queued_at / 2764800000)
FROM runs
WHERE detail IS NOT NULL AND state = 'finished' AND trigger <> 'test';
`;
