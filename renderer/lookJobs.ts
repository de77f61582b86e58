/** The made-up jobs themselves: what the list shows of each. The time is 14:14:14 in New York. */
import type { JobRow, NextDue } from '../shared/model/job';
import { type Instant, MINUTE_MS, toInstant } from '../shared/time';

export const LOOK_NOW = toInstant(Date.parse('2027-03-11T14:14:14-05:00'));

/** A moment of 2027 in New York, whose clocks change on 14 March. */
export const at = (text: string): Instant =>
  toInstant(Date.parse(`2027-${text}${text < '03-14' ? '-05:00' : '-04:00'}`));
const due = (text: string): NextDue => ({ code: 'due', at: at(text) });

export type LookJob = {
  name: string;
  line: string;
  tag: string;
  short: string;
  sentence: string;
  expression: string;
  state: JobRow['state'];
  spark: string;
  next: NextDue;
};

export const JOBS: readonly LookJob[] = [
  {
    name: 'Sync photos to NAS',
    line: '~/bin/sync-photos.sh --to nas',
    tag: 'Home',
    short: 'Every 2 hours',
    sentence: 'Every 2 hours',
    expression: '0 */2 * * *',
    state: 'failed',
    spark: '44543454454345X4543454c543XXXX',
    next: due('03-11T16:00:00'),
  },
  {
    name: 'Check disk space',
    line: 'df --output=pcent / | tail -1',
    tag: 'Home',
    short: 'Every hour at :05',
    sentence: 'At 5 minutes past every hour',
    expression: '5 * * * *',
    state: 'failed',
    spark: '22222222222222222222222XXXXXsX',
    next: due('03-11T15:05:00'),
  },
  {
    name: 'Back up notes',
    line: 'restic backup ~/Notes',
    tag: 'Backups',
    short: 'Every day at 13:00',
    sentence: 'At 13:00 every day',
    expression: '0 13 * * *',
    state: 'caught_up',
    spark: '3333433343334333c3343334333433c',
    next: due('03-12T13:00:00'),
  },
  {
    name: 'Dump shop DB',
    line: 'pg_dump shop | zstd > ~/Backups/shop.sql.zst',
    tag: 'Backups',
    short: 'Weekdays at 13:50',
    sentence: 'At 13:50 on weekdays',
    expression: '50 13 * * 1-5',
    state: 'running',
    spark: '566756675667566756s66756675667r',
    next: { code: 'running', since: at('03-11T13:50:00'), usualMs: 38 * MINUTE_MS },
  },
  {
    name: 'Pull work repos',
    line: 'pull-all.sh ~/Work',
    tag: 'Git',
    short: 'Every 15 min, 9–18 Mon–Fri',
    sentence: 'Every 15 minutes from 09:00 to 18:45 on weekdays',
    expression: '*/15 9-18 * * 1-5',
    state: 'succeeded',
    spark: '212122121221212112212122mm1c21',
    next: due('03-11T14:15:00'),
  },
  {
    name: 'Ping home server',
    line: 'ping -c 3 home.lan',
    tag: 'Home',
    short: 'Every minute',
    sentence: 'Every minute',
    expression: '* * * * *',
    state: 'succeeded',
    spark: '111211112111121111211112111121',
    next: due('03-11T14:15:00'),
  },
  {
    name: 'Export calendar',
    line: 'vdirsyncer sync',
    tag: 'Work',
    short: 'Every hour at :40',
    sentence: 'At 40 minutes past every hour',
    expression: '40 * * * *',
    state: 'succeeded',
    spark: '232323232323232323232323232s23',
    next: due('03-11T14:40:00'),
  },
  {
    name: 'Rotate screenshots',
    line: 'rotate-screenshots --keep 30',
    tag: 'Home',
    short: 'Weekdays at 18:00',
    sentence: 'At 18:00 on weekdays',
    expression: '0 18 * * 1-5',
    state: 'succeeded',
    spark: '121213121213121213121213121213',
    next: due('03-11T18:00:00'),
  },
  {
    name: 'Stand-up reminder',
    line: 'notify-send "Stand-up in 5 minutes"',
    tag: 'Work',
    short: 'Weekdays at 09:25',
    sentence: 'At 09:25 on weekdays',
    expression: '25 9 * * 1-5',
    state: 'succeeded',
    spark: '111111111m11111111111111111111',
    next: due('03-12T09:25:00'),
  },
  {
    name: 'Weekly time report',
    line: 'timew report week',
    tag: 'Work',
    short: 'Fridays at 16:45',
    sentence: 'At 16:45 on Fridays',
    expression: '45 16 * * 5',
    state: 'succeeded',
    spark: '676867686768676867686768676867',
    next: due('03-12T16:45:00'),
  },
  {
    name: 'Archive mail',
    line: 'archive-mail ~/Mail',
    tag: 'Backups',
    short: 'Last day of month, 23:30',
    sentence: 'At 23:30 on the last day of the month',
    expression: '30 23 L * *',
    state: 'succeeded',
    spark: '7878978c78978798',
    next: due('03-31T23:30:00'),
  },
  {
    name: 'Renew certificates',
    line: 'certbot renew --quiet',
    tag: 'Home',
    short: 'Weekday nearest 1st, 04:00',
    sentence: 'At 04:00 on the weekday nearest the 1st of the month',
    expression: '0 4 1W * *',
    state: 'succeeded',
    spark: '4545c45454554',
    next: due('04-01T04:00:00'),
  },
  {
    name: 'Download invoices',
    line: 'fetch-invoices --month last',
    tag: 'Work',
    short: 'Once, 15 Mar at 10:00',
    sentence: 'Once, on Mon 15 Mar at 10:00',
    expression: '0 10 15 3 *',
    state: 'never_run',
    spark: '',
    next: due('03-15T10:00:00'),
  },
  {
    name: 'Prune Docker',
    line: 'docker system prune --force',
    tag: 'Work',
    short: 'Sundays at 03:00',
    sentence: 'At 03:00 on Sundays',
    expression: '0 3 * * 0',
    state: 'paused',
    spark: '5656565656565656565T5656565656',
    next: { code: 'paused', until: null },
  },
];
