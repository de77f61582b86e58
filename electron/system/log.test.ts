import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createLog, FIELD_LENGTH_MAX, LOG_BYTES_MAX, LOG_FILES_MAX } from './log';

let folder = '';
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'belfry-log-'));
});
afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));

const lines = (name = 'app.log'): Record<string, unknown>[] =>
  fs
    .readFileSync(path.join(folder, name), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

test('writes one readable line per event, for the owner alone (security.md 4.13)', () => {
  const log = createLog({ folder, name: 'app' });
  log.info('run.started', { runId: 'r1', count: 3 });
  log.warn('bare');
  log.error('run.lost', { error: new Error('no luck', { cause: new Error('rain') }) });
  log.close();
  expect(lines()).toMatchObject([
    { level: 'info', event: 'run.started', facts: { runId: 'r1', count: 3 }, pid: process.pid },
    { level: 'warn', event: 'bare' },
    { level: 'error', event: 'run.lost', facts: { error: { message: 'no luck', cause: 'rain' } } },
  ]);
  expect(lines()[0]?.time).toMatch(/^\d{4}-\d\d-\d\dT/);
  expect(fs.statSync(path.join(folder, 'app.log')).mode & 0o777).toBe(0o600);
});

test('cuts long fields of every shape and keeps short ones as they are', () => {
  const log = createLog({ folder, name: 'app' });
  const circle: { self?: unknown } = {};
  circle.self = circle;
  log.info('long', {
    text: 'x'.repeat(100_000),
    list: Array.from({ length: 10_000 }, (_, index) => index),
    short: { a: [1, 2] },
    circle,
    big: 1n,
    nothing: undefined,
  });
  log.close();
  const [line] = lines();
  const facts = line?.facts as Record<string, unknown>;
  expect(String(facts.text)).toHaveLength(FIELD_LENGTH_MAX + '… (100000 characters)'.length);
  expect(String(facts.list).startsWith('[0,1,2')).toBe(true);
  expect(String(facts.list).length).toBeLessThan(FIELD_LENGTH_MAX + 50);
  expect(facts.short).toEqual({ a: [1, 2] });
  expect(facts.circle).toBe('[not readable]');
  expect(facts.big).toBe('[not readable]');
});

test('keeps five files of at most one MiB, the newest lines in the first (X-72)', () => {
  const log = createLog({ folder, name: 'agent' });
  const pad = 'x'.repeat(2_000);
  const count = Math.ceil((LOG_BYTES_MAX * (LOG_FILES_MAX + 2)) / 2_000);
  for (let number = 0; number < count; number += 1) log.info('line', { number, pad });
  log.close();
  const names = fs.readdirSync(folder).sort();
  expect(names).toEqual(['agent.1.log', 'agent.2.log', 'agent.3.log', 'agent.4.log', 'agent.log']);
  for (const name of names)
    expect(fs.statSync(path.join(folder, name)).size).toBeLessThanOrEqual(LOG_BYTES_MAX);
  const newest = lines('agent.log').at(-1)?.facts as { number: number };
  expect(newest.number).toBe(count - 1);
  const older = lines('agent.1.log').at(-1)?.facts as { number: number };
  const first = lines('agent.log')[0]?.facts as { number: number };
  expect(older.number).toBe(first.number - 1);
});

test('goes on where an earlier process stopped', () => {
  for (const event of ['first', 'second']) {
    const log = createLog({ folder, name: 'app' });
    log.info(event);
    log.close();
  }
  expect(lines().map((line) => line.event)).toEqual(['first', 'second']);
});

test('a log that cannot be written neither throws nor stays silent about it later', () => {
  const missing = path.join(folder, 'later');
  const log = createLog({ folder: missing, name: 'app' });
  log.info('lost');
  log.info('lost too');
  fs.mkdirSync(missing);
  log.info('kept');
  log.close();
  expect(lines('later/app.log')).toMatchObject([{ event: 'log.dropped', lines: 2 }, { event: 'kept' }]);
});
