/** Requests of the contract over the local socket, as the command line makes them. */
import net from 'node:net';
import path from 'node:path';

/** What was asked was answered with no: nothing was changed. */
export class Refused extends Error {
  /** @param {{ code: string, message: string }} failure */
  constructor({ code, message }) {
    super(message);
    this.code = code;
  }
}

/** @param {string} folder */
const addressOf = (folder) => path.join(folder, 'belfry.sock');

/**
 * @param {string} folder the data folder
 * @param {string} request
 * @param {unknown} input
 * @returns {Promise<any>} the value of the answer; rejects with Refused, or with another error if nobody answered
 */
export function askFor(folder, request, input) {
  return new Promise((resolve, reject) => {
    const socket = net.connect(addressOf(folder));
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('the connection ended without an answer')));
    let text = '';
    socket.setEncoding('utf8').on('data', (piece) => {
      text += piece;
      if (!text.endsWith('\n')) return;
      const { reply } = JSON.parse(text);
      if (reply.ok) resolve(reply.value);
      else reject(new Refused(reply.error));
      socket.end();
    });
    socket.write(`${JSON.stringify({ id: 1, from: 'cli', request, input })}\n`);
  });
}
