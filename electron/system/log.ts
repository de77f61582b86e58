/**
 * The diagnostic log: one JSON line per event in a file for the owner alone, rotated by size. Logging never throws and
 * never stops a run: what cannot be written is counted and the count is written later (S-11, security.md 4.13).
 */
import fs from 'node:fs';
import path from 'node:path';
import { pino, stdTimeFunctions } from 'pino';
import type { Log } from '../ports/world';

export const LOG_BYTES_MAX = 1024 * 1024;
/** The file being written and its older neighbours. */
export const LOG_FILES_MAX = 5;
/** A longer field is cut: a log is for reading, and command output has a place of its own. */
export const FIELD_LENGTH_MAX = 2_048;

/** `name` is the role of this process: app and agent may write at the same time and must not rotate each other's file. */
export type LogOptions = { readonly folder: string; readonly name: 'app' | 'agent' };

export type ClosableLog = Log & { close(): void };

/** Opens `<folder>/<name>.log`. The folder must exist. A log that cannot be opened drops its lines and tries again. */
export function createLog({ folder, name }: LogOptions): ClosableLog {
  const file = openRotated(folder, name);
  const logger = pino(
    {
      base: { pid: process.pid },
      messageKey: 'event',
      nestedKey: 'facts',
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    file,
  );
  return {
    info: (event, facts) => logger.info(cutFields(facts), event),
    warn: (event, facts) => logger.warn(cutFields(facts), event),
    error: (event, facts) => logger.error(cutFields(facts), event),
    close: () => file.close(),
  };
}

/** Shortens every field that is longer than FIELD_LENGTH_MAX as text, and makes errors readable. */
export function cutFields(facts: Record<string, unknown> = {}): Record<string, unknown> {
  return Object.fromEntries(Object.entries(facts).map(([key, value]) => [key, cut(value)]));
}

function cut(value: unknown): unknown {
  const plain = value instanceof Error ? describeError(value) : value;
  const text = typeof plain === 'string' ? plain : asText(plain);
  if (text === undefined) return undefined;
  if (text === null) return '[not readable]';
  if (text.length <= FIELD_LENGTH_MAX) return plain;
  return `${text.slice(0, FIELD_LENGTH_MAX)}… (${text.length} characters)`;
}

function asText(value: unknown): string | null | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return null;
  }
}

const describeError = (error: Error): Record<string, unknown> => ({
  name: error.name,
  message: error.message,
  ...('code' in error ? { code: error.code } : {}),
  ...(error.cause === undefined
    ? {}
    : { cause: error.cause instanceof Error ? error.cause.message : error.cause }),
  stack: error.stack,
});

function openRotated(folder: string, name: string): { write(line: string): void; close(): void } {
  const place = (age: number): string => path.join(folder, age === 0 ? `${name}.log` : `${name}.${age}.log`);
  let descriptor: number | null = null;
  let size = 0;
  let droppedCount = 0;

  const close = (): void => {
    if (descriptor !== null) fs.closeSync(descriptor);
    descriptor = null;
  };
  const open = (): number => {
    const opened = fs.openSync(place(0), 'a', 0o600);
    size = fs.fstatSync(opened).size;
    descriptor = opened;
    return opened;
  };
  const rotate = (): void => {
    close();
    for (let age = LOG_FILES_MAX - 1; age > 0; age -= 1) {
      if (fs.existsSync(place(age - 1))) fs.renameSync(place(age - 1), place(age));
    }
  };
  return {
    close,
    write: (line) => {
      try {
        let target = descriptor ?? open();
        if (size > 0 && size + Buffer.byteLength(line) > LOG_BYTES_MAX) {
          rotate();
          target = open();
        }
        const note =
          droppedCount === 0 ? '' : `${JSON.stringify({ event: 'log.dropped', lines: droppedCount })}\n`;
        size += fs.writeSync(target, note + line);
        droppedCount = 0;
      } catch {
        droppedCount += 1;
        // The folder may be on a disk that is full or gone; a fresh descriptor finds it when it is back.
        try {
          close();
        } catch {
          descriptor = null;
        }
      }
    },
  };
}
