/**
 * Lets one process at a time prepare this working copy. The lock is a local socket, which the system takes away with
 * its process, however that ends; who waits hears of it at once by the end of the connection.
 */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';

/**
 * Runs `work` while no other process runs its own under the same lock.
 * @template T
 * @param {string} folder the working copy
 * @param {() => void} onWait is called when another process has to be waited for
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function oneAtATime(folder, onWait, work) {
  const address = lockAddress(folder);
  let release = await tryLock(address);
  if (!release) onWait();
  while (!release) {
    await holderIsGone(address);
    release = await tryLock(address);
  }
  try {
    return await work();
  } finally {
    release();
  }
}

/** @param {string} folder */
function lockAddress(folder) {
  const name = `belfry-build-${createHash('sha256').update(fs.realpathSync(folder)).digest('hex').slice(0, 16)}`;
  if (process.platform === 'win32') return `\\\\.\\pipe\\${name}`;
  // An abstract socket leaves no file behind; only Linux has them.
  return process.platform === 'linux' ? `\0${name}` : path.join(os.tmpdir(), `${name}.sock`);
}

/**
 * @param {string} address
 * @returns {Promise<(() => void) | null>} how to release it, or null if another process has it
 */
async function tryLock(address) {
  /** @type {Set<net.Socket>} */
  const waiting = new Set();
  const server = net.createServer((socket) => {
    waiting.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => waiting.delete(socket));
  });
  try {
    server.listen(address);
    await once(server, 'listening');
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'EADDRINUSE') return null;
    throw error;
  }
  return () => {
    server.close();
    for (const socket of waiting) socket.destroy();
  };
}

/**
 * Resolves when the holder has released the lock or is gone.
 * @param {string} address
 */
async function holderIsGone(address) {
  const socket = net.connect(address);
  try {
    await once(socket, 'connect');
    socket.resume();
    await once(socket, 'close');
  } catch (error) {
    const { code = '' } = /** @type {NodeJS.ErrnoException} */ (error);
    if (!['ECONNREFUSED', 'ECONNRESET', 'ENOENT'].includes(code)) throw error;
    // Where sockets are files, one that nobody listens to is left by a holder that was killed.
    if (code === 'ECONNREFUSED' && path.isAbsolute(address)) fs.rmSync(address, { force: true });
  }
}
