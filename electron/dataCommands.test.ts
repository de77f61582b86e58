/** The commands about copies, checks and runs, against files and answers that are made up; the real ones are in dataActions.test.ts. */

import { expect, test } from 'vitest';
import type { RequestName } from '../shared/ipc/contract';
import type { Backup, BackupId } from '../shared/model/data';
import { fail, ok } from '../shared/result';
import { toInstant } from '../shared/time';
import { EXIT, Refusal } from './commandAnswers';
import { StoreError } from './core/storeError';
import { backupCommand, backupOffline, checkOffline, dataOffline, runsCommand } from './dataCommands';
import type { SocketClient } from './ipc/socketClient';
import type { OfflineData } from './ports/data';

const backup = (id: string, problem: string | null = null): Backup => ({
  id: id as BackupId,
  reason: 'daily',
  madeAt: toInstant(1_775_000_000_000),
  bytes: 40_960,
  jobCount: 1,
  runCount: 2,
  problem,
});
const COPIES = [backup('newest.db', 'This copy is damaged.'), backup('newer.db'), backup('old.db')];
const REPORT = { choice: 'restore' as const, sentences: ['The copy is in place.'], keptFile: null };

function offline(
  options: { copies?: Backup[]; finding?: string | null; cannotCopy?: boolean; holder?: string } = {},
) {
  const done: string[] = [];
  const files: Partial<OfflineData['files']> = {
    backups: async () => options.copies ?? COPIES,
    restore: async (id) => {
      done.push(`restore ${id}`);
      return ok(REPORT);
    },
  };
  const keeper: Partial<OfflineData['keeper']> = {
    backUp: async (reason) => {
      if (options.cannotCopy) throw new StoreError('corrupt', 'The store is damaged.');
      done.push(`copy ${reason}`);
      return backup('made.db');
    },
    check: async () => options.finding ?? null,
    sizes: async () => ({ folder: '/the/data', storeBytes: 40_960, backupBytes: 0, freeBytes: null }),
  };
  return { data: { files, keeper, holder: async () => options.holder ?? null } as OfflineData, done };
}

function client(answers: Partial<Record<RequestName, unknown>>) {
  const asked: [string, unknown][] = [];
  const made = {
    request: async (name: RequestName, input: unknown) => {
      asked.push([name, input]);
      return name in answers ? answers[name] : fail('unavailable', `${name} was not expected`);
    },
  } as unknown as SocketClient;
  return { client: made, asked };
}

const refusalOf = async (work: Promise<unknown>): Promise<Refusal> => {
  const error = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(Refusal);
  return error as Refusal;
};

test('“latest” is the newest copy that can be put back', async () => {
  const { data, done } = offline();
  expect(await backupOffline(data, ['restore', 'latest'])).toEqual({
    value: REPORT,
    text: 'The copy is in place.',
  });
  expect(done).toEqual(['copy restore', 'restore newer.db']);
});

test('a copy that is damaged is refused with what is wrong, before anything is touched', async () => {
  const { data, done } = offline();
  expect((await refusalOf(backupOffline(data, ['restore', 'newest.db']))).message).toBe(
    'This copy is damaged.',
  );
  const none = offline({ copies: [backup('newest.db', 'This copy is damaged.')] });
  expect((await refusalOf(backupOffline(none.data, ['restore', 'latest']))).message).toMatch(
    /^No copy can be put back\./,
  );
  expect((await backupOffline(data, ['list'])).text).toContain('This copy is damaged.');
  expect([...done, ...none.done]).toEqual([]);
});

test('a copy is put back although the present store is too damaged to be copied first', async () => {
  const { data, done } = offline({ cannotCopy: true });
  await backupOffline(data, ['restore', 'old.db']);
  expect(done).toEqual(['restore old.db']);
});

test('nothing is put back under a process that may still work with the data', async () => {
  const { data, done } = offline({ holder: 'Process 7 does not answer.' });
  const refused = await refusalOf(backupOffline(data, ['restore', 'latest']));
  expect([refused.message, refused.exitCode]).toEqual(['Process 7 does not answer.', EXIT.refused]);
  expect(done).toEqual([]);
  // To look and to copy is harmless.
  expect((await backupOffline(data, ['list'])).text).toContain('newer.db');
  await backupOffline(data, ['create']);
});

