/**
 * The outbox half of the first schema (D12): channels, alerts, deliveries. An alert is a fact and is written with its
 * cause; a delivery is the promise to tell one channel of it, and each attempt to keep that promise is a row.
 */
export const schema0001Outbox = `
-- A delivery names the revision of its channel, so whoever was to be told when the fact happened is told (S-58). Settings
-- hold no secrets: those lie in the keychain of the system (X-77).
CREATE TABLE channels (
  key INTEGER PRIMARY KEY,
  id BLOB NOT NULL UNIQUE CHECK (octet_length(id) = 16),
  revision INTEGER NOT NULL CHECK (revision >= 1),
  kind TEXT NOT NULL CHECK (octet_length(kind) BETWEEN 1 AND 40),
  name TEXT NOT NULL CHECK (octet_length(name) BETWEEN 1 AND 480),
  is_enabled INTEGER NOT NULL CHECK (is_enabled IN (0, 1)),
  -- A person holds the whole channel back; its deliveries wait.
  held_at INTEGER,
  created_at INTEGER NOT NULL,
  deleted_at INTEGER,
  FOREIGN KEY (key, revision) REFERENCES channel_revisions (channel_key, revision) DEFERRABLE INITIALLY DEFERRED
) STRICT;
CREATE TABLE channel_revisions (
  channel_key INTEGER NOT NULL REFERENCES channels (key),
  revision INTEGER NOT NULL CHECK (revision >= 1),
  settings TEXT NOT NULL CHECK (json_valid(settings) AND octet_length(settings) <= 100000),
  saved_at INTEGER NOT NULL,
  PRIMARY KEY (channel_key, revision)
) STRICT;

CREATE TABLE alerts (
  key INTEGER PRIMARY KEY,
  id BLOB NOT NULL UNIQUE CHECK (octet_length(id) = 16),
  kind TEXT NOT NULL CHECK (octet_length(kind) BETWEEN 1 AND 40),
  -- What it is about. The same subject is not raised again while it is not resolved: it is counted instead (S-61, X-54).
  subject TEXT NOT NULL CHECK (octet_length(subject) BETWEEN 1 AND 200),
  state TEXT NOT NULL CHECK (state IN ('open', 'acknowledged', 'resolved')),
  -- NULL for a fact about Belfry itself, such as a full disk. The run may be gone before the alert is.
  job_key INTEGER REFERENCES jobs (key),
  run_id BLOB CHECK (octet_length(run_id) = 16),
  -- An incident runs from opened_at to resolved_at; the cooldown belongs to it and not to the job (X-55).
  opened_at INTEGER NOT NULL,
  acknowledged_at INTEGER,
  resolved_at INTEGER,
  -- How often, and when last: the open alert is brought up to date in place.
  count INTEGER NOT NULL CHECK (count >= 1),
  latest_at INTEGER NOT NULL,
  -- The cooldown starts when somebody was told, not when the alert was queued (S-65); a reminder follows while it is open.
  notified_at INTEGER,
  remind_at INTEGER,
  -- The facts its text is made of; at most 8192 characters of text (S-62).
  payload TEXT NOT NULL CHECK (json_valid(payload) AND octet_length(payload) <= 65536),
  CHECK ((state = 'resolved') = (resolved_at IS NOT NULL)),
  CHECK (state <> 'acknowledged' OR acknowledged_at IS NOT NULL)
) STRICT;
CREATE UNIQUE INDEX alerts_unresolved ON alerts (subject) WHERE state <> 'resolved';
CREATE INDEX alerts_newest ON alerts (opened_at);
CREATE INDEX alerts_of_job ON alerts (job_key, opened_at);

CREATE TABLE deliveries (
  key INTEGER PRIMARY KEY,
  alert_key INTEGER NOT NULL REFERENCES alerts (key),
  channel_key INTEGER NOT NULL,
  channel_revision INTEGER NOT NULL,
  -- Alert id and channel id. Never changes over attempts, so that a receiver can drop what it got before (S-56, S-57).
  idempotency_key TEXT NOT NULL UNIQUE CHECK (octet_length(idempotency_key) BETWEEN 1 AND 200),
  state TEXT NOT NULL CHECK (
    state IN ('pending', 'sending', 'delivered', 'held', 'given_up', 'discarded')
  ),
  -- The backoff of S-69: how many attempts were made, and when the next is due.
  attempt_count INTEGER NOT NULL CHECK (attempt_count >= 0),
  next_at INTEGER,
  -- Who is sending it, and since when: a claim that is too old is taken back (S-67).
  claim_epoch INTEGER CHECK (claim_epoch > 0),
  claimed_at INTEGER,
  -- Exactly what is sent, secrets left out.
  payload TEXT NOT NULL CHECK (json_valid(payload) AND octet_length(payload) <= 65536),
  created_at INTEGER NOT NULL,
  ended_at INTEGER,
  UNIQUE (alert_key, channel_key),
  FOREIGN KEY (channel_key, channel_revision) REFERENCES channel_revisions (channel_key, revision),
  CHECK ((state IN ('delivered', 'given_up', 'discarded')) = (ended_at IS NOT NULL)),
  CHECK (state <> 'pending' OR next_at IS NOT NULL),
  CHECK ((state = 'sending') = (claimed_at IS NOT NULL)),
  CHECK ((claimed_at IS NULL) = (claim_epoch IS NULL))
) STRICT;
-- One worker per channel asks for what is due, so that a dead endpoint delays only itself (X-57).
CREATE INDEX deliveries_due ON deliveries (channel_key, next_at) WHERE state = 'pending';
CREATE INDEX deliveries_open ON deliveries (state) WHERE ended_at IS NULL;

-- What the receiver answered, attempt by attempt; errors and replies are cut on the way in (S-62).
CREATE TABLE delivery_attempts (
  delivery_key INTEGER NOT NULL REFERENCES deliveries (key),
  number INTEGER NOT NULL CHECK (number >= 1),
  started_at INTEGER NOT NULL,
  ended_at INTEGER,
  result TEXT CHECK (result IN ('delivered', 'retry', 'give_up')),
  reply TEXT CHECK (octet_length(reply) <= 16384),
  PRIMARY KEY (delivery_key, number),
  CHECK ((ended_at IS NULL) = (result IS NULL))
) STRICT, WITHOUT ROWID;

-- When the outbox is full an older outcome makes room for a newer one. This keeps the true number and the span of what was
-- dropped, so that the next message can say it (S-59, X-53).
CREATE TABLE delivery_losses (
  channel_key INTEGER NOT NULL REFERENCES channels (key),
  job_key INTEGER NOT NULL REFERENCES jobs (key),
  count INTEGER NOT NULL CHECK (count >= 1),
  first_at INTEGER NOT NULL,
  last_at INTEGER NOT NULL,
  PRIMARY KEY (channel_key, job_key)
) STRICT, WITHOUT ROWID;
`;
