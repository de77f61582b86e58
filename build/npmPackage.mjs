/** Fetches one package of the npm registry without installing it; what arrives must have the checksum we know. */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import zlib from 'node:zlib';
import { npmCommand } from './processes.mjs';

/**
 * Answers the package as an uncompressed tar archive. Rejects if npm fails or the checksum is another one.
 * @param {{ spec: string, integrity: string }} wanted
 * @param {string} folder for the download; exists, and holds no other package
 * @returns {Promise<Buffer>}
 */
export async function fetchNpmPackage({ spec, integrity }, folder) {
  const npm = spawn(...npmCommand(['pack', spec, '--silent', '--pack-destination', folder]), {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let errors = '';
  npm.stderr.on('data', (data) => {
    errors += data;
  });
  const [code] = await once(npm, 'close');
  const name = fs.readdirSync(folder).find((file) => file.endsWith('.tgz'));
  if (code !== 0 || !name) throw new Error(`npm pack ${spec} failed: ${errors.trim() || `code ${code}`}`);
  const data = fs.readFileSync(path.join(folder, name));
  fs.rmSync(path.join(folder, name));
  const actual = `sha512-${createHash('sha512').update(data).digest('base64')}`;
  if (actual !== integrity) throw new Error(`${spec} has an unexpected checksum: ${actual}`);
  return zlib.gunzipSync(data);
}
