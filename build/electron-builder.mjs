/** How electron-builder makes the packages. Started through build/package.mjs, which says around which Electron. */
import fs from 'node:fs';
import path from 'node:path';
import { releaseFuses } from './fuses.mjs';

/** The distribution to package; without it electron-builder downloads the official one. */
const electronDist = process.env.BELFRY_PACK_DIST;

/** @type {import('electron-builder').Configuration} */
export default {
  appId: 'org.belfry.Belfry',
  productName: 'Belfry',
  executableName: 'belfry',
  directories: { output: 'release', buildResources: 'build' },
  // The version is read from the distribution, or the package would claim the one in package.json.
  ...(electronDist
    ? { electronDist, electronVersion: fs.readFileSync(path.join(electronDist, 'version'), 'utf8').trim() }
    : {}),
  // The only native module uses Node's stable interface and brings its binaries along.
  npmRebuild: false,
  // Otherwise a package with a native module is unpacked as a whole.
  asar: { smartUnpack: false },
  asarUnpack: ['**/*.node'],
  files: [
    'out/{main,preload,renderer,icons,storeWorker}/**/*',
    '!out/**/*.{map,svg}',
    '!out/**/.sources',
    'package.json',
    '!node_modules/@photostructure/sqlite/{src,scripts,binding.gyp}',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: electron-builder fills these in
    '!node_modules/@photostructure/sqlite/prebuilds/!(${platform}-${arch})/**',
    '!node_modules/@photostructure/sqlite/prebuilds/**/*.musl.node',
    '!node_modules/@photostructure/sqlite/dist/*.{map,ts,mts,cts}',
    '!node_modules/node-addon-api',
  ],
  electronFuses: { ...releaseFuses, resetAdHocDarwinSignature: process.platform === 'darwin' },
  linux: {
    target: ['dir', 'deb'],
    category: 'Utility',
    icon: 'icons',
    maintainer: 'Belfry contributors <belfry@example.invalid>',
    synopsis: 'A desktop scheduler that accounts for every planned moment',
    syncDesktopName: true,
  },
  deb: {
    compression: 'zst',
    // electron-builder's own list lacks libasound2 and libgbm1.
    depends: [
      'libgtk-3-0',
      'libnss3',
      'libasound2',
      'libgbm1',
      'libnotify4',
      'libsecret-1-0',
      'libatspi2.0-0',
      'libuuid1',
      'xdg-utils',
    ],
  },
  afterPack: ({ appOutDir, electronPlatformName }) => {
    if (electronPlatformName !== 'linux') return;
    // electron-builder removes these only from a distribution that it has downloaded itself.
    fs.rmSync(path.join(appOutDir, 'resources', 'default_app.asar'), { force: true });
    fs.rmSync(path.join(appOutDir, 'version'), { force: true });
  },
};
