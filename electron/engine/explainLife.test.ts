/**
 * Thirty days of a laptop that sleeps, is off, travels, and whose jobs are edited, paused, switched off and deleted: every due
 * time of every day has one explanation, none is left undecided, and each agrees with what was recorded (product.md 3.2).
 */
import { expect, test, vi } from 'vitest';
import { momentsIn } from '../../shared/explain/moments';
import { explainInWords } from '../../shared/explain/words';
import type { Job } from '../../shared/model/job';
import type { Decision } from '../../shared/model/run';
import { occurrencesBetween } from '../../shared/schedule/occurrences';
import { DAY_MS, HOUR_MS, type Instant, MINUTE_MS, toInstant } from '../../shared/time';
import { createRandom } from '../testing/random';
import { asDraft, cron, Rig, unwrap } from '../testing/rig';
import { createEngine } from './createEngine';

vi.setConfig({ testTimeout: 120_000 });

const DAYS = 30;

/** What was true of the job, as the one who changed it knows: from `at` on, until the next. */
type Chapter = { readonly at: Instant; readonly job: Job; readonly state: 'on' | 'off' | 'deleted' };

/** The engine looks at its clocks every hour instead of every half minute: a month of idle looks takes long. */
function looksSeldom(rig: Rig): void {
  rig.engine = createEngine({ ...rig.incarnation.ports, sleepMsMax: HOUR_MS });
}

class Month {
  readonly rig: Rig;
  readonly chapters: Chapter[] = [];
  readonly random: ReturnType<typeof createRandom>;
  #job: Job;
  #state: Chapter['state'] = 'on';

  private constructor(rig: Rig, job: Job, random: ReturnType<typeof createRandom>) {
    this.rig = rig;
    this.random = random;
    this.#job = job;
    this.#note();
  }

  static async begin(seed: number): Promise<Month> {
    const rig = new Rig({ zone: 'Europe/Berlin', startAt: '2026-03-10T07:58Z' });
    looksSeldom(rig);
    await rig.engine.start();
    rig.processes.script = () => ({ durationMs: 25 * MINUTE_MS });
    const job = await rig.addJob({ rules: [cron('*/20 * * * *', 'Europe/Berlin')], tags: ['work'] });
    return new Month(rig, job, createRandom(seed));
  }

  get job(): Job {
    return this.#job;
  }

