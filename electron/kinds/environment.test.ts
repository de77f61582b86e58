import { expect, test } from 'vitest';
import { type EnvironmentParts, jobEnvironment, runVariables, usualProgramFolders } from './environment';

const parts = (base: Record<string, string>, more: Partial<EnvironmentParts> = {}): EnvironmentParts => ({
  base: { PATH: '/usr/bin', ...base },
  platform: 'linux',
  mode: 'terminal',
  variables: [],
  usualFolders: [],
  ...more,
});

// security.md 4.12: table in, table out. The PATH of the base is /usr/bin and stays where nothing else is said.
test.each<[string, Record<string, string>, Record<string, string>]>([
  [
    'unknown variables are kept',
    { HOME: '/home/ada', FOO: 'b=r\n$x', Ünï: 'ü' },
    { HOME: '/home/ada', FOO: 'b=r\n$x', Ünï: 'ü' },
  ],
  [
    'Electron',
    { ELECTRON_RUN_AS_NODE: '1', ELECTRON_OVERRIDE_DIST_PATH: '/x', ELECTRO: 'kept' },
    { ELECTRO: 'kept' },
  ],
  [
    'Chromium',
    { CHROME_DESKTOP: 'belfry.desktop', CHROME_CRASHPAD_PIPE_NAME: 'x', CHROMIUM_FLAGS: 'kept' },
    { CHROMIUM_FLAGS: 'kept' },
  ],
  [
    'the desktop that Electron replaced',
    { XDG_CURRENT_DESKTOP: 'Unity', ORIGINAL_XDG_CURRENT_DESKTOP: 'KDE' },
    { XDG_CURRENT_DESKTOP: 'KDE' },
  ],
  [
    'Node',
    { NODE_OPTIONS: '--require x', NODE_EXTRA_CA_CERTS: '/x', NODE_ENV: 'kept', NODE_PATH: 'kept' },
    { NODE_ENV: 'kept', NODE_PATH: 'kept' },
  ],
  ['Belfry', { BELFRY_RUN_ID: 'an outer run', BELFRY_DEV_SERVER: 'x', BELFRYX: 'kept' }, { BELFRYX: 'kept' }],
  ['the folder before this one', { OLDPWD: '/opt' }, {}],
  [
    'AppImage',
    {
      APPDIR: '/tmp/.mount_b',
      APPIMAGE: '/home/ada/Belfry.AppImage',
      ARGV0: 'Belfry',
      OWD: '/home/ada',
      GDK_PIXBUF_MODULE_FILE: 'x',
      PATH: '/tmp/.mount_b:/tmp/.mount_b/usr/sbin:/usr/bin',
      LD_LIBRARY_PATH: '/tmp/.mount_b/usr/lib:/opt/lib',
      GSETTINGS_SCHEMA_DIR: '/tmp/.mount_b/usr/share/glib-2.0/schemas:',
      SIMILAR: '/tmp/.mount_bb/usr/lib',
    },
    { PATH: '/usr/bin', LD_LIBRARY_PATH: '/opt/lib', SIMILAR: '/tmp/.mount_bb/usr/lib' },
  ],
  [
    'snap',
    {
      SNAP: '/snap/belfry/3',
      SNAP_NAME: 'belfry',
      SNAPSHOT_DIR: 'kept',
      LD_LIBRARY_PATH: '/snap/belfry/3/lib',
    },
    { SNAPSHOT_DIR: 'kept' },
  ],
  [
    'npm start',
    {
      npm_lifecycle_event: 'start',
      npm_config_cache: '/x',
      NODE: '/usr/bin/node',
      INIT_CWD: '/x',
      COLOR: '1',
      PATH: '/x/node_modules/.bin:/lib/npm/bin/node-gyp-bin:/usr/bin',
    },
    {},
  ],
  [
    'the names of npm without npm',
    { NODE: 'kept', COLOR: 'kept', PATH: '/x/node_modules/.bin' },
    { NODE: 'kept', COLOR: 'kept', PATH: '/x/node_modules/.bin' },
  ],
])('cleans the environment: %s', (_, base, expected) => {
  expect(jobEnvironment(parts(base))).toEqual({ PATH: '/usr/bin', ...expected });
});

