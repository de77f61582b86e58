/** Small single values by name, and the spans in which nobody could keep the schedule. */

import { z } from 'zod';
import { defaultSettings, Settings } from '../../shared/model/settings';
import { assert } from '../../shared/result';
import { Instant } from '../../shared/time';
import type { Gap } from '../core/ledger';
import type { SettingReader, SettingWriter } from '../ports/store';
import type { Sql } from './connection';
import { checkedIn, checkedOut, jsonFrom } from './rows';

const NodeId = z.string().min(1).max(100);
const StoredGap = z.strictObject({
  cause: z.enum(['asleep', 'off', 'not_running']),
  from: Instant,
  to: Instant,
  caughtUpCount: z.number().int().min(0),
});
type StoredGap = z.output<typeof StoredGap>;

const GAP_COLUMNS = 'cause, from_at AS "from", to_at AS "to", caught_up_count AS caughtUpCount';

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
    async setAliveAt(at) {
      setValue(sql, 'alive_at', checkedIn(Instant, at, 'the sign of life'));
    },
    async insertGap(gap, caughtUpCount) {
      mergeGap(sql, checkedIn(StoredGap, { ...gap, caughtUpCount }, 'a gap'));
    },
    async setNodeId(nodeId) {
      const current = await reader.nodeId();
      assert(current === null || current === nodeId, 'the node id of an installation never changes');
      setValue(sql, 'node_id', checkedIn(NodeId, nodeId, 'the node id'));
    },
  };
}

/**
 * A wake-up is reported by several sources, so gaps overlap. The stored one spans them all and keeps the cause of the
 * longest. Counts add up, because each caught-up occurrence is decided, and so reported, once.
 */
function mergeGap(sql: Sql, gap: StoredGap): void {
  const span = { from: gap.from, to: gap.to };
  const overlapping = sql
    .all(`SELECT ${GAP_COLUMNS} FROM gaps WHERE from_at <= :to AND to_at >= :from`, span)
    .map((row) => checkedOut(StoredGap, row, 'a gap'));
  const all = [...overlapping, gap];
  sql.run('DELETE FROM gaps WHERE from_at <= :to AND to_at >= :from', span);
  sql.run('INSERT INTO gaps (cause, from_at, to_at, caught_up_count) VALUES (?, ?, ?, ?)', [
    all.reduce((longest, other) => (lengthOf(other) > lengthOf(longest) ? other : longest)).cause,
    Math.min(...all.map((each) => each.from)),
    Math.max(...all.map((each) => each.to)),
    all.reduce((sum, each) => sum + each.caughtUpCount, 0),
  ]);
}

const lengthOf = (gap: Gap): number => gap.to - gap.from;
