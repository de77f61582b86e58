/** Requests of the contract over the local socket, as the command line makes them. */
import net from 'node:net';
import path from 'node:path';
import readline from 'node:readline';

/** @param {string} folder */
const addressOf = (folder) => path.join(folder, 'belfry.sock');

/**
 * @param {string} folder the data folder
 * @param {string} request
 * @param {unknown} input
 * @returns {Promise<unknown>} the value of the answer; rejects with the sentence of a failure
 */
export function askFor(folder, request, input) {
  return new Promise((resolve, reject) => {
    const socket = net.connect(addressOf(folder));
    socket.on('error', reject);
    readline.createInterface({ input: socket }).on('line', (line) => {
      const { reply } = JSON.parse(line);
      if (reply.ok) resolve(reply.value);
      else reject(new Error(reply.error.message));
      socket.end();
    });
    socket.write(`${JSON.stringify({ id: 1, from: 'cli', request, input })}\n`);
  });
}
