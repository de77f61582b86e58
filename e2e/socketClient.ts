/** A command line's view of a running Belfry: requests of the contract over the local socket in its data folder. */
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import readline from 'node:readline';
import type { Input, Reply, RequestName } from '../shared/ipc/contract';

/** Where the socket of this data folder is published, or null while nobody has published one. */
function socketAddress(dataFolder: string): string | null {
  const pointer = path.join(dataFolder, 'socket');
  if (fs.existsSync(pointer)) return fs.readFileSync(pointer, 'utf8').trim();
  const socket = path.join(dataFolder, 'belfry.sock');
  return fs.existsSync(socket) ? socket : null;
}

/** Asks once. Rejects if nobody listens or the connection ends without an answer. */
export function ask<N extends RequestName>(dataFolder: string, name: N, input: Input<N>): Promise<Reply<N>> {
  const address = socketAddress(dataFolder);
  if (address === null) return Promise.reject(new Error('no socket is published'));
  return new Promise((resolve, reject) => {
    const socket = net.connect(address);
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('the connection ended without an answer')));
    readline.createInterface({ input: socket }).on('line', (line) => {
      resolve((JSON.parse(line) as { reply: Reply<N> }).reply);
      socket.end();
    });
    socket.write(`${JSON.stringify({ id: 1, from: 'cli', request: name, input })}\n`);
  });
}

/** The value of an answer that has to be a success. */
export async function askFor<N extends RequestName>(
  dataFolder: string,
  name: N,
  input: Input<N>,
): Promise<Extract<Reply<N>, { ok: true }>['value']> {
  const reply = await ask(dataFolder, name, input);
  if (!reply.ok) throw new Error(`${name}: ${reply.error.code}: ${reply.error.message}`);
  return reply.value as Extract<Reply<N>, { ok: true }>['value'];
}
