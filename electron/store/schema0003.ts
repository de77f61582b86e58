/**
 * Policies beyond the first: pauses with a scope, occurrences that no calendar knows, runs that wait, and results that come
 * late. Definitions of jobs are rewritten only where a field got another name.
 */
export const schema0003 = `
CREATE TABLE pauses (
  key INTEGER PRIMARY KEY,
  id BLOB NOT NULL UNIQUE CHECK (octet_length(id) = 16),
  scope TEXT NOT NULL CHECK (scope IN ('all', 'tag', 'job')),
  tag TEXT CHECK (octet_length(tag) BETWEEN 1 AND 160),
  job_key INTEGER REFERENCES jobs (key),
  note TEXT NOT NULL CHECK (octet_length(note) <= 800),
  since_at INTEGER NOT NULL,
  -- When it ends by itself.
  until_at INTEGER,
  -- When a person ended it.
  ended_at INTEGER,
  CHECK ((scope = 'tag') = (tag IS NOT NULL)),
  CHECK ((scope = 'job') = (job_key IS NOT NULL))
) STRICT;
CREATE INDEX pauses_since ON pauses (since_at);
INSERT INTO pauses (id, scope, note, since_at)
SELECT unhex(hex(randomblob(6)) || '4' || substr(hex(randomblob(2)), 2) || '8' || substr(hex(randomblob(2)), 2)
  || hex(randomblob(6))), 'all', '', CAST(value AS INTEGER)
FROM settings
WHERE key = 'paused_since' AND value <> 'null';
DELETE FROM settings WHERE key = 'paused_since';

-- Owed until they are decided (S-31, and what another job or the machine started).
CREATE TABLE pending_occurrences (
  schedule_key INTEGER NOT NULL REFERENCES schedules (key),
  planned_at INTEGER NOT NULL,
  trigger TEXT NOT NULL CHECK (trigger IN ('creation', 'chain', 'event')),
  source_run_id BLOB CHECK (octet_length(source_run_id) = 16),
  PRIMARY KEY (schedule_key, planned_at)
) STRICT, WITHOUT ROWID;
INSERT INTO pending_occurrences (schedule_key, planned_at, trigger)
SELECT key, pending_creation_at, 'creation' FROM schedules WHERE pending_creation_at IS NOT NULL;
ALTER TABLE schedules DROP COLUMN pending_creation_at;
-- The job whose runs start this one; a copy of what the rule says. Not a foreign key: that job may be deleted for good.
ALTER TABLE schedules ADD COLUMN after_job_id BLOB CHECK (octet_length(after_job_id) = 16);
CREATE INDEX schedules_after_job ON schedules (after_job_id) WHERE after_job_id IS NOT NULL AND removed_at IS NULL;

-- Set while a clock that went back left the watermark ahead: up to here everything is decided, later only what has a row.
ALTER TABLE schedules ADD COLUMN owed_since INTEGER;

ALTER TABLE runs ADD COLUMN not_before_at INTEGER;
ALTER TABLE runs ADD COLUMN attempts_max INTEGER NOT NULL DEFAULT 1 CHECK (attempts_max >= 1);
ALTER TABLE runs ADD COLUMN waits TEXT CHECK (json_valid(waits) AND octet_length(waits) <= 200000);
-- One that never began can be taken back, with every decision that it was to answer. Its own is found by the occurrence that
-- the run names, so that only merges pay for an index.
CREATE INDEX decisions_merged ON decisions (run_id) WHERE kind = 'merge';

-- The true end of an attempt that had been closed without it.
ALTER TABLE attempts ADD COLUMN late_exit_code INTEGER;
ALTER TABLE attempts ADD COLUMN late_signal TEXT CHECK (octet_length(late_signal) BETWEEN 1 AND 40);
ALTER TABLE attempts ADD COLUMN late_ended_at INTEGER;
ALTER TABLE attempts ADD COLUMN late_recorded_at INTEGER;
-- Few are ever lost, and those are looked for among all.
CREATE INDEX attempts_lost ON attempts (ended_at) WHERE outcome = 'abandoned';

-- A machine that was off is not an app that was closed. The list of causes grows, so it has no CHECK any more.
CREATE TABLE gaps_new (
  key INTEGER PRIMARY KEY,
  cause TEXT NOT NULL CHECK (octet_length(cause) BETWEEN 1 AND 40),
  from_at INTEGER NOT NULL,
  to_at INTEGER NOT NULL CHECK (to_at >= from_at),
  caught_up_count INTEGER NOT NULL CHECK (caught_up_count >= 0),
  missed_count INTEGER NOT NULL DEFAULT 0 CHECK (missed_count >= 0),
  missed_job_count INTEGER NOT NULL DEFAULT 0 CHECK (missed_job_count >= 0)
) STRICT;
INSERT INTO gaps_new (key, cause, from_at, to_at, caught_up_count)
SELECT key, cause, from_at, to_at, caught_up_count FROM gaps;
DROP TABLE gaps;
ALTER TABLE gaps_new RENAME TO gaps;
CREATE INDEX gaps_newest ON gaps (to_at);

UPDATE job_revisions
SET definition = json_remove(
  json_set(
    definition,
    '$.policies.afterInterruption',
    CASE json_extract(definition, '$.policies.repeatIfInterrupted') WHEN 1 THEN 'repeat' ELSE 'keep' END
  ),
  '$.policies.repeatIfInterrupted'
)
-- One that is no JSON is left for the quarantine, and CASE keeps the function from ever seeing it.
WHERE CASE
  WHEN json_valid(definition) THEN json_type(definition, '$.policies.repeatIfInterrupted') IS NOT NULL
END;
`;