test.each(['nothing.db', 'old', '../old.db', 'a/old.db', ''])(
  'a name that is not exactly one of a copy is refused before anything is touched: %j',
  async (name) => {
    const { data, done } = offline();
    expect((await refusalOf(backupOffline(data, ['restore', name]))).exitCode).toBe(EXIT.refused);
    expect(done).toEqual([]);
  },
);

test('without a copy there is nothing to put back', async () => {
  const { data, done } = offline({ copies: [] });
  expect((await backupOffline(data, ['list'])).text).toBe('There is no copy yet.');
  expect((await refusalOf(backupOffline(data, ['restore', 'latest']))).message).toBe('There is no copy yet.');
  expect(done).toEqual([]);
});

test.each([[['restore']], [['list', 'more']], [['create', 'more']], [['dance']]])(
  'what is not understood is answered with how it is used: %j',
  async (words) => {
    const { data, done } = offline();
    expect((await refusalOf(backupOffline(data, words))).exitCode).toBe(EXIT.usage);
    expect((await refusalOf(backupCommand(client({}).client, words))).exitCode).toBe(EXIT.usage);
    expect(done).toEqual([]);
  },
);

test('a check that finds damage is a refusal, for scripts', async () => {
  const found = await refusalOf(checkOffline(offline({ finding: 'page 7' }).data));
  expect(found.message).toMatch(/^A part of the data is damaged\..*\nDetail: page 7$/);
  expect(found.exitCode).toBe(EXIT.refused);
  expect((await checkOffline(offline().data)).text).toContain('whole');
});

test('the room and the last copy are told without a Belfry', async () => {
  const { value, text } = await dataOffline(offline().data);
  expect(text).toMatch(/^store 41 kB, copies 0 B\nlast copy 2026-.*\n\/the\/data$/);
  expect(value).toMatchObject({ storeBytes: 40_960, lastBackupAt: 1_775_000_000_000 });
  expect((await dataOffline(offline({ copies: [] }).data)).text).toContain('last copy never');
});

test('a disk that cannot make a copy is told in a sentence', async () => {
  const { data } = offline({ cannotCopy: true });
  expect((await refusalOf(backupOffline(data, ['create']))).message).toBe('The store is damaged.');
});

test('a running Belfry puts the copy back itself, in the way that fits its store (S-03)', async () => {
  const answers = {
    'backups.list': ok(COPIES),
    'backups.restore': ok(REPORT),
    'rescue.act': ok(REPORT),
  };
  const open = client({ ...answers, 'rescue.get': ok(null) });
  await backupCommand(open.client, ['restore', 'latest']);
  expect(open.asked.at(-1)).toEqual(['backups.restore', { backupId: 'newer.db' }]);

  const refused = client({ ...answers, 'rescue.get': ok({ code: 'damaged' }) });
  await backupCommand(refused.client, ['restore', 'old.db']);
  expect(refused.asked.at(-1)).toEqual(['rescue.act', { choice: 'restore', backupId: 'old.db' }]);
});

test('runs are asked for with what the options name', async () => {
  const { client: asking, asked } = client({ 'runs.find': ok({ runs: [], next: null }) });
  const options = { outcome: ['failed'], search: ['disk'], limit: ['7'], since: ['2026-05-04T09:00Z'] };
  expect((await runsCommand(asking, options)).text).toBe('No run was found.');
  expect(asked).toEqual([
    ['runs.find', { limit: 7, outcome: 'failed', text: 'disk', from: Date.UTC(2026, 4, 4, 9) }],
  ]);
});

test.each([{ limit: ['0'] }, { limit: ['many'] }, { limit: ['201'] }, { outcome: ['splendid'] }])(
  'an option that makes no sense is refused without asking: %j',
  async (options) => {
    const { client: asking, asked } = client({});
    expect((await refusalOf(runsCommand(asking, options))).exitCode).toBe(EXIT.usage);
    expect(asked).toEqual([]);
  },
);
