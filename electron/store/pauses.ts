/** Pauses. One that has ended stays, because it explains what did not run meanwhile. */

import { Pause } from '../../shared/model/pause';
import { assert } from '../../shared/result';
import { Instant } from '../../shared/time';
import type { PauseReader, PauseWriter } from '../ports/store';
import type { Row, Sql } from './connection';
import { checkedIn, checkedOut, idFromHex, idFromHexOrNull } from './rows';

const SELECT_PAUSES = `
  SELECT hex(p.id) AS id, p.scope, p.tag, hex(j.id) AS jobId, p.note, p.cause, p.since_at AS since, p.until_at AS until,
    p.ended_at AS endedAt
  FROM pauses AS p LEFT JOIN jobs AS j ON j.key = p.job_key`;

/** What holds nothing up is not worth a bound that a person could meet; the engine refuses far fewer. */
const OPEN_MAX = 1_000;
/** Older ones that have ended go when another begins. */
const STORED_MAX = 10_000;

const UNREADABLE_NOTE = 'This pause cannot be read, so it holds everything. End it to go on.';

/**
 * One that cannot be read counts for everything: that it paused something is certain, and what is held up by mistake can be
 * seen and ended, while what runs by mistake cannot be taken back.
 */
function pauseFromRow({ id, scope, tag, jobId, note, cause, since, until, endedAt }: Row): Pause {
  const ofJob = { kind: 'job', jobId: idFromHexOrNull(jobId) };
  const scopes: Record<string, unknown> = { all: { kind: 'all' }, tag: { kind: 'tag', tag }, job: ofJob };
  const times = { id: idFromHex(id), cause, since, until, endedAt };
  const read = Pause.safeParse({ ...times, scope: scopes[String(scope)], note });
  if (read.success) return read.data;
  return checkedOut(Pause, { ...times, scope: scopes.all, note: UNREADABLE_NOTE, cause: 'user' }, 'a pause');
}

export function createPauseReader(sql: Sql): PauseReader {
  return {
    async at(at) {
      return sql
        .all(
          `${SELECT_PAUSES}
           WHERE p.since_at <= :at AND (p.until_at IS NULL OR p.until_at > :at)
             AND (p.ended_at IS NULL OR p.ended_at > :at)
           ORDER BY p.since_at DESC, p.key DESC`,
          { at },
        )
        .map(pauseFromRow);
    },
    async between(after, until) {
      return sql
        .all(
          `${SELECT_PAUSES}
           WHERE p.since_at <= :until AND (p.until_at IS NULL OR p.until_at > :after)
             AND (p.ended_at IS NULL OR p.ended_at > :after)
           ORDER BY p.since_at, p.key`,
          { after, until },
        )
        .map(pauseFromRow);
    },
  };
}

export function createPauseWriter(sql: Sql): PauseWriter {
  return {
    ...createPauseReader(sql),
    async insert(pause) {
      const { id, scope, note, cause, since, until, endedAt } = checkedIn(Pause, pause, 'a pause');
      const tag = scope.kind === 'tag' ? scope.tag : null;
      const jobId = scope.kind === 'job' ? scope.jobId : null;
      const open = sql.get(
        'SELECT count(*) AS count FROM pauses WHERE ended_at IS NULL AND ifnull(until_at, :since) >= :since',
        {
          since,
        },
      );
      assert(Number(open?.count) < OPEN_MAX, `at most ${OPEN_MAX} pauses hold at once`);
      const row = { id, scope: scope.kind, tag, jobId, note, cause, since, until, endedAt };
      const inserted = sql.run(
        `INSERT INTO pauses (id, scope, tag, job_key, note, cause, since_at, until_at, ended_at)
         VALUES (unhex(:id, '-'), :scope, :tag, (SELECT key FROM jobs WHERE id = unhex(:jobId, '-')), :note, :cause, :since,
           :until, :endedAt)`,
        row,
      );
      assert(inserted === 1, 'a pause is stored');
      sql.run(
        `DELETE FROM pauses
         WHERE key <= (SELECT max(key) FROM pauses) - ? AND (ended_at IS NOT NULL OR until_at <= ?)`,
        [STORED_MAX, since],
      );
    },
    async end(pauseId, at) {
      const changed = sql.run(
        `UPDATE pauses SET ended_at = max(since_at, :at)
         WHERE id = unhex(:pauseId, '-') AND ended_at IS NULL AND (until_at IS NULL OR until_at > :at)`,
        { pauseId, at: checkedIn(Instant, at, 'the end of a pause') },
      );
      return changed === 1;
    },
  };
}
