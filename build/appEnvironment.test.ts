import path from 'node:path';
import { expect, test } from 'vitest';
import { withoutNpm } from './appEnvironment.mjs';

const join = (...folders: string[]) => folders.join(path.delimiter);

test('leaves out everything that npm adds, and keeps what is the user’s', () => {
  const env = {
    HOME: '/home/someone',
    npm_lifecycle_event: 'start',
    npm_config_cache: '/home/someone/.npm',
    NPM_CONFIG_LOGLEVEL: 'warn',
    INIT_CWD: '/home/someone/belfry',
    NODE: '/usr/bin/node',
    COLOR: '0',
    PATH: join(
      '/home/someone/belfry/node_modules/.bin',
      '/opt/npm/node-gyp-bin',
      '/usr/local/bin',
      '/usr/bin',
    ),
  };
  expect(withoutNpm(env)).toEqual({ HOME: '/home/someone', PATH: join('/usr/local/bin', '/usr/bin') });
});

test('changes nothing when npm did not start us', () => {
  const env = { COLOR: 'blue', PATH: join('/home/someone/tools/node_modules/.bin', '/usr/bin') };
  expect(withoutNpm(env)).toEqual(env);
});
