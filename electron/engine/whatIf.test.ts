/**
 * What would happen. The proof that matters: a scenario is asked for, then lived through for real on the same machine, and
 * both tell the same rows.
 */
import { expect, test } from 'vitest';
import type { JobDraft, JobId } from '../../shared/model/job';
import { Scenario, WHAT_IF_ROWS_MAX, type WhatIf, type WhatIfRow } from '../../shared/model/whatIf';
import type { Result } from '../../shared/result';
import { DAY_MS, HOUR_MS, type Instant, MINUTE_MS, toInstant } from '../../shared/time';
import { cron, draftOf, instant, Rig, unwrap } from '../testing/rig';
import type { WhatIfQuery } from './engine';

const calm = Scenario.parse({});

/** The real world goes on, without time passing, until the answer is there. */
async function pump<T>(rig: Rig, promise: Promise<T>): Promise<T> {
  let isOver = false;
  promise.then(
    () => {
      isOver = true;
    },
    () => {
      isOver = true;
    },
  );
  while (!isOver) await rig.time.advance(0);
  return promise;
}

type Asked = Partial<Omit<WhatIfQuery, 'scenario'>> & { readonly scenario?: object };

const asked = (rig: Rig, { scenario = {}, ...query }: Asked): WhatIfQuery => {
  const from = query.from ?? rig.time.clock.now();
  return { from, until: toInstant(from + DAY_MS), ...query, scenario: Scenario.parse(scenario) };
};
const whatIf = (rig: Rig, query: Asked): Promise<Result<WhatIf>> =>
  pump(rig, rig.engine.whatIf(asked(rig, query)));

const short = ({
  plannedAt,
  untilAt,
  count,
  kind,
  reason,
  missCause,
  trigger,
  startedAt,
  endedAt,
}: WhatIfRow) => [plannedAt, untilAt, count, kind, reason, missCause, trigger, startedAt, endedAt] as const;

/** The same rows, of what became true. */
async function lived(rig: Rig, jobIds: readonly JobId[], from: Instant): Promise<ReturnType<typeof short>[]> {
  return rig.store.read(async (reader) => {
    const rows: WhatIfRow[] = [];
    for (const jobId of jobIds) {
      const job = await reader.jobs.get(jobId);
      for (const { id } of job?.schedules ?? []) {
        const span = { after: toInstant(from - 1), until: rig.time.clock.now(), max: 10_000 };
        for (const decision of await reader.decisions.between(id, span)) {
          const { runId, decidedAt: _decidedAt, ...told } = decision;
          const run = decision.kind !== 'run' || runId === null ? null : await reader.runs.get(runId);
          rows.push({
            ...told,
            jobId,
            trigger: run?.trigger ?? null,
            startedAt: run?.startedAt ?? null,
            endedAt: run?.endedAt ?? null,
          });
        }
      }
    }
    return rows.map(short).sort(byMoment);
  });
}

const byMoment = (a: ReturnType<typeof short>, b: ReturnType<typeof short>): number =>
  a[0] - b[0] || JSON.stringify(a).localeCompare(JSON.stringify(b));

const sorted = ({ rows }: WhatIf) => rows.map(short).sort(byMoment);

test('a quiet day is foreseen as the job will run it, and nothing real happens', async () => {
  const rig = await Rig.started();
  const job = await rig.addJob({ rules: [cron('0 */6 * * *')] });
  const announcedBefore = rig.announced.length;
  const answer = unwrap(await whatIf(rig, { jobId: job.id }));
  expect(answer).toMatchObject({ isCut: false, endsAt: instant('2026-05-05T07:58Z') });
  expect(
    answer.rows.map(({ plannedAt, kind, startedAt }) => [
      new Date(plannedAt).toISOString(),
      kind,
      startedAt === plannedAt,
    ]),
  ).toEqual([
    ['2026-05-04T12:00:00.000Z', 'run', true],
    ['2026-05-04T18:00:00.000Z', 'run', true],
    ['2026-05-05T00:00:00.000Z', 'run', true],
    ['2026-05-05T06:00:00.000Z', 'run', true],
  ]);
  expect(rig.processes.spawned).toEqual([]);
  expect(await rig.history(job.id)).toEqual([]);
  expect(rig.announced.length).toBe(announcedBefore);
  expect(rig.time.clock.now()).toBe(instant('2026-05-04T07:58Z'));
});

