import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import zlib from 'node:zlib';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { asarArchive, asarEntries, tarEntries, zipEntries } from './archives.mjs';

let folder: string;
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'belfry-archives-'));
});
afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));

test('reads what tar has written', () => {
  fs.writeFileSync(path.join(folder, 'short.txt'), 'short');
  fs.writeFileSync(path.join(folder, 'block.bin'), Buffer.alloc(512, 7));
  fs.writeFileSync(path.join(folder, 'empty'), '');
  const { stdout } = spawnSync('tar', ['-cf', '-', 'short.txt', 'block.bin', 'empty'], { cwd: folder });
  const found = [...tarEntries(stdout)].map(({ name, data }) => [name, data.length, data[0]]);
  expect(found).toEqual([
    ['short.txt', 5, 's'.charCodeAt(0)],
    ['block.bin', 512, 7],
    ['empty', 0, undefined],
  ]);
});

/** The smallest zip archive of one deflated file. */
function zipOf(name: string, contents: string, { crc }: { crc: number }): Buffer {
  const packed = zlib.deflateRawSync(contents);
  const local = Buffer.alloc(30);
  local.writeUInt32LE(0x04034b50, 0);
  local.writeUInt16LE(name.length, 26);
  const central = Buffer.alloc(46);
  central.writeUInt32LE(0x02014b50, 0);
  central.writeUInt16LE(8, 10);
  central.writeUInt32LE(crc, 16);
  central.writeUInt32LE(packed.length, 20);
  central.writeUInt16LE(name.length, 28);
  central.writeUInt32LE(0o100755 * 0x10000, 38);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(1, 10);
  end.writeUInt32LE(local.length + name.length + packed.length, 16);
  return Buffer.concat([local, Buffer.from(name), packed, central, Buffer.from(name), end]);
}

const CRC_OF_HELLO = 0x3610a686;

test('reads a zip archive with its modes', () => {
  const [entry] = zipEntries(zipOf('bin/run', 'hello', { crc: CRC_OF_HELLO }));
  expect(entry?.name).toBe('bin/run');
  expect((entry?.mode ?? 0) & 0o777).toBe(0o755);
  expect(entry?.read().toString()).toBe('hello');
});

test('refuses a file whose checksum is another one', () => {
  const [entry] = zipEntries(zipOf('bin/run', 'hello', { crc: CRC_OF_HELLO + 1 }));
  expect(() => entry?.read()).toThrow('bin/run: wrong checksum');
});

test('refuses what is not a zip archive', () => {
  expect(() => [...zipEntries(Buffer.from('not an archive'))]).toThrow('not a zip archive');
});

test('reads back the asar archive that it wrote', () => {
  const archive = asarArchive({ 'package.json': Buffer.from('{}'), 'main.mjs': Buffer.from('export {};') });
  const found = asarEntries(archive).map(({ name, read }) => [name, read().toString()]);
  expect(found).toEqual([
    ['package.json', '{}'],
    ['main.mjs', 'export {};'],
  ]);
});
