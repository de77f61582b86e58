/**
 * Plants one forbidden and one allowed import for each row of the import table (architecture, section 1), runs the real
 * linter with the real configuration over them, and sees which of them it reports. The same for the ports of time and
 * chance, for Electron's IPC, and for what the compiler lets core and shared name.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const root = path.resolve(import.meta.dirname, '..');
const CONFIGURATION = [
  '.gitignore',
  'biome.json',
  'package.json',
  'build/lint',
  'tsconfig.base.json',
  'tsconfig.pure.json',
];

/** A file that may import `allowed` and must not import `forbidden`; each of these is one statement. */
type Row = { file: string; allowed: string[]; forbidden: string[] };

const from = (source: string) => `import { a } from '${source}';`;
const typeFrom = (source: string) => `import type { A } from '${source}';`;

const rows: Row[] = [
  {
    file: 'shared/probe.ts',
    allowed: [from('zod'), from('./model/job')],
    forbidden: [
      from('croner'),
      from('node:fs'),
      from('../electron/core/plan'),
      typeFrom('../electron/ports/store'),
    ],
  },
  {
    file: 'shared/model/probe.ts',
    allowed: [from('zod'), from('../time')],
    forbidden: [from('cronstrue'), from('electron'), from('../../renderer/format')],
  },
  {
    file: 'shared/schedule/probe.ts',
    allowed: [from('croner'), from('cronstrue'), from('../time')],
    forbidden: [from('react'), from('../../electron/core/plan')],
  },
  {
    file: 'electron/core/probe.ts',
    allowed: [from('../../shared/time'), from('./plan')],
    forbidden: [
      from('zod'),
      from('node:path'),
      from('../ports/store'),
      from('../engine/engine'),
      from('../store/jobs'),
    ],
  },
  {
    file: 'electron/ports/probe.ts',
    allowed: [from('../../shared/time'), typeFrom('../core/plan')],
    forbidden: [from('../core/plan'), from('../engine/engine'), from('node:fs'), from('electron')],
  },
  {
    file: 'electron/engine/probe.ts',
    allowed: [from('../../shared/time'), from('../core/plan'), from('../ports/store')],
    forbidden: [from('../store/jobs'), from('../kinds/registry'), from('electron'), from('node:timers')],
  },
  {
    file: 'electron/store/probe.ts',
    allowed: [
      from('@photostructure/sqlite'),
      from('node:fs'),
      from('node:path'),
      from('../core/runs'),
      from('../ports/store'),
    ],
    forbidden: [from('../engine/engine'), from('../system/clock'), from('node:net'), from('electron')],
  },
  ...['kinds', 'channels', 'system'].map((room) => ({
    file: `electron/${room}/probe.ts`,
    allowed: [
      from('../../shared/time'),
      from('../core/runs'),
      from('../ports/store'),
      from('node:child_process'),
      from('electron'),
    ],
    forbidden: [from('../store/jobs'), from('../engine/engine'), from('../ipc/serve'), from('../compose')],
  })),
  {
    file: 'electron/ipc/probe.ts',
    allowed: [
      from('../../shared/ipc/contract'),
      from('../core/runs'),
      from('../engine/engine'),
      from('electron'),
    ],
    forbidden: [from('../store/jobs'), from('../window/policy'), from('../compose')],
  },
  {
    file: 'electron/window/probe.ts',
    allowed: [from('../../shared/result'), from('electron'), from('node:path')],
    forbidden: [from('../core/plan'), from('../ports/store'), from('../store/jobs'), from('../ipc/serve')],
  },
  {
    file: 'electron/testing/probe.ts',
    allowed: [from('../core/plan'), from('../ports/store'), from('../engine/engine'), from('../store/jobs')],
    forbidden: [from('../kinds/registry'), from('../system/clock'), from('electron')],
  },
  ...['compose', 'main', 'agent', 'cli'].map((name) => ({
    file: `electron/${name}.ts`,
    allowed: [
      from('./engine/engine'),
      from('./store/jobs'),
      from('./kinds/registry'),
      from('../shared/time'),
      from('node:path'),
    ],
    forbidden: [from('../renderer/format'), from('react')],
  })),
  {
    file: 'electron/preload.ts',
    allowed: [from('electron'), typeFrom('../shared/ipc/contract')],
    forbidden: [from('../shared/ipc/contract'), from('../shared/time'), from('zod'), from('./ipc/serve')],
  },
  {
    file: 'renderer/ui/probe.tsx',
    allowed: [from('react'), from('react-aria-components'), from('./button')],
    forbidden: [
      from('../../shared/time'),
      from('../store/jobs'),
      from('../views/jobs/list'),
      from('../bridge'),
    ],
  },
  {
    file: 'renderer/format.ts',
    allowed: [from('../shared/time')],
    forbidden: [from('react'), from('./store/jobs'), from('./ui/button')],
  },
  ...['bridge', 'fakeBridge'].map((name) => ({
    file: `renderer/${name}.ts`,
    allowed: [from('../shared/ipc/contract')],
    forbidden: [from('./store/jobs'), from('electron'), from('../electron/ipc/serve'), from('zustand')],
  })),
  {
    file: 'renderer/store/probe.ts',
    allowed: [from('zustand/vanilla'), typeFrom('../../shared/ipc/contract')],
    forbidden: [from('../bridge'), from('../views/jobs/list'), from('react-aria-components')],
  },
  {
    file: 'renderer/views/jobs/probe.tsx',
    allowed: [
      from('react'),
      from('../../ui/button'),
      from('../../store/jobs'),
      from('../../format'),
      from('../../../shared/time'),
    ],
    forbidden: [
      from('../../bridge'),
      from('../../app'),
      from('../../../electron/core/plan'),
      from('node:fs'),
    ],
  },
  ...['main', 'app'].map((name) => ({
    file: `renderer/${name}.tsx`,
    allowed: [from('./views/jobs/list'), from('./bridge'), from('../shared/time'), from('react-dom/client')],
    forbidden: [from('../electron/core/plan'), from('electron'), from('node:fs')],
  })),
  {
    file: 'e2e/probe.e2e.ts',
    allowed: [from('@playwright/test'), from('../shared/time'), from('./launch')],
    forbidden: [from('../electron/compose'), from('../renderer/format'), from('../build/prepare.mjs')],
  },
  {
    file: 'e2e/browserHarness.ts',
    allowed: [from('../shared/time'), from('../electron/compose')],
    forbidden: [from('../electron/store/jobs'), from('../renderer/format')],
  },
  {
    file: 'build/probe.mjs',
    allowed: [from('node:fs'), from('vite'), from('./parts.mjs')],
    forbidden: [
      from('../shared/time'),
      from('../electron/compose'),
      from('../renderer/format'),
      from('../e2e/launch'),
    ],
  },
];

