/**
 * The first schema: every table of the design, whether or not something uses it yet, so that later features need no
 * rebuild of tables that may hold a million rows.
 *
 * Tables that grow name each other by a small integer `key`; the ids of the program are unique columns of 16 bytes. Closed
 * lists that will stay are CHECKed here; lists of reasons grow with features and only get a length, because a CHECK cannot
 * be changed without rebuilding the table: the zod schemas of shared/model guard those. `octet_length` and not `length`,
 * which stops at a NUL. Every text has a bound. Never edit this text after a release: add a step.
 */
export const schema0001 = `
CREATE TABLE settings (
  key TEXT PRIMARY KEY CHECK (octet_length(key) BETWEEN 1 AND 100),
  value TEXT NOT NULL CHECK (json_valid(value) AND octet_length(value) <= 1000000)
) STRICT, WITHOUT ROWID;

-- Tells whether two programs mean the same store (H-02).
INSERT INTO settings (key, value) VALUES ('store_id', json_quote(lower(hex(randomblob(16)))));

-- Installations that wrote to this store, and each start of their machine: an identity is stored once, not per attempt.
CREATE TABLE nodes (
  key INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE CHECK (octet_length(id) BETWEEN 1 AND 100),
  name TEXT CHECK (octet_length(name) <= 500),
  seen_at INTEGER
) STRICT;
CREATE TABLE boots (
  key INTEGER PRIMARY KEY,
  node_key INTEGER NOT NULL REFERENCES nodes (key),
  -- NULL where the system tells none.
  boot_id TEXT CHECK (octet_length(boot_id) BETWEEN 1 AND 256)
) STRICT;
CREATE UNIQUE INDEX boots_identity ON boots (node_key, ifnull(boot_id, ''));

-- The right to schedule (D11). A release empties holder_id and leaves the row, because the epoch must go on rising.
CREATE TABLE leases (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  holder_id TEXT CHECK (octet_length(holder_id) BETWEEN 1 AND 100),
  node_id TEXT NOT NULL CHECK (octet_length(node_id) BETWEEN 1 AND 100),
  boot_id TEXT CHECK (octet_length(boot_id) BETWEEN 1 AND 256),
  pid INTEGER NOT NULL CHECK (pid > 0),
  process_start TEXT CHECK (octet_length(process_start) BETWEEN 1 AND 256),
  epoch INTEGER NOT NULL CHECK (epoch > 0),
  taken_at INTEGER NOT NULL,
  renewed_at INTEGER NOT NULL
) STRICT;

-- Spans in which the machine slept or no engine ran.
CREATE TABLE gaps (
  key INTEGER PRIMARY KEY,
  cause TEXT NOT NULL CHECK (cause IN ('asleep', 'not_running')),
  from_at INTEGER NOT NULL,
  to_at INTEGER NOT NULL CHECK (to_at >= from_at),
  caught_up_count INTEGER NOT NULL CHECK (caught_up_count >= 0)
) STRICT;
CREATE INDEX gaps_newest ON gaps (to_at);

CREATE TABLE jobs (
  key INTEGER PRIMARY KEY,
  id BLOB NOT NULL UNIQUE CHECK (octet_length(id) = 16),
  revision INTEGER NOT NULL CHECK (revision >= 1),
  -- Copies of what the revision says, for sorting and for the planner's join.
  name TEXT NOT NULL CHECK (octet_length(name) BETWEEN 1 AND 480),
  is_enabled INTEGER NOT NULL CHECK (is_enabled IN (0, 1)),
  created_at INTEGER NOT NULL,
  deleted_at INTEGER,
  FOREIGN KEY (key, revision) REFERENCES job_revisions (job_key, revision) DEFERRABLE INITIALLY DEFERRED
) STRICT;

-- Never changed once written: a run keeps the revision it was queued with.
CREATE TABLE job_revisions (
  job_key INTEGER NOT NULL REFERENCES jobs (key),
  revision INTEGER NOT NULL CHECK (revision >= 1),
  definition TEXT NOT NULL CHECK (json_valid(definition) AND octet_length(definition) <= 32000000),
  is_enabled INTEGER NOT NULL CHECK (is_enabled IN (0, 1)),
  disabled_reason TEXT CHECK (octet_length(disabled_reason) BETWEEN 1 AND 40),
  saved_at INTEGER NOT NULL,
  PRIMARY KEY (job_key, revision)
) STRICT;

-- Kept in the transaction of each fact, so that a list never counts history.
CREATE TABLE job_stats (
  job_key INTEGER PRIMARY KEY REFERENCES jobs (key),
  run_count INTEGER NOT NULL DEFAULT 0 CHECK (run_count >= 0),
  -- Mark and duration of each, in turn.
  slots TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(slots) AND octet_length(slots) <= 1000),
  last_run_at INTEGER,
  last_ended_at INTEGER,
  seen_at INTEGER,
  newest_at INTEGER
) STRICT;

-- What the ledger adds to a schedule; its rule is part of the job's revision. A removed schedule stays, because decisions
-- refer to it.
CREATE TABLE schedules (
  key INTEGER PRIMARY KEY,
  id BLOB NOT NULL UNIQUE CHECK (octet_length(id) = 16),
  job_key INTEGER NOT NULL REFERENCES jobs (key),
  created_at INTEGER NOT NULL,
  -- Everything up to here is decided (D3).
  watermark_at INTEGER NOT NULL,
  -- The creation minute that still has to run (S-31).
  pending_creation_at INTEGER,
  removed_at INTEGER
) STRICT;
CREATE INDEX schedules_of_job ON schedules (job_key) WHERE removed_at IS NULL;

CREATE TABLE runs (
  key INTEGER PRIMARY KEY,
  id BLOB NOT NULL UNIQUE CHECK (octet_length(id) = 16),
  job_key INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  trigger TEXT NOT NULL CHECK (
    trigger IN ('schedule', 'catch_up', 'creation', 'manual', 'cli', 'chain', 'event', 'test')
  ),
  state TEXT NOT NULL CHECK (state IN ('queued', 'running', 'finished')),
  outcome TEXT CHECK (outcome IN ('succeeded', 'failed', 'timed_out', 'cancelled', 'abandoned')),
  reason TEXT CHECK (octet_length(reason) BETWEEN 1 AND 40),
  detail TEXT CHECK (octet_length(detail) <= 8192),
  schedule_key INTEGER REFERENCES schedules (key),
  planned_at INTEGER,
  merged_count INTEGER NOT NULL CHECK (merged_count >= 0),
  miss_cause TEXT CHECK (octet_length(miss_cause) BETWEEN 1 AND 40),
  queued_at INTEGER NOT NULL,
  started_at INTEGER,
  ended_at INTEGER,
  -- From the monotonic clock, so not always ended_at - started_at.
  duration_ms INTEGER CHECK (duration_ms >= 0),
  exit_code INTEGER,
  signal TEXT CHECK (octet_length(signal) BETWEEN 1 AND 40),
  attempt_count INTEGER NOT NULL CHECK (attempt_count >= 0),
  was_adopted INTEGER NOT NULL CHECK (was_adopted IN (0, 1)),
  output_bytes INTEGER NOT NULL CHECK (output_bytes >= 0),
  FOREIGN KEY (job_key, revision) REFERENCES job_revisions (job_key, revision),
  CHECK ((state = 'finished') = (outcome IS NOT NULL)),
  CHECK ((state = 'finished') = (ended_at IS NOT NULL)),
  CHECK (state <> 'running' OR started_at IS NOT NULL)
) STRICT;
-- There is no "one active run per job": the overlap policies allow several later (D8). What keeps an occurrence from running
-- twice is the primary key of decisions, written in the transaction that makes the run.
CREATE INDEX runs_active ON runs (queued_at) WHERE state <> 'finished';
CREATE INDEX runs_history ON runs (job_key, queued_at) WHERE trigger <> 'test';

CREATE TABLE attempts (
  run_key INTEGER NOT NULL REFERENCES runs (key),
  number INTEGER NOT NULL CHECK (number >= 1),
  id BLOB NOT NULL CHECK (octet_length(id) = 16),
  -- The lease under which it may be written (D11).
  epoch INTEGER NOT NULL CHECK (epoch > 0),
  -- Who the process is. Together they prove identity; a bare pid proves nothing (X-41).
  boot_key INTEGER REFERENCES boots (key),
  pid INTEGER CHECK (pid > 0),
  process_group INTEGER CHECK (process_group > 0),
  process_start TEXT CHECK (octet_length(process_start) BETWEEN 1 AND 256),
  started_at INTEGER NOT NULL,
  ended_at INTEGER,
  outcome TEXT CHECK (outcome IN ('succeeded', 'failed', 'timed_out', 'cancelled', 'abandoned')),
  reason TEXT CHECK (octet_length(reason) BETWEEN 1 AND 40),
  exit_code INTEGER,
  signal TEXT CHECK (octet_length(signal) BETWEEN 1 AND 40),
  PRIMARY KEY (run_key, number),
  CHECK ((ended_at IS NULL) = (outcome IS NULL)),
  CHECK ((pid IS NULL) = (boot_key IS NULL))
) STRICT, WITHOUT ROWID;
-- Only open attempts are ever looked up by their id, so only they pay for an index.
CREATE UNIQUE INDEX attempts_open ON attempts (id) WHERE ended_at IS NULL;

-- What became of each occurrence, once (D3). A range is one row with a count.
CREATE TABLE decisions (
  schedule_key INTEGER NOT NULL REFERENCES schedules (key),
  planned_at INTEGER NOT NULL,
  until_at INTEGER NOT NULL,
  count INTEGER NOT NULL CHECK (count >= 1),
  kind TEXT NOT NULL CHECK (kind IN ('run', 'merge', 'skip')),
  reason TEXT NOT NULL CHECK (octet_length(reason) BETWEEN 1 AND 40),
  miss_cause TEXT CHECK (octet_length(miss_cause) BETWEEN 1 AND 40),
  job_key INTEGER NOT NULL REFERENCES jobs (key),
  -- Not a foreign key: the decision is written before its run, and outlives a run that retention removes.
  run_id BLOB CHECK (octet_length(run_id) = 16),
  decided_at INTEGER NOT NULL,
  PRIMARY KEY (schedule_key, planned_at),
  CHECK (CASE WHEN count = 1 THEN until_at = planned_at ELSE until_at > planned_at END),
  CHECK (kind <> 'run' OR run_id IS NOT NULL),
  CHECK (kind <> 'skip' OR run_id IS NULL)
) STRICT, WITHOUT ROWID;
CREATE INDEX decisions_skipped ON decisions (job_key, until_at) WHERE kind = 'skip';
`;