test('a run lasts as long as the job usually takes, so an overlap is foreseen', async () => {
  const rig = await Rig.started();
  rig.processes.script = () => ({ durationMs: 90 * MINUTE_MS });
  const job = await rig.addJob({ rules: [cron('0 * * * *')], policies: { timeoutMs: null } });
  await rig.advanceTo('2026-05-04T11:45Z');
  const { rows } = unwrap(await whatIf(rig, { jobId: job.id, until: instant('2026-05-04T15:59Z') }));
  expect(rows.map(({ kind, reason }) => `${kind} ${reason}`)).toEqual([
    'run on_time',
    'skip overlap',
    'run on_time',
    'skip overlap',
  ]);
  expect(rows[0]?.endedAt).toBe(instant('2026-05-04T13:30Z'));
});

test('what is foreseen of sleep, a pause, other jobs and a run that goes on is what then happens', async () => {
  const rig = await Rig.started();
  rig.processes.script = ({ jobName }) => ({ durationMs: jobName === 'Long' ? 50 * MINUTE_MS : 1_000 });
  const facts = { policies: { timeoutMs: null } };
  const jobs = [
    await rig.addJob({ name: 'Hourly', rules: [cron('0 * * * *')] }),
    await rig.addJob({ name: 'Long', rules: [cron('*/40 * * * *')], ...facts }),
    await rig.addJob({
      name: 'None',
      rules: [cron('30 */2 * * *')],
      policies: { catchUp: { mode: 'none', ageMsMax: null, countMax: 10 } },
    }),
    await rig.addJob({
      name: 'Interval',
      rules: [{ kind: 'interval', everyMs: 37 * MINUTE_MS, basis: 'grid' }],
    }),
    await rig.addJob({
      name: 'After end',
      rules: [{ kind: 'interval', everyMs: 45 * MINUTE_MS, basis: 'after_end' }],
    }),
  ];
  await rig.advanceTo('2026-05-04T12:10Z');
  await rig.engine.startPause({ scope: { kind: 'all' }, note: '', until: instant('2026-05-04T13:30Z') });
  await rig.time.advance(1_000);
  const from = rig.time.clock.now();
  const until = toInstant(from + 20 * HOUR_MS);
  const night = { from: toInstant(from + 6 * HOUR_MS), to: toInstant(from + 13 * HOUR_MS) };
  const answer = unwrap(await whatIf(rig, { from, until, scenario: { asleep: [night] } }));

  await rig.time.advance(night.from - from);
  rig.engine.notifySuspend();
  await rig.time.advance(0);
  await rig.time.sleepFor(night.to - night.from);
  rig.engine.notifyResume();
  await rig.time.advance(until - night.to);
  const real = await lived(
    rig,
    jobs.map(({ id }) => id),
    from,
  );
  expect(real.length).toBeGreaterThan(60);
  expect(sorted(answer)).toEqual(real);
});