test("adds the job's variables; the last of a name wins and nothing in a value is expanded", () => {
  const variables = [
    { name: 'DEBUG', value: '1' },
    { name: 'PLACE', value: '$HOME `id` "x"\n' },
    { name: 'DEBUG', value: '2' },
  ];
  expect(jobEnvironment(parts({ DEBUG: '0' }, { variables }))).toEqual({
    PATH: '/usr/bin',
    DEBUG: '2',
    PLACE: '$HOME `id` "x"\n',
  });
});

test('appends the usual folders that are missing, so that they replace nothing', () => {
  const usualFolders = ['/usr/local/bin', '/home/ada/bin'];
  expect(jobEnvironment(parts({ PATH: '/usr/bin:/home/ada/bin' }, { usualFolders })).PATH).toBe(
    '/usr/bin:/home/ada/bin:/usr/local/bin',
  );
  expect(jobEnvironment(parts({ PATH: '' }, { usualFolders })).PATH).toBe(
    '/usr/local/bin:/usr/bin:/bin:/home/ada/bin',
  );
  const own = [{ name: 'PATH', value: '/only/this' }];
  expect(jobEnvironment(parts({}, { usualFolders, variables: own })).PATH).toBe('/only/this');
});

test('on Windows a name is one variable however it is spelled', () => {
  const base = { Path: 'C:\\Windows', electron_run_as_node: '1', Belfry_x: '1', PATH: undefined as never };
  delete (base as Record<string, string>).PATH;
  const variables = [{ name: 'PATH', value: 'D:\\bin' }];
  expect(
    jobEnvironment({ base, platform: 'win32', mode: 'terminal', variables: [], usualFolders: [] }),
  ).toEqual({
    Path: 'C:\\Windows',
  });
  expect(jobEnvironment({ base, platform: 'win32', mode: 'terminal', variables, usualFolders: [] })).toEqual({
    Path: 'D:\\bin',
  });
});

test('tells the command about its run, and leaves out what a run by hand does not have', () => {
  const facts = {
    runId: 'r',
    jobId: 'j',
    jobName: 'Back up\0 "now"',
    trigger: 'catch_up',
    plannedAt: Date.UTC(2027, 2, 10, 14, 0),
    attemptNumber: 2,
    lateMs: 1_500,
  };
  expect(runVariables(facts)).toEqual({
    BELFRY_RUN_ID: 'r',
    BELFRY_JOB_ID: 'j',
    BELFRY_JOB_NAME: 'Back up "now"',
    BELFRY_TRIGGER: 'catch_up',
    BELFRY_PLANNED_AT: '2027-03-10T14:00:00.000Z',
    BELFRY_ATTEMPT: '2',
    BELFRY_LATE_MS: '1500',
  });
  const byHand = runVariables({ ...facts, plannedAt: null, lateMs: null });
  expect(byHand).not.toHaveProperty('BELFRY_PLANNED_AT');
  expect(byHand).not.toHaveProperty('BELFRY_LATE_MS');
});

test('knows where people keep programs', () => {
  expect(usualProgramFolders('/home/ada', 'linux')).toEqual([
    '/usr/local/bin',
    '/home/ada/.local/bin',
    '/home/ada/bin',
  ]);
  expect(usualProgramFolders('/Users/ada', 'darwin')).toContain('/opt/homebrew/bin');
  expect(usualProgramFolders('C:\\Users\\ada', 'win32')).toEqual([]);
});

test('a minimal environment keeps who, where and the language, with the folders of the system as PATH', () => {
  const base = { HOME: '/home/ada', LC_TIME: 'de_DE', DISPLAY: ':0', PATH: '/home/ada/bin', SECRET: 'x' };
  const variables = [{ name: 'A', value: '1' }];
  const usualFolders = ['/home/ada/.local/bin'];
  expect(jobEnvironment(parts(base, { mode: 'minimal', variables, usualFolders }))).toEqual({
    HOME: '/home/ada',
    LC_TIME: 'de_DE',
    PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin',
    A: '1',
  });
});

test('an environment of its own is the variables of the job and nothing else', () => {
  const variables = [{ name: 'A', value: '1' }];
  const usualFolders = ['/home/ada/bin'];
  expect(jobEnvironment(parts({ HOME: '/home/ada' }, { mode: 'own', variables, usualFolders }))).toEqual({
    A: '1',
  });
});
