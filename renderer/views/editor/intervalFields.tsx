/** Schedules that are not cron: every so often, and once. */

import { LOCAL_ZONE } from '../../../shared/model/schedule';
import type { Instant } from '../../../shared/time';
import { DAY_MS, HOUR_MS, MINUTE_MS, toInstant } from '../../../shared/time';
import { fullMoment } from '../../format';
import type { ScheduleForm } from '../../store/scheduleForm';
import { Chip } from '../../ui/chip';
import { Select } from '../../ui/select';
import { TextField } from '../../ui/textField';
import { useNow } from '../stores';
import { useField } from './fields';
import { Sentence } from './sentence';
import { SpanField } from './spanField';
import { texts } from './texts';
import type { ScheduleProps } from './whenSection';

export function IntervalFields({ schedule, index, change }: ScheduleProps) {
  const { interval } = schedule;
  const now = useNow('minute');
  const words = texts.interval;
  const set = (field: string, part: Partial<ScheduleForm['interval']>): void =>
    change(`rule.${field}`, { interval: { ...interval, ...part } });
  return (
    <>
      <Sentence schedule={schedule} />
      <div className="phrase">
        <span>{words.every}</span>
        <SpanField
          path={`schedules.${index}.rule.everyMs`}
          amountLabel={words.amount}
          unitLabel={words.unit}
          value={interval.every}
          onChange={(every) => set('everyMs', { every })}
        />
        <span>{words.basis.toLowerCase()}</span>
        <Select
          label={words.basis}
          value={interval.basis}
          options={[
            { id: 'grid', label: words.bases.grid },
            { id: 'after_end', label: words.bases.after_end },
          ]}
          onChange={(basis) => set('basis', { basis })}
        />
      </div>
      {interval.basis === 'grid' ? (
        <p className="field-help">
          {interval.anchorAt === null ? words.startNew : words.startAt(fullMoment(interval.anchorAt, now))}
        </p>
      ) : null}
    </>
  );
}

/** The wall time at an instant, as the two inputs take it. */
export function wallTime(at: Instant, zone: string): { readonly date: string; readonly time: string } {
  const format = new Intl.DateTimeFormat('en-CA', {
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    ...(zone === LOCAL_ZONE ? {} : { timeZone: zone }),
  });
  const found: Record<string, string> = {};
  for (const { type, value } of format.formatToParts(at)) found[type] = value;
  return { date: `${found.year}-${found.month}-${found.day}`, time: `${found.hour}:${found.minute}` };
}

const MONDAY = 1;

/** The ready-made moments. Days are counted on the calendar of the zone, whatever its clocks do. */
export function readyTimes(now: Instant, zone: string) {
  const today = wallTime(now, zone).date;
  const dayAhead = (days: number): string =>
    new Date(Date.parse(`${today}T12:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);
  const weekday = new Date(`${today}T12:00:00Z`).getUTCDay();
  const toMonday = (MONDAY - weekday + 7) % 7 || 7;
  const nextMinute = (ms: number): Instant => toInstant(Math.ceil((now + ms) / MINUTE_MS) * MINUTE_MS);
  return [
    { id: 'quarter', ...wallTime(nextMinute(15 * MINUTE_MS), zone) },
    { id: 'hour', ...wallTime(nextMinute(HOUR_MS), zone) },
    { id: 'tonight', date: today, time: '20:00' },
    { id: 'tomorrow', date: dayAhead(1), time: '09:00' },
    { id: 'monday', date: dayAhead(toMonday), time: '09:00' },
  ] as const;
}

export function OnceFields({ schedule, index, change }: ScheduleProps) {
  const { once } = schedule;
  const now = useNow('minute');
  const words = texts.once;
  const field = useField(`schedules.${index}.rule.local`);
  const set = (part: Partial<ScheduleForm['once']>): void =>
    change('rule.local', { once: { ...once, ...part } });
  return (
    <>
      <Sentence schedule={schedule} />
      <div className="phrase phrase-fields">
        <TextField
          {...field}
          // The time comes next: until then half a moment is no mistake.
          onBlur={() => {
            if (once.time !== '') field.onBlur();
          }}
          label={words.date}
          type="date"
          value={once.date}
          onChange={(date) => set({ date })}
        />
        <TextField
          label={words.time}
          type="time"
          value={once.time}
          onChange={(time) => set({ time })}
          onBlur={field.onBlur}
        />
      </div>
      <fieldset className="chips">
        <legend className="sr">{words.ready}</legend>
        {readyTimes(now, once.zone).map(({ id, date, time }) => (
          <Chip key={id} label={words.chips[id]} onPress={() => set({ date, time })} />
        ))}
      </fieldset>
    </>
  );
}
