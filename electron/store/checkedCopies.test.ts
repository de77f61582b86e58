/** A copy that was damaged after it was made is said to be, and costs no good one its place (S-13, X-47). */

import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Backup } from '../../shared/model/data';
import { DAY_MS, toInstant } from '../../shared/time';
import type { Timer } from '../ports/world';
import { BACKUPS_KEPT, DAMAGED_COPY, listBackups } from './backups';
import { type CheckedCopiesDeps, createCheckedCopies } from './checkedCopies';
import { openDatabase } from './database';
import { insertJobs, minute } from './samples';
import { createStore } from './store';
import { type StoreTasks, type StoreWork, storeTasks } from './storeTasks';

let root = '';
let folder = '';
let file = '';

beforeEach(async () => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), 'belfry-checked-'));
  folder = path.join(root, 'backups');
  file = path.join(root, 'belfry.db');
  const opened = openDatabase({ file });
  if (!opened.ok) throw new Error(opened.error.message);
  const store = createStore(opened.value);
  await insertJobs(store, ...Array.from({ length: 40 }, (_, index) => index + 1));
  await store.close();
});
afterEach(() => fs.rmSync(root, { recursive: true, force: true }));

const copy = (day: number): Backup =>
  storeTasks.copy({ file, folder, reason: 'daily', at: toInstant(minute(0) + day * DAY_MS) });

/** A page of the middle of it is lost, as a disk loses one: neither size nor time nor header tells. */
function harm({ id }: Backup): void {
  const place = path.join(folder, id);
  const { atime, mtime } = fs.statSync(place);
  const bytes = fs.readFileSync(place);
  const middle = Math.floor(bytes.length / 4_096 / 2);
  fs.writeFileSync(place, bytes.fill(0xa5, middle * 4_096, (middle + 1) * 4_096));
  fs.utimesSync(place, atime, mtime);
}

/** Says when a task begins, and lets it go on when told so. */
function heldWork() {
  let goOn = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const begun: string[] = [];
  const work: StoreWork = {
    run: async (name, input) => {
      begun.push(name);
      await held;
      return (storeTasks[name] as (input: unknown) => unknown)(input) as ReturnType<StoreTasks[typeof name]>;
    },
  };
  return { work, begun, goOn };
}

/** Every wait is over at once. */
const impatient: Timer = {
  after: (_ms, wake) => {
    queueMicrotask(wake);
    return () => undefined;
  },
};

function setUp(options: Partial<CheckedCopiesDeps> = {}) {
  const found: string[] = [];
  const { work, begun, goOn } = heldWork();
  const copies = createCheckedCopies({
    ...{ folder, work, patience: null },
    onDamage: (damaged) => found.push(...damaged.map(({ id }) => id)),
    ...options,
  });
  return { copies, begun, goOn, found };
}

test('a page that was lost later shows in the list, and whole copies show nothing', async () => {
  const [whole, lost] = [copy(1), copy(2)];
  harm(lost);
  expect(listBackups(folder).map(({ problem }) => problem)).toEqual([null, null]);
  const { copies, found, goOn } = setUp();
  goOn();
  expect((await copies.list()).map(({ id, problem }) => [id, problem])).toEqual([
    [lost.id, DAMAGED_COPY],
    [whole.id, null],
  ]);
  expect(found).toEqual([lost.id]);
});

test('whatever part of a copy is lost, its check finds it or it is whole, and never fails itself', () => {
  const place = path.join(folder, copy(1).id);
  const whole = fs.readFileSync(place);
  for (let at = 100; at < 3 * 4_096; at += 97) {
    fs.writeFileSync(place, Buffer.from(whole).fill(0xff, at, at + 60));
    const [finding = null] = storeTasks.checkCopies({ files: [place] });
    expect(finding === null || finding.length > 0, `at ${at}`).toBe(true);
  }
  fs.rmSync(place);
  expect(storeTasks.checkCopies({ files: [place] })).toEqual([null]);
});

test('each copy is read once, and again when another file has its name', async () => {
  const first = copy(1);
  const { copies, begun, goOn } = setUp();
  goOn();
  await copies.list();
  await copies.list();
  expect(begun).toEqual(['checkCopies']);
  const place = path.join(folder, first.id);
  fs.copyFileSync(place, `${place}.other`);
  fs.renameSync(`${place}.other`, place);
  harm(first);
  expect((await copies.list())[0]?.problem).toBe(DAMAGED_COPY);
  expect(begun).toHaveLength(2);
});

test('a list does not wait longer than it may, and what is found afterwards is told', async () => {
  const lost = copy(1);
  harm(lost);
  let told = (): void => undefined;
  const isTold = new Promise<void>((resolve) => {
    told = resolve;
  });
  const { copies, begun, goOn } = setUp({
    patience: { ms: 7, timer: impatient },
    onDamage: () => told(),
  });
  expect((await copies.list())[0]?.problem).toBeNull();
  expect((await copies.list())[0]?.problem).toBeNull();
  expect(begun).toHaveLength(1);
  goOn();
  await isTold;
  expect((await copies.list())[0]?.problem).toBe(DAMAGED_COPY);
});

test.each([
  ['is cut off', (place: string) => fs.truncateSync(place, fs.statSync(place).size - 4_096)],
  ['has no bytes', (place: string) => fs.truncateSync(place, 0)],
  ['is another file', (place: string) => fs.writeFileSync(place, 'hello')],
])('that a copy %s is seen at once, without reading it', (_, change) => {
  const made = copy(1);
  change(path.join(folder, made.id));
  expect(listBackups(folder)[0]?.problem).toBe(DAMAGED_COPY);
});

test('a damaged copy is none of the seven that stay, so that no good one goes for it', () => {
  const made = Array.from({ length: BACKUPS_KEPT }, (_, day) => copy(day));
  const [oldest, second, , , fifth, sixth] = made;
  if (!oldest || !second || !fifth || !sixth) throw new Error('seven were made');
  harm(fifth);
  fs.truncateSync(path.join(folder, sixth.id), 5_000);
  copy(BACKUPS_KEPT);
  const kept = () => listBackups(folder).map(({ id }) => id);
  // Six whole ones are newer than the oldest, and two that are not.
  expect(kept()).toContain(oldest.id);
  copy(BACKUPS_KEPT + 1);
  expect(kept()).toContain(oldest.id);
  copy(BACKUPS_KEPT + 2);
  expect(kept()).not.toContain(oldest.id);
  expect(kept()).toContain(second.id);
  expect(fs.existsSync(path.join(folder, `${oldest.id}.json`))).toBe(false);
});
