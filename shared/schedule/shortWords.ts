/** A cron schedule in the few words that fit a row: `Weekdays at 13:50`, `Every 15 min, 9–18`, `Last day at 23:30`. */
import { canonicalClock, listedTimes, timesPerDay } from './clockWords';
import type { CronExpression } from './cron';
import type { CronField } from './cronField';
import {
  isAllDays,
  isWeekdays,
  isWeekend,
  monthName,
  ordinal,
  rangeWords,
  shortName,
  weekdayName,
} from './dayWords';

/** More days than this do not fit. */
const SHORT_ITEMS_MAX = 3;
const SHORT_LENGTH_MAX = 40;
const NTH = ['', 'First', 'Second', 'Third', 'Fourth', 'Fifth'];

const pad = (n: number): string => String(n).padStart(2, '0');

/** Of the words made here, those that are capitalised only at the beginning; names of days and months always are. */
const lower = (text: string): string =>
  text.replace(/^(Daily|Weekdays|Weekends|Nearest|Last|First|Second|Third|Fourth|Fifth)/, (word) =>
    word.toLowerCase(),
  );
const upper = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** The rhythm within a day, and whether it stands for single times, which take `at` after the days. */
const shortClock = (cron: CronExpression): { readonly text: string; readonly isTimes: boolean } => {
  const times = listedTimes(cron);
  if (times !== undefined) return { text: times.join(', '), isTimes: true };
  const [second = '', minute = '', hour = ''] = canonicalClock(cron).split(' ');
  const hours = shortHours(cron.fields.hour);
  const every = (text: string, unit: string): string => {
    const step = text === '*' ? 1 : Number(text.slice(2));
    if (step === 1) return `Every ${unit}`;
    return hours === ''
      ? `Every ${step} ${unit}s`
      : `Every ${step} ${unit === 'hour' ? unit : unit.slice(0, 3)}`;
  };
  const withHours = (text: string): string => `${text}${hours === '' ? '' : `, ${hours}`}`;
  const isStep = (text: string): boolean => text === '*' || text.startsWith('*/');
  if (isStep(second) && minute === '*') return { text: withHours(every(second, 'second')), isTimes: false };
  if (second === '0' && isStep(minute)) return { text: withHours(every(minute, 'minute')), isTimes: false };
  if (second === '0' && /^\d+$/.test(minute)) {
    const past = minute === '0' ? '' : ` at :${pad(Number(minute))}`;
    if (hour === '*') return { text: minute === '0' ? 'Hourly' : `Hourly${past}`, isTimes: false };
    if (isStep(hour))
      return { text: `${every(hour, 'hour').replace(/hour$/, 'hours')}${past}`, isTimes: false };
    // On the hour, the last run is at the last hour itself and not somewhere within it.
    const span = minute === '0' ? hour.replace('-', '–') : hours;
    if (/^\d+-\d+$/.test(hour)) return { text: `Hourly${past}, ${span}`, isTimes: false };
  }
  const minutes = cron.fields.minute.values;
  if (second === '0' && hour === '*' && minutes.length <= SHORT_ITEMS_MAX + 1) {
    return { text: `Hourly at ${minutes.map((value) => `:${pad(value)}`).join(', ')}`, isTimes: false };
  }
  return { text: `${timesPerDay(cron).toLocaleString('en-US')} times a day`, isTimes: false };
};

/** `9–18` for the hours 9 to 17, because the last one ends at 18; empty for all hours or several spans. */
const shortHours = (hour: CronField): string => {
  const [first = 0] = hour.values;
  const last = hour.values.at(-1) ?? 0;
  const isOneSpan = hour.values.length === last - first + 1;
  return hour.values.length === 24 || !isOneSpan ? '' : `${first}–${last + 1}`;
};

const shortWeekdays = (field: CronField): string[] => {
  const plain = isWeekdays(field.values)
    ? ['Weekdays']
    : isWeekend(field.values)
      ? ['Weekends']
      : rangeWords(
          field.values.map((weekday) => (weekday === 0 ? 7 : weekday)).sort((a, b) => a - b),
          (weekday) => shortName(weekdayName(weekday)),
          '–',
        );
  return [
    ...plain,
    ...field.nth.map(({ weekday, n }) => `${NTH[n]} ${shortName(weekdayName(weekday))}`),
    ...field.lastOf.map((weekday) => `Last ${shortName(weekdayName(weekday))}`),
  ];
};

const shortDaysOfMonth = (field: CronField): string[] => [
  ...rangeWords(field.values, ordinal, '–'),
  ...field.nearest.map((day) => `Nearest ${ordinal(day)}`),
  ...(field.isLastDay ? ['Last day'] : []),
  ...(field.isLastWeekday ? ['Last weekday'] : []),
];

/** The days; `Daily` if there is no other word for them. */
const shortDays = (cron: CronExpression, dayMatch: 'either' | 'both'): string => {
  const { dayOfMonth, month, dayOfWeek } = cron.fields;
  const isEither = cron.areBothDaysRestricted && dayMatch === 'either';
  const isAnyDay = isAllDays(dayOfMonth);
  const isAnyWeekday = isAllDays(dayOfWeek);
  const isDaily = (isAnyDay && isAnyWeekday) || (isEither && (isAnyDay || isAnyWeekday));
  const days = isDaily || isAnyDay ? [] : shortDaysOfMonth(dayOfMonth);
  const weekdays = isDaily || isAnyWeekday ? [] : shortWeekdays(dayOfWeek);
  const months =
    month.values.length === 12 ? [] : rangeWords(month.values, (m) => shortName(monthName(m)), '–');
  const [day] = dayOfMonth.values;
  if (days.length === 1 && dayOfMonth.values.length === 1 && months.length === 1 && weekdays.length === 0) {
    return `${day} ${months[0]}`;
  }
  const some = (items: readonly string[]): string =>
    items.length > SHORT_ITEMS_MAX
      ? 'some days'
      : items.map((item, i) => (i > 0 ? lower(item) : item)).join(', ');
  const isJoined = days.length > 0 && weekdays.length > 0;
  const text = isJoined
    ? `${some(days)} ${isEither ? 'or' : 'if'} ${lower(some(weekdays))}`
    : some(days.length > 0 ? days : weekdays);
  const inMonths = months.length > SHORT_ITEMS_MAX ? 'some months' : months.join(', ');
  return [text === '' ? 'Daily' : text, inMonths].filter((part) => part !== '').join(' in ');
};

/** What a row says of a cron schedule. */
export const shortCron = (cron: CronExpression, dayMatch: 'either' | 'both'): string => {
  const clock = shortClock(cron);
  const days = shortDays(cron, dayMatch);
  const text = clock.isTimes
    ? `${upper(days)} at ${clock.text}`
    : `${clock.text}, ${lower(days)}`.replace(/, daily( in .*)?$/, '$1');
  if (text.length <= SHORT_LENGTH_MAX) return text;
  const count = timesPerDay(cron);
  return `${count === 1 ? 'Once' : `${count.toLocaleString('en-US')} times`} a day, some days`;
};
