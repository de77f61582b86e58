/** `belfry explain` and `belfry preview`: why something ran or did not, and what would happen. Both change nothing. */

import { momentsIn } from '../shared/explain/moments';
import { explainInWords } from '../shared/explain/words';
import type { WhatIfRow } from '../shared/model/whatIf';
import { isZone } from '../shared/schedule/zone';
import { DAY_MS, toInstant } from '../shared/time';
import { type Answer, EXIT, findJob, need, type Options, Refusal } from './commandAnswers';
import { type Here, parseSpan, parseTime } from './commandTimes';
import type { SocketClient } from './ipc/socketClient';
import { realClock } from './system/realTime';

const DAYS_DEFAULT = 7;
const DAYS_MAX = 35;

/** Without the two dashes. */
export const PREVIEW_OPTIONS = ['days', 'asleep', 'off', 'on-battery', 'without-network', 'zone'] as const;

const here = (): Here => ({
  now: realClock.now(),
  zone: new Intl.DateTimeFormat().resolvedOptions().timeZone,
});

export async function explainCommand(
  client: SocketClient,
  name: string,
  time: string | undefined,
): Promise<Answer> {
  const place = here();
  const { at, isInGap } = time === undefined ? { at: place.now, isInGap: false } : parseTime(time, place);
  const { id } = await findJob(client, name);
  const value = need(await client.request('jobs.explain', { jobId: id, at }));
  const moments = momentsIn(place.zone);
  const gap = isInGap ? `That time does not exist: the clocks go forward to ${moments(at, null)}. ` : '';
  return {
    value,
    text: `${moments(at, null)}  ${value.jobName}\n${gap}${explainInWords(value, at, moments)}`,
  };
}

export async function previewCommand(client: SocketClient, name: string, options: Options): Promise<Answer> {
  const place = here();
  const days = Number(options.days?.at(-1) ?? DAYS_DEFAULT);
  if (!(days > 0 && days <= DAYS_MAX)) throw new Refusal(`Look 1 to ${DAYS_MAX} days ahead.`, EXIT.usage);
  const spans = (option: (typeof PREVIEW_OPTIONS)[number]) =>
    (options[option] ?? []).map((text) => parseSpan(text, place));
  const scenario = {
    asleep: spans('asleep'),
    off: spans('off'),
    onBattery: spans('on-battery'),
    withoutNetwork: spans('without-network'),
    travels: (options.zone ?? []).map((text) => parseJourney(text, place)),
    clockSteps: [],
  };
  const rows = need(await client.request('jobs.list', undefined));
  const job = name === 'all' && !rows.some((row) => row.name === 'all') ? null : await findJob(client, name);
  const from = place.now;
  const until = toInstant(from + Math.round(days * DAY_MS));
  const wish = { from, until, scenario, ...(job === null ? {} : { jobId: job.id }) };
  const value = need(await client.request('preview.whatIf', wish));
  const names = new Map(rows.map((row) => [row.id, row.name]));
  const moments = momentsIn(place.zone);
  const lines = value.rows.map((row) => {
    const count =
      row.count > 1 ? ` and ${row.count - 1} more until ${moments(row.untilAt, row.plannedAt)}` : '';
    const what = { run: 'runs', merge: 'is made up for by a later run', skip: 'is skipped' }[row.kind];
    const late = row.startedAt !== null && row.startedAt - row.plannedAt >= 1_000;
    const start = late && row.startedAt !== null ? ` at ${moments(row.startedAt, row.plannedAt)}` : '';
    const whose = job === null ? `  ${names.get(row.jobId) ?? ''}` : '';
    return `${moments(row.plannedAt, null)}${whose}  ${what}${start}${count}  ${REASONS[row.reason]}`.trimEnd();
  });
  if (lines.length === 0) lines.push('Nothing would happen.');
  if (value.isCut) lines.push(`There is more; this goes to ${moments(value.endsAt, null)}.`);
  return { value, text: lines.join('\n') };
}

/** `<time>@<zone>`: from then on the laptop is there. */
function parseJourney(text: string, place: Here): { at: ReturnType<typeof toInstant>; zone: string } {
  const [time = '', zone = ''] = text.split('@');
  if (!isZone(zone)) throw new Refusal(`“${text}” is not a journey. Write <time>@Asia/Tokyo.`, EXIT.usage);
  return { at: parseTime(time, place).at, zone };
}

const REASONS: Readonly<Record<WhatIfRow['reason'], string>> = {
  on_time: '',
  caught_up: '(late)',
  creation: '(when the job is made)',
  merged: '',
  chain: '(after another job)',
  event: '(after an event)',
  overlap: '(the run before still goes on)',
  queue_full: '(too many runs wait)',
  paused_all: '(all jobs are paused)',
  paused_tag: '(its tag is paused)',
  paused_job: '(paused)',
  date_excluded: '(a day that is left out)',
  too_old: '(too late by then)',
  catch_up_off: '(missed, and not made up)',
  catch_up_cap: '(missed, and newer ones are made up)',
  rate_limit: '(it has run often enough in that hour)',
  condition: '(a condition is not met)',
  data_restored: '(a copy of the data was put back)',
};
