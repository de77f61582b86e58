/** Real processes that are killed, stopped and started together: a short set; `npm run torture` goes on for hours. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createChance } from './chance.mjs';
import { killCopying, killMigrations } from './copies.mjs';
import { tortureByKills } from './kills.mjs';
import { createTogether, editBesideSilentLeader, sleepThroughLease, startTogether } from './pairs.mjs';
import { buildProgram, type Program } from './program.mjs';

let program: Program;
beforeAll(async () => {
  program = await buildProgram();
});
afterAll(() => program.remove());

const newSeed = (): number => 1 + Math.floor(Math.random() * 2 ** 31);

test('nothing is lost, run twice or left behind when Belfry is killed at any moment (D3, D4, H-19)', async () => {
  const report = await tortureByKills({ program, kills: 12, seed: newSeed(), checkEach: 6 });
  expect(report).toMatchObject({ faults: [], kills: 12 });
  expect(report.begins).toBeGreaterThan(0);
});

test.each([{ endsAsleep: true }, { endsAsleep: false }])(
  'a holder that slept through its lease steps down, and its command ends once (H-29, X-12) %o',
  async (how) => {
    expect(await sleepThroughLease(program, how)).toMatchObject({ faults: [] });
  },
);

test('of two that start in the same instant one leads, and the other takes over when it goes (H-18, X-10)', async () => {
  const { faults, tookMs } = await startTogether(program, { times: 3 });
  expect(faults).toEqual([]);
  expect(tookMs).toMatchObject({ 'takeover after SIGTERM': [expect.any(Number)] });
});

test('two that create one data folder share it (H-18)', async () => {
  expect(await createTogether(program)).toMatchObject({ faults: [] });
});

test('a leader that was stopped hears within a second what another process changed meanwhile (H-30)', async () => {
  const { faults, tookMs } = await editBesideSilentLeader(program);
  expect(faults).toEqual([]);
  // A second until it is due and one to hear of it, on a quiet machine; by itself the leader looks after thirty.
  expect(tookMs['deciding about a change beside the leader']?.[0]).toBeLessThan(15_000);
});

test('a copy that is made or put back while everything is killed leaves a store and whole copies (S-13, X-47)', async () => {
  expect(await killCopying(program, { times: 3, chance: createChance(newSeed()) })).toMatchObject({
    faults: [],
  });
});

test('an older store that is being brought up to date is old or new after a kill, and complete', async () => {
  expect(await killMigrations(program, { times: 3, chance: createChance(newSeed()) })).toMatchObject({
    faults: [],
  });
});
