import { expect, test } from 'vitest';
import { emptyCommandSettings } from '../kinds/command';
import { JobDraft, type JobDraftInput } from './job';
import { defaultPolicies } from './policies';

const tooLong = 'x'.repeat(20_000);

/** Every bound of the draft is broken at once, upwards or downwards. */
const broken = (isHigh: boolean): JobDraftInput => ({
  name: isHigh ? tooLong : ' ',
  settings: {
    ...emptyCommandSettings,
    line: isHigh ? tooLong : '',
    shell: isHigh ? tooLong : '\0',
    program: isHigh ? tooLong : '\0',
    arguments: isHigh ? Array.from({ length: 201 }, () => tooLong) : ['\0'],
    folder: isHigh ? tooLong : '\0',
    variables: isHigh
      ? Array.from({ length: 201 }, () => ({ name: tooLong, value: tooLong }))
      : [{ name: '', value: '\0' }],
  },
  tags: isHigh ? Array.from({ length: 21 }, () => tooLong) : [' '],
  notes: isHigh ? tooLong : '',
  isEnabled: true,
  schedules: [
    ...Array.from({ length: isHigh ? 4 : 1 }, () => ({
      rule: {
        kind: 'cron' as const,
        expression: isHigh ? tooLong : '',
        zone: isHigh ? tooLong : '',
        dayMatch: 'either' as const,
        gap: 'skip' as const,
        repeat: 'both' as const,
      },
    })),
    { rule: { kind: 'interval', everyMs: isHigh ? Number.POSITIVE_INFINITY : 0.5, basis: 'grid' } },
    { rule: { kind: 'once', local: 'soon', zone: 'UTC' } },
  ],
  policies: {
    ...defaultPolicies,
    catchUp: { mode: 'once', ageMsMax: isHigh ? Number.POSITIVE_INFINITY : 0.5 },
    timeoutMs: isHigh ? Number.MAX_SAFE_INTEGER : 0,
    graceMs: isHigh ? Number.MAX_SAFE_INTEGER : -1,
  },
});

test.each([true, false])(
  'a draft out of its bounds is told in sentences that say what to do (high: %s)',
  (isHigh) => {
    const read = JobDraft.safeParse(broken(isHigh));
    const messages = read.error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`) ?? [];
    expect(messages.length).toBeGreaterThan(8);
    expect(messages.filter((text) => /expected|too (big|small)|invalid/i.test(text))).toEqual([]);
    expect(messages.filter((text) => !/: [A-Z“].*\.$/.test(text))).toEqual([]);
  },
);
