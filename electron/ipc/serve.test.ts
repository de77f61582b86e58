/** The four promises of the contract and the fuzzing of SECURITY.md, 4.6. */

import { expect, test } from 'vitest';
import { type Handlers, type Input, type RequestName, requests } from '../../shared/ipc/contract';
import { defaultPolicies } from '../../shared/model/policies';
import { defaultSettings } from '../../shared/model/settings';
import { Failure, ok, type Result } from '../../shared/result';
import { StoreError } from '../core/storeError';
import type { Log } from '../ports/world';
import { INTERNAL_TEXT, REFUSED_TEXT, serve } from './serve';

const requestNames = Object.keys(requests) as RequestName[];
const jobId = '0190aaaa-0000-7000-8000-000000000001';
const runId = '0190aaaa-0000-7000-8000-000000000002';

const cron = {
  kind: 'cron' as const,
  expression: '0 6 * * *',
  zone: 'local',
  dayMatch: 'either' as const,
  gap: 'run_after' as const,
  repeat: 'first' as const,
};
const settings = {
  kind: 'command' as const,
  form: 'shell' as const,
  line: 'true',
  shell: '',
  program: '',
  arguments: ['one'],
  folder: '',
  variables: [{ name: 'COLOUR', value: 'blue' }],
};

/** One valid input for each request: what is wrong below is then the only thing that is wrong. */
const valid: { [N in RequestName]: Input<N> } = {
  'jobs.list': undefined,
  'jobs.get': { jobId },
  'jobs.save': {
    draft: {
      name: 'Notes',
      settings,
      tags: ['home'],
      notes: '',
      isEnabled: true,
      policies: defaultPolicies,
      schedules: [
        { rule: cron },
        { rule: { kind: 'interval', everyMs: 60_000, basis: 'grid' } },
        { rule: { kind: 'once', local: '2026-03-01T10:00', zone: 'local' } },
      ],
    },
  },
  'jobs.setEnabled': { jobId, isEnabled: true },
  'jobs.duplicate': { jobId },
  'jobs.delete': { jobId, stopRun: false },
  'jobs.restore': { jobId },
  'jobs.markSeen': { jobId },
  'jobs.explain': { jobId, at: 1_775_000_000_000 },
  'jobs.checkAndResume': { jobId },
  'schedules.preview': { rules: [cron], rowsMax: 5 },
  'preview.whatIf': { jobId, from: 1_775_000_000_000, until: 1_775_600_000_000, scenario: {} },
  'commands.check': settings,
  'runs.history': { jobId, limit: 20 },
  'runs.get': { runId },
  'runs.attempts': { runId },
  'runs.start': { jobId, ifActive: 'queue' },
  'runs.startNow': { runId },
  'runs.stop': { runId },
  'output.read': { runId, from: 0, count: 10 },
  'engine.status': undefined,
  'machine.get': undefined,
  'pauses.list': undefined,
  'pauses.start': { scope: { kind: 'tag', tag: 'home' }, note: 'on holiday', until: null },
  'pauses.end': { pauseId: runId },
  'engine.setPaused': { isPaused: true },
  'settings.get': undefined,
  'settings.save': { ...defaultSettings, theme: 'dark' },
  'runs.find': { text: 'backup', outcome: 'failed', limit: 50 },
  'runs.counts': { from: 1_775_000_000_000, until: 1_775_600_000_000 },
  'engine.takeOver': undefined,
  'engine.handOver': undefined,
  'data.get': undefined,
  'data.check': undefined,
  'data.reveal': undefined,
  'backups.list': undefined,
  'backups.create': undefined,
  'backups.restore': { backupId: 'belfry-2026-12-01T03-40-00-000Z-daily.db' },
  'rescue.get': undefined,
  'rescue.retry': undefined,
  'rescue.act': { choice: 'restore', backupId: 'belfry-2026-12-01T03-40-00-000Z-daily.db' },
  'rescue.cancelRepair': undefined,
  'rescue.export': undefined,
  'app.quit': undefined,
  'clipboard.write': { text: '' },
  'folders.choose': { start: '' },
  'window.drawn': undefined,
  'health.get': undefined,
};

