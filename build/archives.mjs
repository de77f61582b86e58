/**
 * Reads the tar and zip archives that carry the fallback Electron, and writes one asar archive.
 *
 * None of the project's own dependencies does this, so it stays here: only what these archives need, all in memory,
 * and anything unexpected is an error instead of a guess.
 */
import zlib from 'node:zlib';

const TAR_BLOCK = 512;
const ZIP_DIRECTORY_ENTRY = 0x02014b50;
const ZIP_STORED = 0;
const ZIP_DEFLATED = 8;

/**
 * Walks the files of an uncompressed tar archive.
 * @param {Buffer} tar
 * @returns {Generator<{ name: string, data: Buffer }>}
 */
export function* tarEntries(tar) {
  for (let at = 0; at + TAR_BLOCK <= tar.length; ) {
    const name = untilNul(tar.toString('utf8', at, at + 100));
    if (name === '') return;
    const size = Number.parseInt(untilNul(tar.toString('latin1', at + 124, at + 136)), 8);
    if (!Number.isSafeInteger(size)) throw new Error(`broken tar entry ${name}`);
    const start = at + TAR_BLOCK;
    yield { name, data: tar.subarray(start, start + size) };
    at = start + Math.ceil(size / TAR_BLOCK) * TAR_BLOCK;
  }
}

/** @param {string} text */
function untilNul(text) {
  const end = text.indexOf('\0');
  return end < 0 ? text : text.slice(0, end);
}

/**
 * Walks the central directory of a zip archive; `read` unpacks one file and checks its checksum where Node can.
 * @param {Buffer} zip
 * @returns {Generator<{ name: string, mode: number, read: () => Buffer }>}
 */
export function* zipEntries(zip) {
  const end = zip.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1'));
  if (end < 0) throw new Error('not a zip archive');
  const count = zip.readUInt16LE(end + 10);
  let at = zip.readUInt32LE(end + 16);
  if (count === 0xffff || at === 0xffffffff) throw new Error('zip64 archives are not supported');
  for (let seen = 0; seen < count; seen++) {
    if (zip.readUInt32LE(at) !== ZIP_DIRECTORY_ENTRY) throw new Error('broken zip directory');
    const method = zip.readUInt16LE(at + 10);
    const crc = zip.readUInt32LE(at + 16);
    const packedSize = zip.readUInt32LE(at + 20);
    const nameLength = zip.readUInt16LE(at + 28);
    const extraLength = zip.readUInt16LE(at + 30);
    const commentLength = zip.readUInt16LE(at + 32);
    const mode = zip.readUInt32LE(at + 38) >>> 16;
    const header = zip.readUInt32LE(at + 42);
    const name = zip.toString('utf8', at + 46, at + 46 + nameLength);
    at += 46 + nameLength + extraLength + commentLength;
    yield { name, mode, read: () => readZipFile(zip, { name, method, crc, packedSize, header }) };
  }
}

/**
 * @param {Buffer} zip
 * @param {{ name: string, method: number, crc: number, packedSize: number, header: number }} entry
 */
function readZipFile(zip, { name, method, crc, packedSize, header }) {
  const start = header + 30 + zip.readUInt16LE(header + 26) + zip.readUInt16LE(header + 28);
  const packed = zip.subarray(start, start + packedSize);
  if (method !== ZIP_STORED && method !== ZIP_DEFLATED) throw new Error(`${name}: zip method ${method}`);
  const data = method === ZIP_STORED ? packed : zlib.inflateRawSync(packed);
  // Node has crc32 from 20.15 on, but its types for Node 20 do not name it.
  const crc32 = /** @type {{ crc32?: (data: Buffer) => number }} */ (zlib).crc32;
  if (crc32 && crc32(data) !== crc) throw new Error(`${name}: wrong checksum`);
  return data;
}

/**
 * Makes a flat asar archive: two length-prefixed pickles around a JSON index, then the contents of the files.
 * @param {Record<string, Buffer>} files contents by name
 */
export function asarArchive(files) {
  /** @type {Record<string, { size: number, offset: string }>} */
  const index = {};
  let offset = 0;
  for (const [name, data] of Object.entries(files)) {
    index[name] = { size: data.length, offset: String(offset) };
    offset += data.length;
  }
  const json = Buffer.from(JSON.stringify({ files: index }));
  const padded = Math.ceil(json.length / 4) * 4;
  const head = Buffer.alloc(16 + padded);
  head.writeUInt32LE(4, 0);
  head.writeUInt32LE(8 + padded, 4);
  head.writeUInt32LE(4 + padded, 8);
  head.writeUInt32LE(json.length, 12);
  json.copy(head, 16);
  return Buffer.concat([head, ...Object.values(files)]);
}

/** @typedef {{ files: Record<string, AsarNode> } | { size: number, offset?: string }} AsarNode */

/**
 * Lists the files in an asar archive, with their contents; those kept outside it can be listed but not read.
 * @param {Buffer} archive
 * @returns {{ name: string, read: () => Buffer }[]}
 */
export function asarEntries(archive) {
  const headerSize = archive.readUInt32LE(4);
  const jsonLength = archive.readUInt32LE(12);
  const contents = 8 + headerSize;
  /** @type {(node: AsarNode, name: string) => { name: string, read: () => Buffer }[]} */
  const walk = (node, name) => {
    if ('files' in node) {
      return Object.entries(node.files).flatMap(([child, inner]) =>
        walk(inner, name ? `${name}/${child}` : child),
      );
    }
    const read = () => {
      if (node.offset === undefined) throw new Error(`${name} is not inside the archive`);
      const start = contents + Number(node.offset);
      return archive.subarray(start, start + node.size);
    };
    return [{ name, read }];
  };
  return walk(JSON.parse(archive.toString('utf8', 16, 16 + jsonLength)), '');
}
