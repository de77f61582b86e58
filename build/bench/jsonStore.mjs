/**
 * An anchor for the bench: a store of jobs that is one JSON file, read, checked and rewritten whole for each change, under a lock
 * file that names its owner. It does what has to be done so that nothing is lost, and no more: the record of the lock is published
 * by hard link, a dead owner is replaced at once and a silent one by age, the file is replaced by rename.
 */
import crypto from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';

const TRIES_MAX = 200;
const PAUSE_MS = 10;
const OWNER_MS_MAX = 30_000;
const JOBS_MAX = 4_096;

/**
 * @param {string} file
 * @returns {{ change: <T>(mutate: (jobs: any[]) => T) => T }}
 */
export function openJsonStore(file) {
  return {
    change: (mutate) =>
      withLock(`${file}.lock`, (isStillOurs) => {
        const jobs = fs.existsSync(file) ? checked(JSON.parse(fs.readFileSync(file, 'utf8'))) : [];
        const result = mutate(jobs);
        const text = JSON.stringify(checked(jobs));
        const draft = `${file}.${process.pid}.${crypto.randomUUID()}`;
        writeDurably(draft, text);
        withLock(`${file}.guard`, () => {
          if (!isStillOurs()) throw new Error('the lock was taken over');
          fs.renameSync(draft, file);
          syncFolder(path.dirname(file));
        });
        return result;
      }),
  };
}

/** @param {any} jobs @returns {any[]} */
function checked(jobs) {
  if (!Array.isArray(jobs) || jobs.length > JOBS_MAX) throw new Error('the file is damaged');
  const ids = new Set();
  for (const job of jobs) {
    const isWhole =
      typeof job.id === 'string' &&
      typeof job.name === 'string' &&
      job.name.length <= 1_000 &&
      typeof job.line === 'string' &&
      typeof job.isEnabled === 'boolean' &&
      Number.isFinite(job.createdAt) &&
      ['idle', 'running'].includes(job.state) &&
      Array.isArray(job.messages) &&
      job.messages.length <= 64;
    if (!isWhole || ids.has(job.id)) throw new Error('the file is damaged');
    ids.add(job.id);
  }
  return jobs;
}

/**
 * @template T
 * @param {string} lock
 * @param {(isStillOurs: () => boolean) => T} work
 * @returns {T}
 */
function withLock(lock, work) {
  const record = `${process.pid} ${crypto.randomUUID()}\n`;
  const own = `${lock}.${process.pid}`;
  writeDurably(own, record);
  try {
    for (let tries = 1; !tryToLink(own, lock); tries += 1) {
      if (tries > TRIES_MAX) throw new Error('busy, try again');
      if (!reclaim(lock)) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
    }
  } finally {
    fs.rmSync(own, { force: true });
  }
  const isStillOurs = () => fs.readFileSync(lock, 'utf8') === record;
  try {
    return work(isStillOurs);
  } finally {
    if (isStillOurs()) fs.rmSync(lock);
  }
}

/** @param {string} own @param {string} lock */
function tryToLink(own, lock) {
  try {
    fs.linkSync(own, lock);
    return true;
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'EEXIST') return false;
    throw error;
  }
}

/** Removes the lock of an owner that is dead, or silent for too long. Whether it did. @param {string} lock */
function reclaim(lock) {
  const pid = Number.parseInt(fs.readFileSync(lock, 'utf8'), 10);
  const isOld = Date.now() - fs.statSync(lock).mtimeMs >= OWNER_MS_MAX;
  if (isAlive(pid) && !isOld) return false;
  fs.rmSync(lock, { force: true });
  return true;
}

/** @param {number} pid */
function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === 'EPERM';
  }
}

/** @param {string} file @param {string} text */
function writeDurably(file, text) {
  const handle = fs.openSync(file, 'w', 0o600);
  try {
    fs.writeSync(handle, text);
    fs.fsyncSync(handle);
  } finally {
    fs.closeSync(handle);
  }
}

/** @param {string} folder */
function syncFolder(folder) {
  const handle = fs.openSync(folder, 'r');
  try {
    fs.fsyncSync(handle);
  } finally {
    fs.closeSync(handle);
  }
}
