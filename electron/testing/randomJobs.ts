/** Jobs of every kind, and commands that behave in every way, by chance. */

import type { JobDraft } from '../../shared/model/job';
import type { ScheduleRule } from '../../shared/model/schedule';
import { DAY_MS, HOUR_MS, type Instant, MINUTE_MS, SECOND_MS } from '../../shared/time';
import type { Script } from './doubles';
import type { Random } from './random';
import { cron, draftOf } from './rig';

export const ZONES = ['Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Australia/Lord_Howe', 'UTC'];

function randomRule(random: Random, now: Instant): ScheduleRule {
  const zone = random.isTrue(0.6) ? 'local' : random.pick(ZONES);
  const everyMs = random.pick([45 * SECOND_MS, 7 * MINUTE_MS, HOUR_MS, 5 * HOUR_MS]);
  const moment = new Date(now + random.between(MINUTE_MS, 9 * HOUR_MS));
  return random.pick<ScheduleRule>([
    cron(random.pick(['*/15 * * * *', '30 2 * * *', '0 9,17 * * *', '*/20 8-18 * * *']), zone),
    cron(random.pick(['0 * * * *', '*/5 * * * *', '10 1 * * *', '0 0 1 * *']), zone),
    { kind: 'interval', everyMs, basis: 'grid' },
    { kind: 'interval', everyMs, basis: 'after_end' },
    { kind: 'once', local: moment.toISOString().slice(0, 16), zone: 'UTC' },
  ]);
}

export function randomDraft(random: Random, now: Instant): JobDraft {
  const count = random.pick([0, 1, 1, 1, 2]);
  return draftOf({
    name: `Job ${random.between(1, 1_000)}`,
    isEnabled: random.isTrue(0.9),
    rules: Array.from({ length: count }, () => randomRule(random, now)),
    policies: {
      catchUp: {
        mode: random.pick(['none', 'once', 'once']),
        ageMsMax: random.pick([null, null, HOUR_MS, DAY_MS]),
        countMax: 10,
      },
      timeoutMs: random.pick([SECOND_MS, 5 * MINUTE_MS, HOUR_MS, null]),
      afterInterruption: random.isTrue(0.3) ? 'repeat' : 'keep',
    },
  });
}

export function randomScript(random: Random): Script {
  const short = [50, 50, SECOND_MS, SECOND_MS, MINUTE_MS];
  const durationMs = random.pick([...short, 9 * MINUTE_MS, 3 * HOUR_MS, null]);
  if (random.isTrue(0.1)) return { durationMs, failure: 'program_not_found' };
  return { durationMs, ignoresSoft: random.isTrue(0.3), exitCode: random.pick([0, 0, 0, 1, 137]) };
}