type Answer = (sender: string, input: unknown) => Promise<Result<unknown>>;
type LogEntry = { readonly event: string; readonly facts: Record<string, unknown> | undefined };

function setUp(
  options: { handler?: (input: unknown) => Promise<Result<unknown>>; checksOutput?: boolean } = {},
) {
  const answers = new Map<string, Answer>();
  const calls: { name: string; input: unknown }[] = [];
  const entries: LogEntry[] = [];
  const note = (event: string, facts?: Record<string, unknown>): void => void entries.push({ event, facts });
  const log: Log = { info: note, warn: note, error: note };
  const handlers = Object.fromEntries(
    requestNames.map((name) => [
      name,
      async (input: unknown) => {
        calls.push({ name, input });
        return options.handler === undefined ? ok(undefined) : options.handler(input);
      },
    ]),
  ) as unknown as Handlers;
  serve({
    port: { handle: (name, answer) => void answers.set(name, answer) },
    isTrusted: (sender: string) => sender === 'ours',
    handlers,
    log,
    checksOutput: options.checksOutput ?? false,
  });
  const ask = (name: string, input: unknown, sender = 'ours'): Promise<Result<unknown>> =>
    (answers.get(name) as Answer)(sender, input);
  return { answers, calls, entries, ask };
}

test('registers exactly the requests of the contract', () => {
  expect([...setUp().answers.keys()].sort()).toEqual([...requestNames].sort());
});

test.each(requestNames)('hands a valid input of %s to its handler', async (name) => {
  const { ask, calls } = setUp();
  expect(await ask(name, structuredClone(valid[name]))).toEqual(ok(undefined));
  expect(calls.map((call) => call.name)).toEqual([name]);
});

test.each(requestNames)('refuses an untrusted sender of %s before looking at the input', async (name) => {
  const { ask, calls } = setUp();
  expect(await ask(name, valid[name], 'someone else')).toEqual({
    ok: false,
    error: { code: 'unavailable', message: REFUSED_TEXT },
  });
  expect(calls).toEqual([]);
});

test('refuses an unknown field and names it', async () => {
  const { ask, calls } = setUp();
  expect(await ask('jobs.get', { jobId, extra: 1 })).toEqual({
    ok: false,
    error: {
      code: 'invalid_input',
      message: 'Belfry does not know this field.',
      fields: { extra: 'Belfry does not know this field.' },
    },
  });
  expect(calls).toEqual([]);
});

test('names each wrong place by its dotted path, with the sentence of the schema where it has one', async () => {
  const { ask } = setUp();
  const input = structuredClone(valid['jobs.save']);
  input.draft.name = '  ';
  Object.assign(input.draft.settings, { line: 7 });
  Object.assign(input.draft.schedules[1]?.rule ?? {}, { everyMs: 1 });
  const reply = await ask('jobs.save', input);
  expect(reply).toMatchObject({
    ok: false,
    error: {
      code: 'invalid_input',
      message: '3 things to fix.',
      fields: {
        'draft.name': 'Give the job a name.',
        'draft.settings.line': 'This must be a text.',
        'draft.schedules.1.rule.everyMs': 'Use 1 second to 365 days.',
      },
    },
  });
});

test('a thrown secret does not cross, but is reported on our side', async () => {
  const { ask, entries } = setUp({
    handler: () => Promise.reject(new Error('password hunter2 in /home/someone/.netrc')),
  });
  expect(await ask('jobs.list', undefined)).toEqual({
    ok: false,
    error: { code: 'internal', message: INTERNAL_TEXT },
  });
  expect(entries.map(({ event, facts }) => [event, facts?.request, String(facts?.error)])).toEqual([
    ['ipc.failed', 'jobs.list', 'Error: password hunter2 in /home/someone/.netrc'],
  ]);
});

test('what the disk does to a question is told in a sentence, without the text of the error', async () => {
  const { ask } = setUp({
    handler: () => Promise.reject(new StoreError('full', 'SQLITE_FULL /home/someone')),
  });
  const reply = await ask('jobs.list', undefined);
  expect(reply).toMatchObject({
    ok: false,
    error: { code: 'unavailable', message: expect.stringContaining('the disk is full') },
  });
  expect(JSON.stringify(reply)).not.toContain('someone');
});