  #note(): void {
    this.chapters.push({ at: this.rig.time.clock.now(), job: this.#job, state: this.#state });
  }

  /** One thing happens. */
  async turn(): Promise<void> {
    const { rig } = this;
    const chance = this.random.between(0, 8);
    if (chance === 0) {
      rig.engine.notifySuspend();
      await rig.time.advance(0);
      await rig.time.sleepFor(this.random.between(1, 10) * HOUR_MS + 7 * MINUTE_MS);
      rig.engine.notifyResume();
    } else if (chance === 1) await this.#off();
    else if (chance === 2) {
      const scopes = [
        { kind: 'all' },
        { kind: 'tag', tag: 'work' },
        { kind: 'job', jobId: this.#job.id },
      ] as const;
      const scope = this.random.pick(scopes);
      const until = toInstant(rig.time.clock.now() + 5 * HOUR_MS + MINUTE_MS);
      unwrap(await rig.engine.startPause({ scope, note: 'on holiday', until }));
    } else if (chance === 3 && this.#state === 'on') await this.#edit();
    else if (chance === 4 && this.#state !== 'deleted') {
      this.#job = unwrap(
        await rig.engine.setEnabled({ jobId: this.#job.id, isEnabled: this.#state === 'off' }),
      );
      this.#state = this.#state === 'off' ? 'on' : 'off';
      this.#note();
    } else if (chance === 5 && this.#state === 'on') {
      unwrap(await rig.engine.deleteJob({ jobId: this.#job.id, stopRun: true }));
      this.#state = 'deleted';
      this.#note();
    } else if (this.#state === 'deleted') {
      this.#job = unwrap(await rig.engine.restoreJob(this.#job.id)) ?? this.#job;
      this.#state = 'on';
      this.#note();
    } else if (chance === 6) {
      rig.machine.zone = rig.machine.zone === 'Asia/Tokyo' ? 'Europe/Berlin' : 'Asia/Tokyo';
      rig.engine.notifyResume();
    }
    // Never at a due time itself, so that no two things happen in one millisecond.
    await rig.time.advance(this.random.between(1, 30) * HOUR_MS + 61_003);
  }

  async #off(): Promise<void> {
    const { rig } = this;
    const stopping = rig.engine.stop({ runs: 'leave' });
    await rig.time.advance(0);
    await stopping;
    rig.processes.vanish();
    await rig.time.sleepFor(this.random.between(2, 21) * HOUR_MS);
    rig.machine.reboot();
    rig.renew();
    looksSeldom(rig);
    const starting = rig.engine.start();
    await rig.time.advance(0);
    await starting;
  }

  async #edit(): Promise<void> {
    const expressions = ['*/20 * * * *', '15 * * * *', '0 3,9,21 * * *'];
    const rule = cron(this.random.pick(expressions), 'Europe/Berlin');
    const schedules = this.#job.schedules.map((schedule) => ({ ...schedule, rule }));
    this.#job = unwrap(
      await this.rig.engine.saveJob({ jobId: this.#job.id, draft: { ...asDraft(this.#job), schedules } }),
    );
    this.#note();
  }

  /** Every due time of each chapter. */
  *dueTimes(): Generator<{ at: Instant; state: Chapter['state'] }> {
    const now = this.rig.time.clock.now();
    for (const [place, { at, job, state }] of this.chapters.entries()) {
      const until = this.chapters[place + 1]?.at ?? now;
      const context = { hostZone: 'UTC', createdAt: job.createdAt };
      for (const { rule } of job.schedules) {
        for (const due of occurrencesBetween(rule, at, until, context)) yield { at: due, state };
      }
    }
  }

  async decisions(): Promise<Decision[]> {
    const now = this.rig.time.clock.now();
    const ids = new Set(this.chapters.flatMap(({ job }) => job.schedules.map(({ id }) => id)));
    return this.rig.store.read(async (reader) => {
      const span = { after: toInstant(0), until: now, max: 100_000 };
      const found: Decision[] = [];
      for (const id of ids) found.push(...(await reader.decisions.between(id, span)));
      return found;
    });
  }
}

const KIND = { ran: 'run', waiting: 'run', merged: 'merge', skipped: 'skip' } as const;

test.each([1, 3])(
  'in month %i every due time has one explanation, and it agrees with history',
  async (seed) => {
    const month = await Month.begin(seed);
    const { rig } = month;
    const endsAt = rig.time.clock.now() + DAYS * DAY_MS;
    while (rig.time.clock.now() < endsAt) await month.turn();

    const decisions = await month.decisions();
    const explained = { run: 0, merge: 0, skip: 0 };
    const faults: string[] = [];
    let dueCount = 0;
    for (const { at, state } of month.dueTimes()) {
      dueCount += 1;
      const answer = unwrap(await rig.engine.explain(month.job.id, at));
      const covering = decisions.filter(({ plannedAt, untilAt }) => plannedAt <= at && at <= untilAt);
      const kind = answer.code in KIND ? KIND[answer.code as keyof typeof KIND] : null;
      const isRight =
        state === 'on'
          ? covering.length === 1 && covering[0]?.kind === kind && answer.plannedAt === at
          : covering.length === 0 && ['disabled', 'deleted', 'not_planned'].includes(answer.code);
      if (kind !== null) explained[kind] += 1;
      const sentence = explainInWords(answer, at, momentsIn('UTC'));
      if (!isRight) faults.push(`${new Date(at).toISOString()} ${state} ${answer.code}: ${sentence}`);
    }
    expect(faults).toEqual([]);
    const recorded = { run: 0, merge: 0, skip: 0 };
    for (const { kind, count } of decisions) recorded[kind] += count;
    expect(explained).toEqual(recorded);
    expect(dueCount).toBeGreaterThan(300);
  },
);
