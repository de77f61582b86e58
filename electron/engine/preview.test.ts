import { expect, test } from 'vitest';
import { everyDay } from '../../shared/model/dates';
import type { ScheduleRule } from '../../shared/model/schedule';
import { toInstant } from '../../shared/time';
import { previewRule } from './preview';

const NOW = toInstant(Date.UTC(2027, 2, 11, 14, 14));
const preview = (rule: ScheduleRule) => previewRule(rule, NOW, 10, 'UTC');
const cron = { kind: 'cron', dayMatch: 'either', gap: 'run_after', repeat: 'first' } as const;

test('a moment that is over is told while it is typed, at its field', () => {
  expect(preview({ kind: 'once', local: '2027-03-11T13:54', zone: 'UTC' })).toEqual({
    valid: false,
    field: 'local',
    message: 'That was 20 min ago. Pick a later time, or use Run now.',
    mistakes: [],
  });
  expect(preview({ kind: 'once', local: '2027-03-11T14:54', zone: 'UTC' }).valid).toBe(true);
});

test('a mistake names the field of the rule it stands in', () => {
  expect(preview({ ...cron, expression: '0 9 * * *', zone: 'Nowhere' })).toMatchObject({ field: 'zone' });
  expect(preview({ ...cron, expression: '70 9 * * *', zone: 'UTC' })).toMatchObject({
    field: 'expression',
    mistakes: [{ field: 'minute' }],
  });
  expect(preview({ kind: 'interval', everyMs: 0, basis: 'grid' })).toMatchObject({ field: 'everyMs' });
});

test('the days of the job bound the rows, and excluded ones are told apart', () => {
  const rule: ScheduleRule = { ...cron, expression: '0 9 * * *', zone: 'UTC' };
  const excluded = [{ from: '2027-03-13', until: '2027-03-14' }];
  const shown = previewRule(rule, NOW, 10, 'UTC', { ...everyDay, until: '2027-03-15', excluded });
  const rows = shown.valid ? shown.preview.next : [];
  expect(rows.map(({ local, note }) => [local, note?.code])).toEqual([
    ['2027-03-12T09:00:00', undefined],
    ['2027-03-13T09:00:00', 'excluded'],
    ['2027-03-15T09:00:00', undefined],
  ]);
});