test.each([
  '../x.db',
  'a/b.db',
  'a\\b.db',
  '/etc/x.db',
  'x\0.db',
  'x.db\n',
  'x.db\0',
  '%2e%2e%2fx.db',
  `${'x'.repeat(198)}.db`,
  '',
])('the name of a copy is no path: %j is refused', async (backupId) => {
  await expectRefusal('backups.restore', { backupId }, backupId);
  await expectRefusal('rescue.act', { choice: 'restore', backupId }, backupId);
});

test('a search that is too long or a page that is too large is refused', async () => {
  await expectRefusal('runs.find', { text: 'x'.repeat(5_000), limit: 50 }, 'a long text');
  await expectRefusal('runs.find', { limit: 1_000_000 }, 'a large page');
});

test('an answer that breaks the contract is caught where answers are checked', async () => {
  const wrong = { handler: async () => ok([{ id: 'not a row' }]) };
  expect(await setUp({ ...wrong, checksOutput: true }).ask('jobs.list', undefined)).toMatchObject({
    ok: false,
    error: { code: 'internal' },
  });
  expect(await setUp(wrong).ask('jobs.list', undefined)).toMatchObject({ ok: true });
});

// ---- fuzzing: one wrong thing at a time, everywhere in a valid input ----

const HUGE = 'x'.repeat(10 * 1024 * 1024);
const wrongValues: readonly (readonly [string, unknown])[] = [
  ['an unknown object', { call: 1 }],
  ['a map', new Map([['a', 1]])],
  ['not a number', Number.NaN],
  ['a huge text', HUGE],
  ['a deep list', [[[[[[1]]]]]]],
];

type Path = readonly (string | number)[];

/** Every place in a value, containers included. */
function places(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([key, part]) => places(part, [...path, key]))];
}

function replaceAt(value: unknown, path: Path, replacement: unknown): unknown {
  if (path.length === 0) return replacement;
  const copy = structuredClone(value);
  let parent = copy as Record<string | number, unknown>;
  for (const key of path.slice(0, -1)) parent = parent[key] as Record<string | number, unknown>;
  parent[path.at(-1) as string | number] = replacement;
  return copy;
}

const at = (value: unknown, path: Path): unknown =>
  path.reduce<unknown>((part, key) => (part as Record<string | number, unknown>)[key], value);

async function expectRefusal(name: RequestName, input: unknown, what: string): Promise<void> {
  const { ask, calls, entries } = setUp();
  const reply = await ask(name, input);
  expect(reply.ok ? 'ok' : reply.error.code, `${name} with ${what}`).toBe('invalid_input');
  if (!reply.ok) {
    expect(Failure.safeParse(reply.error).success, `${name} with ${what}`).toBe(true);
    expect(JSON.stringify(reply.error).length).toBeLessThan(20_000);
  }
  expect(calls).toEqual([]);
  expect(entries).toEqual([]);
}

test.each(requestNames)('refuses every wrong type in the input of %s', async (name) => {
  const input = valid[name];
  for (const path of places(input)) {
    for (const [what, wrong] of wrongValues) {
      await expectRefusal(name, replaceAt(input, path, wrong), `${what} at ${path.join('.') || 'the top'}`);
    }
  }
  if (input !== undefined) await expectRefusal(name, undefined, 'nothing');
  await expectRefusal(name, null, 'null');
});

test.each(requestNames)('refuses an extra field anywhere in the input of %s', async (name) => {
  const input = valid[name];
  const objects = places(input).filter((path) => {
    const part = at(input, path);
    return typeof part === 'object' && part !== null && !Array.isArray(part);
  });
  for (const path of objects) {
    for (const key of ['extra', '__proto__', 'constructor', 'prototype', HUGE]) {
      const part = JSON.parse(JSON.stringify(at(input, path)));
      Object.defineProperty(part, key, { value: { isAdmin: true }, enumerable: true });
      await expectRefusal(name, replaceAt(input, path, part), `${key.slice(0, 20)} at ${path.join('.')}`);
    }
  }
  if (objects.length === 0) await expectRefusal(name, { extra: 1 }, 'a field');
  expect(({} as { isAdmin?: boolean }).isAdmin).toBeUndefined();
});