const IPC_NAMES = ['ipcMain', 'ipcRenderer'].map((name) => `import { ${name} } from 'electron';`);
const otherRows: Row[] = [
  ...['core', 'engine'].map((room) => ({
    file: `electron/${room}/ambient.ts`,
    allowed: ['export const a = new Date(5);', 'export const b = Math.floor(5);'],
    forbidden: [
      'export const c = Date.now();',
      'export const d = new Date();',
      'export const e = Math.random();',
      'export const f = performance.now();',
      'export const g = crypto.randomUUID();',
      'setTimeout(() => undefined, 1);',
    ],
  })),
  ...['window', 'kinds', 'system'].map((room) => ({
    file: `electron/${room}/electronIpc.ts`,
    allowed: [`import { app } from 'electron';`],
    forbidden: [...IPC_NAMES, `window.webContents.send('x');`],
  })),
  {
    file: 'electron/ipc/electronIpc.ts',
    allowed: [...IPC_NAMES, `window.webContents.send('x');`],
    forbidden: [],
  },
];

/** Where a statement was planted, `file:line`, for each report of one of the rules. */
const reported = new Set<string>();
const RULES = ['lint/style/noRestrictedImports', 'lint/style/noRestrictedGlobals', 'plugin'];
let copy: string;

beforeAll(() => {
  copy = fs.mkdtempSync(path.join(os.tmpdir(), 'belfry-layers-'));
  for (const name of CONFIGURATION)
    fs.cpSync(path.join(root, name), path.join(copy, name), { recursive: true });
  for (const { file, allowed, forbidden } of [...rows, ...otherRows]) {
    fs.mkdirSync(path.dirname(path.join(copy, file)), { recursive: true });
    fs.writeFileSync(path.join(copy, file), [...allowed, ...forbidden].join('\n'));
  }
  const biome = path.join(root, 'node_modules/@biomejs/biome/bin/biome');
  const args = [biome, 'lint', '--reporter=json', '--max-diagnostics=none', '.'];
  const { stdout } = spawnSync(process.execPath, args, {
    cwd: copy,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  for (const { category, location } of JSON.parse(stdout).diagnostics) {
    if (RULES.includes(category)) reported.add(`${location.path}:${location.start.line}`);
  }
});

afterAll(() => fs.rmSync(copy, { recursive: true, force: true }));

describe.each([...rows, ...otherRows])('$file', ({ file, allowed, forbidden }) => {
  test.each(allowed.map((statement, index) => ({ statement, line: index + 1 })))(
    'may say: $statement',
    ({ line }) => {
      expect(reported).not.toContain(`${file}:${line}`);
    },
  );
  test.each(forbidden.map((statement, index) => ({ statement, line: allowed.length + index + 1 })))(
    'must not say: $statement',
    ({ line }) => {
      expect(reported).toContain(`${file}:${line}`);
    },
  );
});

test('reports a cycle of imports', () => {
  const folder = path.join(copy, 'shared/model');
  fs.writeFileSync(
    path.join(folder, 'egg.ts'),
    `import { hen } from './hen';\nexport const egg = () => hen;\n`,
  );
  fs.writeFileSync(
    path.join(folder, 'hen.ts'),
    `import { egg } from './egg';\nexport const hen = () => egg;\n`,
  );
  const biome = path.join(root, 'node_modules/@biomejs/biome/bin/biome');
  const { status, stderr } = spawnSync(
    process.execPath,
    [biome, 'lint', '--only=suspicious/noImportCycles', folder],
    {
      cwd: copy,
      encoding: 'utf8',
    },
  );
  expect(status).toBe(1);
  expect(stderr).toContain('egg.ts');
});

test('core and shared cannot even name what belongs to Node or to a page', () => {
  const names = ['process', 'Buffer', 'window', 'document', 'setTimeout'];
  for (const file of ['shared/names.ts', 'electron/core/names.ts']) {
    fs.writeFileSync(
      path.join(copy, file),
      names.map((name, index) => `export const n${index} = ${name};`).join('\n'),
    );
  }
  const configuration = {
    extends: './tsconfig.pure.json',
    include: ['shared/names.ts', 'electron/core/names.ts'],
  };
  fs.writeFileSync(path.join(copy, 'tsconfig.json'), JSON.stringify(configuration));
  const compiler = path.join(root, 'node_modules/typescript/bin/tsc');
  const { stdout } = spawnSync(process.execPath, [compiler, '-p', copy, '--pretty', 'false'], {
    encoding: 'utf8',
  });
  for (const name of names) expect(stdout.split(`Cannot find name '${name}'`)).toHaveLength(3);
});
