/**
 * How an older store becomes a current one: numbered steps, forward only, all that are missing in one transaction together with
 * the new number, so that a store is as it was when any of them fails. A step that was released is never edited;
 * migrations.test.ts keeps its checksum.
 */

import { BugError } from '../../shared/result';
import type { Connection } from './connection';
import { schema0001 } from './schema0001';
import { schema0001Outbox } from './schema0001Outbox';
import { schema0002 } from './schema0002';
import { schema0003 } from './schema0003';
import { schema0004 } from './schema0004';

export type Migration = {
  readonly version: number;
  /** Says why the step exists. */
  readonly name: string;
  readonly sql: string;
};

export const migrations: readonly Migration[] = [
  { version: 1, name: '0001-everything-the-design-names', sql: schema0001 + schema0001Outbox },
  { version: 2, name: '0002-ask-active-runs-by-job', sql: schema0002 },
  { version: 3, name: '0003-let-runs-wait-and-jobs-pause', sql: schema0003 },
  { version: 4, name: '0004-a-million-runs-and-room-given-back', sql: schema0004 },
];

/** "Blfr": what `file` and SQLite's own tools know a store of Belfry by. */
export const APPLICATION_ID = 0x426c6672;

export const newestVersion = (steps: readonly Migration[]): number => steps.at(-1)?.version ?? 0;

export const storedVersion = (connection: Connection): number => Number(connection.pragma('user_version'));

/**
 * Brings the store to the newest of `steps`. Foreign keys are off meanwhile, so that a step may rebuild a table, and are
 * checked before the commit; SQLite ignores the switch inside a transaction.
 */
export function migrate(connection: Connection, steps: readonly Migration[]): void {
  if (storedVersion(connection) >= newestVersion(steps)) return;
  connection.exec('PRAGMA foreign_keys = OFF');
  try {
    connection.exec('BEGIN IMMEDIATE');
    // Read inside the transaction: another process may have done it while we waited for the lock.
    const version = storedVersion(connection);
    for (const step of steps.filter((each) => each.version > version)) applyStep(connection, step);
    connection.exec('COMMIT');
  } catch (error) {
    if (connection.isTransaction) connection.exec('ROLLBACK');
    throw error;
  } finally {
    connection.exec('PRAGMA foreign_keys = ON');
  }
}

function applyStep(connection: Connection, step: Migration): void {
  connection.exec(step.sql);
  if (connection.all('PRAGMA foreign_key_check').length > 0) {
    throw new BugError(`migration ${step.name} leaves references to nothing`);
  }
  connection.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${step.version}`);
}
