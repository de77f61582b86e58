/**
 * Times of the day in words. cronstrue words the rhythm, given a canonical form of the parsed values, so that it never
 * sees what it words wrongly: uneven steps, odd spellings and day fields (C-007, C-120).
 */
import cronstrue from 'cronstrue';
import type { CronExpression } from './cron';
import type { CronField } from './cronField';
import { clockText, listWords, rangeWords } from './dayWords';

/** Up to this many times a day are listed one by one. */
const LISTED_TIMES_MAX = 4;

const sizeOf = (field: CronField): number => (field.name === 'hour' ? 24 : 60);

/** The shortest text that stands for the values: `*`, an even step over the whole field, ranges, numbers. */
const canonicalField = (field: CronField): string => {
  const size = sizeOf(field);
  const { values } = field;
  if (values.length === size) return '*';
  const step = size / values.length;
  if (values.length > 1 && Number.isInteger(step) && values.every((value, i) => value === i * step))
    return `*/${step}`;
  return rangeWords(values, String, '-').join(',');
};

/** Second, minute and hour of an expression in the form that the words are made of. It means the same. */
export const canonicalClock = (cron: CronExpression): string =>
  [cron.fields.second, cron.fields.minute, cron.fields.hour].map(canonicalField).join(' ');

/** How often a day. */
export const timesPerDay = (cron: CronExpression): number =>
  cron.fields.second.values.length * cron.fields.minute.values.length * cron.fields.hour.values.length;

/** All times of a day as text, or undefined if there are more than a handful. */
export const listedTimes = (cron: CronExpression): string[] | undefined => {
  if (timesPerDay(cron) > LISTED_TIMES_MAX) return undefined;
  const times: string[] = [];
  for (const hour of cron.fields.hour.values) {
    for (const minute of cron.fields.minute.values) {
      for (const second of cron.fields.second.values) {
        times.push(clockText(((hour * 60 + minute) * 60 + second) * 1_000));
      }
    }
  }
  return times;
};

/** At what times: `At 09:00 and 17:00`, `Every 15 minutes, between 09:00 and 17:59`. */
export const clockInWords = (cron: CronExpression): string => {
  const times = listedTimes(cron);
  if (times !== undefined) return `At ${listWords(times)}`;
  return cronstrue
    .toString(`${canonicalClock(cron)} * * *`, { use24HourTimeFormat: true })
    .replaceAll(', and ', ' and ')
    .replace(/^On the hour, every (\d+) hours/, 'Every $1 hours')
    .replace(
      /^At ([\d, and]+) (minutes|seconds) past the (hour|minute)$/,
      (_all, list: string, unit, whole) =>
        /^\d+$/.test(list)
          ? `At ${list} ${unit} past every ${whole}`
          : `At ${unit} ${list} of every ${whole}`,
    )
    .replace(/(\d+) through (\d+)/g, '$1 to $2');
};