test('power-off, a journey and a clock that is set are foreseen as they happen', async () => {
  const rig = await Rig.started({ startAt: '2026-03-27T07:58Z', zone: 'Europe/Berlin' });
  const jobs = [
    await rig.addJob({ name: 'Nightly', rules: [cron('30 2 * * *')] }),
    await rig.addJob({ name: 'Morning', rules: [cron('0 9 * * *')] }),
    await rig.addJob({ name: 'Often', rules: [cron('*/20 * * * *')] }),
  ];
  const from = rig.time.clock.now();
  const later = (hours: number): Instant => toInstant(from + hours * HOUR_MS);
  const scenario = {
    off: [{ from: later(10), to: later(22) }],
    travels: [{ at: later(30), zone: 'Asia/Tokyo' }],
    clockSteps: [{ at: later(40), byMs: 3 * HOUR_MS }],
  };
  const answer = unwrap(await whatIf(rig, { from, until: later(72), scenario }));

  await rig.time.advance(10 * HOUR_MS);
  const stopping = rig.engine.stop({ runs: 'leave' });
  await rig.time.advance(0);
  await stopping;
  rig.processes.vanish();
  await rig.time.sleepFor(12 * HOUR_MS);
  rig.machine.reboot();
  rig.renew();
  const starting = rig.engine.start();
  await rig.time.advance(0);
  await starting;
  await rig.time.advance(8 * HOUR_MS);
  rig.machine.zone = 'Asia/Tokyo';
  rig.engine.notifyResume();
  await rig.time.advance(10 * HOUR_MS);
  rig.time.jump(3 * HOUR_MS);
  rig.engine.notifyResume();
  await rig.time.advance(32 * HOUR_MS);
  const withoutCause = (row: ReturnType<typeof short>) =>
    row.map((value, place) => (place === 5 ? null : value));
  const real = await lived(
    rig,
    jobs.map(({ id }) => id),
    from,
  );
  expect(sorted(answer).map(withoutCause)).toEqual(real.map(withoutCause));
  expect(real.some(([, , , , reason]) => reason === 'caught_up')).toBe(true);
});

test('waits for power and network, spread starts, chains and events are foreseen as they happen', async () => {
  const rig = await Rig.started();
  // Not two hours: what is given up in the very millisecond of the next due time may come before or after it.
  const patience = { waitMsMax: 100 * MINUTE_MS, otherwise: 'skip' as const };
  const first = await rig.addJob({
    name: 'Plugged in',
    rules: [cron('0 * * * *')],
    conditions: [{ kind: 'mains', ...patience }],
  });
  const jobs = [
    first,
    await rig.addJob({ name: 'After', rules: [{ kind: 'after_job', jobId: first.id, on: 'succeeded' }] }),
    await rig.addJob({
      name: 'Spread',
      rules: [cron('*/30 * * * *')],
      policies: { jitterMs: 10 * MINUTE_MS },
    }),
    await rig.addJob({
      name: 'Online',
      rules: [cron('20 * * * *')],
      conditions: [{ kind: 'network', ...patience, waitMsMax: 5 * MINUTE_MS, otherwise: 'run' }],
    }),
    await rig.addJob({ name: 'Woken', rules: [{ kind: 'event', on: 'wake' }] }),
    await rig.addJob({ name: 'Started', rules: [{ kind: 'event', on: 'start' }] }),
  ];
  const from = rig.time.clock.now();
  const later = (hours: number): Instant => toInstant(from + hours * HOUR_MS);
  const scenario = {
    onBattery: [
      { from: later(1), to: later(2.5) },
      { from: later(4), to: later(9) },
    ],
    withoutNetwork: [{ from: later(3), to: later(3.5) }],
    asleep: [{ from: later(10), to: later(12) }],
  };
  const answer = unwrap(await whatIf(rig, { from, until: later(14), scenario }));

  const power = async (state: 'met' | 'unmet'): Promise<void> => {
    rig.surroundings.states.set('mains', state);
    rig.surroundings.tell('power');
    await rig.time.advance(0);
  };
  const network = async (state: 'met' | 'unmet'): Promise<void> => {
    rig.surroundings.states.set('network', state);
    rig.surroundings.networkState = state === 'met' ? 'up' : 'down';
    rig.surroundings.tell('network');
    await rig.time.advance(0);
  };
  const goOnTo = (hours: number): Promise<void> => rig.time.advance(later(hours) - rig.time.clock.now());
  await goOnTo(1);
  await power('unmet');
  await goOnTo(2.5);
  await power('met');
  await goOnTo(3);
  await network('unmet');
  await goOnTo(3.5);
  await network('met');
  await goOnTo(4);
  await power('unmet');
  await goOnTo(9);
  await power('met');
  await goOnTo(10);
  rig.engine.notifySuspend();
  await rig.time.advance(0);
  await rig.time.sleepFor(2 * HOUR_MS);
  rig.engine.notifyResume();
  await goOnTo(14);
  const real = await lived(
    rig,
    jobs.map(({ id }) => id),
    from,
  );
  expect(real.some(([, , , , reason]) => reason === 'condition')).toBe(true);
  expect(sorted(answer)).toEqual(real);
});

