/**
 * Whose turn it is to write. SQLite lets in whoever asks at the right moment, so of several processes that write all the time
 * one may wait for seconds. Here nobody waits inside SQLite: who finds the store taken asks again every few milliseconds,
 * leaves a sign beside the store that says since when somebody waits, and who has just written steps back when he sees it.
 */

import { lstatSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { StoreError } from '../core/storeError';
import type { Connection } from './connection';

/** How long other processes may keep us from writing before we say so, in milliseconds. */
const BUSY_MS_MAX = 5_000;
const ASK_AGAIN_MS = 2;
/** Shorter waits are what anybody has, and not worth a file. */
const SIGN_AFTER_MS = 8;
/** Who wrote this long ago or less steps back. Later than that he is no danger to anybody. */
const RECENT_MS = 100;
/** Long enough for everybody who waits to ask, and longer when somebody has waited long, because the machine is slow then. */
const STEP_BACK_MS = 6;
const STEP_BACK_LONG_MS = 40;
const LONG_WAIT_MS = 100;

export interface Turns {
  /** Begins as a writer, or throws a StoreError `busy` after BUSY_MS_MAX. */
  begin(connection: Connection, sql: string): Promise<void>;
  /** The turn is over. */
  end(): void;
}

const pause = (durationMs: number): Promise<void> =>
  new Promise((proceed) => {
    setTimeout(proceed, durationMs);
  });

/** `file` is the store, or null where nobody else writes. */
export function createTurns(file: string | null): Turns {
  const sign = file === null ? null : `${file}-waiting`;
  let endedAt = Number.NEGATIVE_INFINITY;
  return {
    async begin(connection, sql) {
      if (sign !== null && performance.now() - endedAt < RECENT_MS) await stepBack(sign);
      const askedAt = performance.now();
      const hasWaited = () => performance.now() - askedAt;
      while (!tryToBegin(connection, sql, hasWaited() > BUSY_MS_MAX)) {
        if (sign !== null && hasWaited() > SIGN_AFTER_MS) leaveSign(sign, hasWaited());
        await pause(ASK_AGAIN_MS);
      }
      // Whoever else waits leaves it again.
      if (sign !== null && hasWaited() > SIGN_AFTER_MS) removeSign(sign);
    },
    end() {
      endedAt = performance.now();
    },
  };
}

function tryToBegin(connection: Connection, sql: string, isLastTry: boolean): boolean {
  try {
    connection.run(sql);
    return true;
  } catch (error) {
    if (isLastTry || !(error instanceof StoreError) || error.code !== 'busy') throw error;
    return false;
  }
}

async function stepBack(sign: string): Promise<void> {
  const waitedMs = waitedBy(sign);
  if (waitedMs === null) return;
  // Nobody waits that long: it was left by a process that was killed.
  if (waitedMs > BUSY_MS_MAX) removeSign(sign);
  else await pause(waitedMs > LONG_WAIT_MS ? STEP_BACK_LONG_MS : STEP_BACK_MS);
}

/** For how long somebody has waited, in milliseconds; null if nobody has. A clock that was put back makes it a short time. */
function waitedBy(sign: string): number | null {
  const facts = lstatSync(sign, { throwIfNoEntry: false });
  return facts === undefined ? null : Math.max(0, Date.now() - facts.mtimeMs);
}

/** A disk that takes no file makes turns unfair, and nothing worse. */
function leaveSign(sign: string, waitedMs: number): void {
  try {
    writeFileSync(sign, '', { flag: 'wx', mode: 0o600 });
    const since = (Date.now() - waitedMs) / 1_000;
    utimesSync(sign, since, since);
  } catch (error) {
    if (!isOfTheDisk(error)) throw error;
  }
}

function removeSign(sign: string): void {
  try {
    rmSync(sign, { force: true });
  } catch (error) {
    if (!isOfTheDisk(error)) throw error;
  }
}

const isOfTheDisk = (error: unknown): boolean => error instanceof Error && 'syscall' in error;
