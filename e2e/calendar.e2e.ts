/**
 * The calendar's vectors inside the Electron that is tested, whose zone data may be older than the system's (C-148). The
 * runtime's own Intl is what the engine uses, so the vectors run in it as plain Node.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { build } from 'vite';
import { electronExecutable, root } from './launch';

type Vector = {
  id: string;
  expr: string;
  tz: string;
  from: string;
  expectNext?: string[];
  expectError?: boolean;
};

const vectors = JSON.parse(
  fs.readFileSync(path.join(root, 'shared', 'schedule', 'vectors.json'), 'utf8'),
) as Vector[];

/** Paraguay stayed on summer time for good in zone data 2024b; an older runtime cannot know. */
const NEEDS_2024B = ['V-122'];

test('the vectors hold in this Electron, apart from what its zone data cannot know', async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'belfry-calendar-'));
  const entry = path.join(folder, 'entry.ts');
  const schedule = JSON.stringify(path.join(root, 'shared', 'schedule', 'occurrences.ts'));
  fs.writeFileSync(
    entry,
    `import { readFileSync } from 'node:fs';
     import { nextOccurrence } from ${schedule};
     const answers = JSON.parse(readFileSync(0, 'utf8')).map(({ id, expr, tz, from, expectNext }) => {
       const rule = { kind: 'cron', expression: expr, zone: tz, dayMatch: 'either', gap: 'run_after', repeat: 'first' };
       let at = Date.parse(from);
       const next = [];
       while (next.length < expectNext.length) {
         at = nextOccurrence(rule, at, { hostZone: 'UTC' });
         if (at === undefined) break;
         next.push(new Date(at).toISOString());
       }
       return { id, next };
     });
     process.stdout.write(JSON.stringify({ tz: process.versions.tz, electron: process.versions.electron, answers }));`,
  );
  try {
    await build({
      configFile: false,
      root,
      logLevel: 'error',
      ssr: { noExternal: true },
      build: {
        ssr: entry,
        outDir: path.join(folder, 'out'),
        target: 'node20',
        rolldownOptions: { output: { format: 'cjs', entryFileNames: 'entry.cjs' } },
      },
    });
    const asked = vectors.filter(
      (vector) => vector.expectError !== true && (vector.expectNext?.length ?? 0) > 0,
    );
    const ran = spawnSync(electronExecutable(), [path.join(folder, 'out', 'entry.cjs')], {
      env: { ...process.env, ELECTRON_RUN_AS_NODE: '1' },
      input: JSON.stringify(asked),
      encoding: 'utf8',
      maxBuffer: 16 * 1024 * 1024,
    });
    expect(ran.stderr).toBe('');
    const said = JSON.parse(ran.stdout) as {
      tz: string;
      electron: string;
      answers: { id: string; next: string[] }[];
    };
    expect(said.electron).toMatch(/^\d+\./);
    const leftOut = said.tz < '2024b' ? NEEDS_2024B : [];
    expect(asked.length - leftOut.length).toBeGreaterThan(140);
    const wrong = asked.filter(
      ({ id, expectNext }) =>
        !leftOut.includes(id) &&
        JSON.stringify(said.answers.find((answer) => answer.id === id)?.next) !== JSON.stringify(expectNext),
    );
    expect(wrong.map((vector) => vector.id)).toEqual([]);
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
});