test('a draft is taken as the editor has it, in place of what is stored or as a new job', async () => {
  const rig = await Rig.started();
  const job = await rig.addJob({ rules: [cron('0 8 * * *')] });
  const draft: JobDraft = draftOf({ rules: [cron('0 */8 * * *')] });
  const edited = unwrap(await whatIf(rig, { jobId: job.id, draft }));
  expect(edited.rows.map(({ plannedAt }) => new Date(plannedAt).getUTCHours())).toEqual([8, 16, 0]);
  expect(new Set(edited.rows.map(({ jobId }) => jobId))).toEqual(new Set([job.id]));
  const made = unwrap(await whatIf(rig, { draft }));
  expect(made.rows).toHaveLength(3);
  expect((await rig.engine.jobRows()).map(({ scheduleShort }) => scheduleShort)).toHaveLength(1);
  const broken = draftOf({ rules: [cron('61 * * * *')] });
  expect(await whatIf(rig, { draft: broken })).toMatchObject({ ok: false, error: { code: 'invalid_input' } });
});

test('a span may begin in the future or in the past', async () => {
  const rig = await Rig.started();
  const job = await rig.addJob({ rules: [cron('0 9 * * *')] });
  for (const from of ['2026-08-01T00:00Z', '2026-01-01T00:00Z']) {
    const start = instant(from);
    const answer = unwrap(
      await whatIf(rig, { jobId: job.id, from: start, until: toInstant(start + 3 * DAY_MS) }),
    );
    expect(answer.rows.map(({ plannedAt, reason }) => [plannedAt - start, reason])).toEqual([
      [9 * HOUR_MS, 'on_time'],
      [33 * HOUR_MS, 'on_time'],
      [57 * HOUR_MS, 'on_time'],
    ]);
  }
});

test('more than can be told is cut, and says where', { timeout: 60_000 }, async () => {
  const rig = await Rig.started();
  for (let number = 0; number < 20; number += 1) {
    await rig.addJob({ name: `Job ${number}`, rules: [cron('* * * * *')] });
  }
  const from = rig.time.clock.now();
  const answer = unwrap(await whatIf(rig, { from, until: toInstant(from + 7 * DAY_MS) }));
  expect(answer.isCut).toBe(true);
  expect(answer.rows.length).toBe(WHAT_IF_ROWS_MAX);
  expect(answer.endsAt).toBeLessThanOrEqual(from + 110 * MINUTE_MS);
  expect(answer.endsAt).toBeGreaterThan(from + 90 * MINUTE_MS);
});

test('a newer question ends an older one', async () => {
  const rig = await Rig.started();
  const job = await rig.addJob({ rules: [cron('0 * * * *')] });
  const questions = [1, 2, 3].map(() => rig.engine.whatIf(asked(rig, { jobId: job.id })));
  const answers = await pump(rig, Promise.all(questions));
  expect(answers.map((answer) => (answer.ok ? 'ok' : answer.error.code))).toEqual([
    'conflict',
    'conflict',
    'ok',
  ]);
});

test('nonsense is refused', async () => {
  const rig = await Rig.started();
  const now = rig.time.clock.now();
  expect(await whatIf(rig, { from: now, until: now })).toMatchObject({
    ok: false,
    error: { code: 'invalid_input' },
  });
  const nobody = '00000000-0000-7000-8000-00000000ffff' as JobId;
  expect(await whatIf(rig, { jobId: nobody })).toMatchObject({ ok: false, error: { code: 'not_found' } });
  expect(calm.asleep).toEqual([]);
});
