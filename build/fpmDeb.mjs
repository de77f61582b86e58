#!/usr/bin/env node
/**
 * The small part of fpm that electron-builder needs for a .deb, on top of dpkg-deb, since fpm itself would have to be
 * downloaded. electron-builder starts it as CUSTOM_FPM_PATH with fpm's own arguments.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const MAINTAINER_SCRIPTS = {
  'before-install': 'preinst',
  'after-install': 'postinst',
  'before-remove': 'prerm',
  'after-remove': 'postrm',
};
/** dpkg-deb's names by fpm's. @type {Record<string, string>} */
const COMPRESSIONS = { gz: 'gzip', zst: 'zstd', xz: 'xz' };
const WITHOUT_VALUE = new Set(['--force', '--debug']);

/**
 * @typedef {object} Order
 * @property {Record<string, string>} options the last value of each option, by its name without dashes
 * @property {string[]} depends
 * @property {string[]} recommends
 * @property {string[]} sources `from=to` pairs
 */

/**
 * @param {readonly string[]} argv
 * @returns {Order}
 */
function readArguments(argv) {
  /** @type {Order} */
  const order = { options: {}, depends: [], recommends: [], sources: [] };
  for (let at = 0; at < argv.length; at++) {
    const argument = argv[at] ?? '';
    if (WITHOUT_VALUE.has(argument)) continue;
    if (!argument.startsWith('-')) {
      order.sources.push(argument);
      continue;
    }
    at += 1;
    const value = argv[at] ?? '';
    if (argument === '-d') order.depends.push(value);
    else if (argument === '--deb-recommends') order.recommends.push(value);
    else order.options[argument.replace(/^-+/, '')] = value;
  }
  return order;
}

/**
 * Copies each source to its place; a folder that ends in a slash gives its contents.
 * @param {string[]} sources
 * @param {string} stage
 */
function copySources(sources, stage) {
  for (const source of sources) {
    const at = source.indexOf('=');
    const from = source.slice(0, at);
    const to = path.join(stage, source.slice(at + 1));
    fs.mkdirSync(path.dirname(to), { recursive: true });
    // Symbolic links stay as they are: some of them point to where the package will be installed.
    fs.cpSync(from, to, { recursive: true, verbatimSymlinks: true });
  }
}

/**
 * @param {Order} order
 * @param {string} stage
 */
function writeControl({ options, depends, recommends }, stage) {
  const folder = path.join(stage, 'DEBIAN');
  fs.mkdirSync(folder, { mode: 0o755 });
  const [summary = '', ...rest] = (options.description ?? '').split('\n');
  const body = rest.map((line) => `\n ${line.trim() || '.'}`).join('');
  const size = spawnSync('du', ['-sk', stage], { encoding: 'utf8' }).stdout.split('\t')[0];
  const fields = {
    Package: options.name,
    Version: options.iteration ? `${options.version}-${options.iteration}` : options.version,
    Architecture: options.architecture,
    Maintainer: options.maintainer,
    'Installed-Size': size,
    Depends: depends.join(', '),
    Recommends: recommends.join(', '),
    Section: options.category ?? 'utils',
    Priority: options['deb-priority'] ?? 'optional',
    Homepage: options.url,
    Description: `${summary.trim() || options.name}${body}`,
  };
  const lines = Object.entries(fields).filter(([, value]) => value);
  fs.writeFileSync(
    path.join(folder, 'control'),
    lines.map(([name, value]) => `${name}: ${value}\n`).join(''),
  );
  for (const [option, name] of Object.entries(MAINTAINER_SCRIPTS)) {
    if (!options[option]) continue;
    fs.copyFileSync(options[option], path.join(folder, name));
    fs.chmodSync(path.join(folder, name), 0o755);
  }
}

/**
 * @param {Order} order
 * @returns {number} the exit code
 */
function makePackage(order) {
  const { options, sources } = order;
  const compression = COMPRESSIONS[options['deb-compression'] ?? 'xz'];
  if (options.t !== 'deb' || !options.package || !compression) {
    console.error(
      `fpmDeb makes .deb packages only, compressed with ${Object.keys(COMPRESSIONS).join(', ')}.`,
    );
    return 1;
  }
  const stage = fs.mkdtempSync(path.join(os.tmpdir(), 'belfry-deb-'));
  try {
    copySources(sources, stage);
    writeControl(order, stage);
    spawnSync('chmod', ['-R', 'u+rwX,go+rX,go-w', stage]);
    const args = ['--root-owner-group', `-Z${compression}`, '--build', stage, options.package];
    return spawnSync('dpkg-deb', args, { stdio: 'inherit' }).status ?? 1;
  } finally {
    fs.rmSync(stage, { recursive: true, force: true });
  }
}

process.exitCode = makePackage(readArguments(process.argv.slice(2)));
