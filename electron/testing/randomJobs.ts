/** Jobs of every policy, and commands that behave in every way, by chance. Some drafts are refused, as those of people are. */

import { emptyCommandSettings } from '../../shared/kinds/command';
import type { Condition } from '../../shared/model/condition';
import { type Dates, everyDay } from '../../shared/model/dates';
import type { JobDraft, JobId } from '../../shared/model/job';
import type { Policies } from '../../shared/model/policies';
import type { ScheduleRule } from '../../shared/model/schedule';
import { DAY_MS, HOUR_MS, type Instant, MINUTE_MS, SECOND_MS, toInstant } from '../../shared/time';
import type { Script } from './doubles';
import type { Random } from './random';
import { cron, draftOf } from './rig';

export const ZONES = ['Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Australia/Lord_Howe', 'UTC'];
export const TAGS = ['backup', 'mail'];

/** Where a draft is made: what time it is, and which jobs it may follow. */
export type Desk = { readonly random: Random; readonly now: Instant; readonly others: readonly JobId[] };

function randomRule({ random, now, others }: Desk): ScheduleRule {
  const zone = random.isTrue(0.6) ? 'local' : random.pick(ZONES);
  const everyMs = random.pick([7 * MINUTE_MS, HOUR_MS, 5 * HOUR_MS, DAY_MS]);
  const moment = new Date(now + random.between(MINUTE_MS, 9 * HOUR_MS));
  const jobId = others.length === 0 ? null : random.pick(others);
  return random.pick<ScheduleRule>([
    cron(random.pick(['*/15 * * * *', '30 2 * * *', '0 9,17 * * *', '*/20 8-18 * * *']), zone),
    cron(random.pick(['0 * * * *', '*/5 * * * *', '10 1 * * *', '0 0 1 * *']), zone),
    { kind: 'interval', everyMs: random.isTrue(0.05) ? 45 * SECOND_MS : everyMs, basis: 'grid' },
    { kind: 'interval', everyMs, basis: 'after_end' },
    { kind: 'once', local: moment.toISOString().slice(0, 16), zone: 'UTC' },
    { kind: 'event', on: random.pick(['start', 'wake', 'network']) },
    jobId === null
      ? cron('15 3 * * *', zone)
      : { kind: 'after_job', jobId, on: random.pick(['succeeded', 'failed', 'ended']) },
  ]);
}

function randomPolicies(random: Random): Partial<Policies> {
  return {
    catchUp: {
      mode: random.pick(['none', 'once', 'once', 'all']),
      ageMsMax: random.pick([null, null, HOUR_MS, DAY_MS]),
      countMax: random.pick([1, 3, 10]),
    },
    overlap: {
      mode: random.pick(['skip', 'skip', 'queue_one', 'queue_all', 'replace', 'allow']),
      countMax: random.pick([1, 2, 3]),
    },
    timeoutMs: random.pick([SECOND_MS, 5 * MINUTE_MS, HOUR_MS, null]),
    retry: {
      countMax: random.pick([0, 0, 1, 3]),
      delayMs: random.pick([SECOND_MS, MINUTE_MS, 20 * MINUTE_MS]),
      growth: random.pick(['fixed', 'doubling']),
      delayMsMax: HOUR_MS,
      exitCodes: random.pick([null, null, [137]]),
    },
    afterInterruption: random.pick(['keep', 'keep', 'pause', 'repeat', 'repeat']),
    jitterMs: random.pick([0, 0, 0, 30 * SECOND_MS, 4 * MINUTE_MS]),
    runsPerHourMax: random.pick([null, null, null, 2]),
  };
}

function randomConditions(random: Random): Condition[] {
  if (random.isTrue(0.75)) return [];
  const patience = {
    waitMsMax: random.pick([0, MINUTE_MS, HOUR_MS]),
    otherwise: random.pick(['run', 'skip', 'fail'] as const),
  };
  return [
    random.pick<Condition>([
      { kind: 'mains', ...patience },
      { kind: 'network', ...patience },
      { kind: 'user_idle', idleMs: MINUTE_MS, ...patience },
    ]),
  ];
}

/** Days around now, some of which are left out. */
function randomDates(random: Random, now: Instant): Dates {
  if (random.isTrue(0.8)) return everyDay;
  const day = (offset: number): string =>
    new Date(toInstant(now + offset * DAY_MS)).toISOString().slice(0, 10);
  const from = random.between(0, 6);
  return {
    from: random.pick([null, day(-2), day(1)]),
    until: random.pick([null, day(9)]),
    excluded: [{ from: day(from), until: day(from + random.between(0, 2)) }],
  };
}

export function randomDraft(desk: Desk): JobDraft {
  const { random, now } = desk;
  const count = random.pick([0, 1, 1, 1, 2, 3]);
  return draftOf({
    name: `Job ${random.between(1, 1_000)}`,
    settings: { ...emptyCommandSettings, line: 'true' },
    tags: TAGS.filter(() => random.isTrue(0.3)),
    isEnabled: random.isTrue(0.9),
    rules: Array.from({ length: count }, () => randomRule(desk)),
    policies: randomPolicies(random),
    conditions: randomConditions(random),
    dates: randomDates(random, now),
  });
}

export function randomScript(random: Random): Script {
  const short = [50, 50, SECOND_MS, SECOND_MS, MINUTE_MS];
  const durationMs = random.pick([...short, 9 * MINUTE_MS, 3 * HOUR_MS, null]);
  if (random.isTrue(0.1)) return { durationMs, failure: 'program_not_found' };
  return { durationMs, ignoresSoft: random.isTrue(0.3), exitCode: random.pick([0, 0, 0, 1, 137]) };
}
