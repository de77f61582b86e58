/** Small single values by name, and the spans in which nobody could keep the schedule. */

import { z } from 'zod';
import { defaultSettings, Settings } from '../../shared/model/settings';
import { assert } from '../../shared/result';
import { Instant, toInstant } from '../../shared/time';
import type { SettingReader, SettingWriter } from '../ports/store';
import type { Sql } from './connection';
import { checkedIn, checkedOut, jsonFrom } from './rows';

const NodeId = z.string().min(1).max(100);
const StoredGap = z.strictObject({
  cause: z.enum(['asleep', 'off', 'not_running']),
  from: Instant,
  to: Instant,
  caughtUpCount: z.number().int().min(0),
  missedCount: z.number().int().min(0),
  missedJobCount: z.number().int().min(0),
});
const Check = z.strictObject({ at: Instant, finding: z.string().max(1_000).nullable() });
type StoredGap = z.output<typeof StoredGap>;

const GAP_COLUMNS = `
  cause, from_at AS "from", to_at AS "to", caught_up_count AS caughtUpCount, missed_count AS missedCount,
  missed_job_count AS missedJobCount`;

function storedValue(sql: Sql, key: string): unknown {
  const row = sql.get('SELECT value FROM settings WHERE key = ?', [key]);
  return row === undefined ? null : jsonFrom(row.value, `the setting ${key}`);
}

function setValue(sql: Sql, key: string, value: unknown): void {
  sql.run(
    `INSERT INTO settings (key, value)
     VALUES (?, ?)
     ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
    [key, JSON.stringify(value)],
  );
}

export function createSettingReader(sql: Sql): SettingReader {
  const instantOf = (key: string): Instant | null =>
    checkedOut(Instant.nullable(), storedValue(sql, key), `the setting ${key}`);
  return {
    async preferences() {
      // A preference that cannot be read is not worth stopping for. It stays stored until the next save.
      return Settings.safeParse(storedValue(sql, 'preferences')).data ?? defaultSettings;
    },
    async aliveAt() {
      return instantOf('alive_at');
    },
    async lastCheck() {
      return checkedOut(Check.nullable(), storedValue(sql, 'last_check'), 'the last check');
    },
    async lastBackupAt() {
      return instantOf('last_backup_at');
    },
    async lastGap() {
      const row = sql.get(`SELECT ${GAP_COLUMNS} FROM gaps ORDER BY to_at DESC LIMIT 1`);
      return row === undefined ? null : checkedOut(StoredGap, row, 'the newest gap');
    },
    async gapsBetween({ after, until, max }) {
      return sql
        .all(
          `SELECT ${GAP_COLUMNS} FROM gaps WHERE to_at > :after AND from_at <= :until ORDER BY to_at LIMIT :max`,
          { after, until, max },
        )
        .map((row) => {
          const { cause, from, to } = checkedOut(StoredGap, row, 'a gap');
          return { cause, from, to };
        });
    },
    async nodeId() {
      return checkedOut(NodeId.nullable(), storedValue(sql, 'node_id'), 'the setting node_id');
    },
  };
}

export function createSettingWriter(sql: Sql): SettingWriter {
  const reader = createSettingReader(sql);
  return {
    ...reader,
    async setPreferences(settings) {
      setValue(sql, 'preferences', checkedIn(Settings, settings, 'preferences'));
    },
    async setLastCheck(check) {
      setValue(sql, 'last_check', checkedIn(Check, check, 'a check'));
    },
    async setLastBackupAt(at) {
      setValue(sql, 'last_backup_at', checkedIn(Instant, at, 'a copy'));
    },
    async setAliveAt(at) {
      setValue(sql, 'alive_at', checkedIn(Instant, at, 'the sign of life'));
    },
    async insertGap(gap, counts) {
      mergeGap(sql, checkedIn(StoredGap, { ...gap, ...counts }, 'a gap'));
    },
    async setNodeId(nodeId) {
      const current = await reader.nodeId();
      assert(current === null || current === nodeId, 'the node id of an installation never changes');
      setValue(sql, 'node_id', checkedIn(NodeId, nodeId, 'the node id'));
    },
  };
}

const NO_COUNTS = { caughtUpCount: 0, missedCount: 0, missedJobCount: 0 };

/**
 * A wake-up is reported by several sources, so gaps overlap. Those of one cause are stored as one; one of another cause keeps
 * only what no earlier gap explains, because a cause that was true for a while must not spread. Counts add up: each
 * caught-up occurrence is decided, and so reported, once.
 */
function mergeGap(sql: Sql, gap: StoredGap): void {
  const near = sql
    .all(`SELECT key, ${GAP_COLUMNS} FROM gaps WHERE from_at <= :to AND to_at >= :from ORDER BY from_at`, {
      from: gap.from,
      to: gap.to,
    })
    .map(({ key, ...row }) => ({ key: Number(key), gap: checkedOut(StoredGap, row, 'a gap') }));
  const alike = near.filter((each) => each.gap.cause === gap.cause);
  const others = near.filter((each) => each.gap.cause !== gap.cause).map((each) => each.gap);
  const all = [gap, ...alike.map((each) => each.gap)];
  const whole: StoredGap = {
    cause: gap.cause,
    from: toInstant(Math.min(...all.map(({ from }) => from))),
    to: toInstant(Math.max(...all.map(({ to }) => to))),
    caughtUpCount: all.reduce((sum, each) => sum + each.caughtUpCount, 0),
    missedCount: all.reduce((sum, each) => sum + each.missedCount, 0),
    missedJobCount: all.reduce((sum, each) => sum + each.missedJobCount, 0),
  };
  for (const { key } of alike) sql.run('DELETE FROM gaps WHERE key = ?', [key]);
  const pieces = piecesBetween(whole, others);
  for (const piece of pieces) {
    const counts = piece === pieces.at(-1) ? whole : NO_COUNTS;
    sql.run(
      `INSERT INTO gaps (cause, from_at, to_at, caught_up_count, missed_count, missed_job_count)
       VALUES (?, ?, ?, ?, ?, ?)`,
      [gap.cause, piece.from, piece.to, counts.caughtUpCount, counts.missedCount, counts.missedJobCount],
    );
  }
  if (pieces.length > 0 || (whole.caughtUpCount === 0 && whole.missedCount === 0)) return;
  const { caughtUpCount, missedCount, missedJobCount } = whole;
  sql.run(
    `UPDATE gaps
     SET caught_up_count = caught_up_count + :caughtUpCount, missed_count = missed_count + :missedCount,
       missed_job_count = missed_job_count + :missedJobCount
     WHERE key = (SELECT key FROM gaps WHERE from_at <= :to AND to_at >= :from ORDER BY to_at DESC LIMIT 1)`,
    { caughtUpCount, missedCount, missedJobCount, from: gap.from, to: gap.to },
  );
}

/** What is left of a span without the others, which are given from old to new. */
function piecesBetween(span: StoredGap, others: readonly StoredGap[]): { from: Instant; to: Instant }[] {
  const pieces: { from: Instant; to: Instant }[] = [];
  let from = span.from;
  for (const other of others) {
    if (other.from > from) pieces.push({ from, to: other.from });
    if (other.to > from) from = other.to;
  }
  if (span.to > from) pieces.push({ from, to: span.to });
  return pieces.map((piece) => ({ from: piece.from, to: toInstant(Math.min(piece.to, span.to)) }));
}
