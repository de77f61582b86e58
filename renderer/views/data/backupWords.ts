/** What is said about copies of the store: when they were made, why, and what they hold. */
import type { Backup, BackupReason } from '../../../shared/model/data';
import type { Instant } from '../../../shared/time';
import { clockTime, counted, daysApart, fullMoment } from '../../format';

export const reasonWords: Readonly<Record<BackupReason, string>> = {
  daily: 'daily',
  migration: 'before a newer Belfry changed it',
  import: 'before an import',
  restore: 'before another copy was put back',
  manual: 'made by hand',
};

/** `today 13:58`, `yesterday 13:58`, `Tue 9 Mar 13:58`. */
export function dayAndTime(at: Instant, now: Instant): string {
  const apart = daysApart(at, now);
  if (apart === 0) return `today ${clockTime(at)}`;
  return apart === -1 ? `yesterday ${clockTime(at)}` : fullMoment(at, now);
}

export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** `14 jobs, 1,204 runs`. */
export const holdings = ({ jobCount, runCount }: Pick<Backup, 'jobCount' | 'runCount'>): string =>
  `${counted(jobCount, 'job')}, ${counted(runCount, 'run')}`;
