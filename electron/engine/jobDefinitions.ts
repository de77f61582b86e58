/**
 * From what the editor sends to the job that is stored: ids, anchors and revision filled in, every schedule checked with
 * the functions that will plan it.
 */

import { type Job, type JobDraft, JobId, NAME_LENGTH_MAX } from '../../shared/model/job';
import {
  type Schedule,
  type ScheduleDraft,
  ScheduleId,
  type ScheduleRule,
} from '../../shared/model/schedule';
import { fail, ok, type Result } from '../../shared/result';
import { policyMistakes } from '../../shared/schedule/policyMistakes';
import { validateSchedule } from '../../shared/schedule/validate';
import type { Instant } from '../../shared/time';
import type { Ids } from '../ports/world';
import type { ChainMistakes } from './chains';

export type DefinitionPorts = { readonly ids: Ids; readonly hostZone: string; readonly now: Instant };

/** A new job. Ids that a draft brings along belong to other jobs and are not taken over (S-30). */
export const newJob = (draft: JobDraft, ports: DefinitionPorts, chains: ChainMistakes = {}): Result<Job> =>
  refusalOf({ ...mistakesOf(draft, null, ports), ...chains }) ?? ok(madeFrom(draft, ports));

/** A copy, off until somebody looked at it; so a moment that has passed does not keep a job from being copied. */
export const copiedJob = (job: Job, ports: DefinitionPorts): Job => madeFrom(copyOf(job), ports);

/** The next revision of a job. Schedules keep their id, and with it their history, even if their rule changes. */
export function editedJob(
  before: Job,
  draft: JobDraft,
  ports: DefinitionPorts,
  chains: ChainMistakes,
): Result<Job> {
  const refusal = refusalOf({ ...mistakesOf(draft, before, ports), ...chains });
  if (refusal !== null) return refusal;
  const { schedules, ...definition } = draft;
  const reason = before.isEnabled ? 'user' : before.disabledReason;
  return ok({
    ...before,
    ...definition,
    revision: before.revision + 1,
    schedules: schedules.map((schedule) => nextSchedule(schedule, before.schedules, ports)),
    disabledReason: draft.isEnabled ? null : reason,
    updatedAt: ports.now,
  });
}

function madeFrom({ schedules, ...definition }: JobDraft, ports: DefinitionPorts): Job {
  return {
    ...definition,
    id: JobId.parse(ports.ids.next()),
    revision: 1,
    schedules: schedules.map(({ rule }) => newSchedule(rule, ports)),
    disabledReason: definition.isEnabled ? null : 'user',
    createdAt: ports.now,
    updatedAt: ports.now,
    deletedAt: null,
  };
}

function copyOf({ name, schedules, settings, tags, notes, policies, conditions, dates }: Job): JobDraft {
  const letters = [...`Copy of ${name}`];
  while (letters.join('').length > NAME_LENGTH_MAX) letters.pop();
  return {
    name: letters.join('').trimEnd(),
    settings,
    tags,
    notes,
    policies,
    conditions,
    dates,
    isEnabled: false,
    schedules: schedules.map(({ rule }) => ({ rule: withoutAnchor(rule) })),
  };
}

/** A sentence for each field that keeps the draft from being saved. */
function mistakesOf(
  draft: JobDraft,
  before: Job | null,
  { hostZone, now }: DefinitionPorts,
): Record<string, string> {
  const fields: Record<string, string> = {};
  const known = before?.schedules ?? [];
  const context = { hostZone, createdAt: now };
  for (const [index, schedule] of draft.schedules.entries()) {
    // What was saved once stays savable: a single moment that is over must not keep the name from being changed.
    if (isSameRule(schedule.rule, ruleOf(schedule, known))) continue;
    for (const { path, message } of validateSchedule(schedule.rule, now, context)) {
      fields[`schedules.${index}.${path}`] ??= message;
    }
  }
  if (before !== null && isPlannedAlike(draft, before)) return fields;
  const rules = draft.schedules.map(({ rule }) => rule);
  const { policies, dates } = draft;
  for (const { path, message } of policyMistakes({ policies, dates, rules }, now, context)) {
    fields[path] ??= message;
  }
  return fields;
}

/** Whether everything is as it was that policies and dates are judged by. */
function isPlannedAlike(draft: JobDraft, before: Job): boolean {
  const judged = ({ policies: { jitterMs, retry }, dates }: Pick<Job, 'policies' | 'dates'>): string =>
    JSON.stringify([jitterMs, retry, dates]);
  return (
    judged(draft) === judged(before) &&
    draft.schedules.length === before.schedules.length &&
    draft.schedules.every((schedule) => isSameRule(schedule.rule, ruleOf(schedule, before.schedules)))
  );
}

function refusalOf(fields: Readonly<Record<string, string>>): Result<never> | null {
  const [first, ...others] = Object.values(fields);
  if (first === undefined) return null;
  return fail('invalid_input', others.length === 0 ? first : `${others.length + 1} things to fix.`, fields);
}

const ruleOf = (draft: ScheduleDraft, before: readonly Schedule[]): ScheduleRule | undefined =>
  before.find(({ id }) => id === draft.id)?.rule;

function nextSchedule(draft: ScheduleDraft, before: readonly Schedule[], ports: DefinitionPorts): Schedule {
  const known = ruleOf(draft, before);
  if (draft.id === undefined || known === undefined) return newSchedule(draft.rule, ports);
  // An editor that does not know the anchor must not move the grid.
  return { id: draft.id, rule: isSameRule(draft.rule, known) ? known : anchored(draft.rule, ports.now) };
}

const newSchedule = (rule: ScheduleRule, { ids, now }: DefinitionPorts): Schedule => ({
  id: ScheduleId.parse(ids.next()),
  rule: anchored(rule, now),
});

const anchored = (rule: ScheduleRule, now: Instant): ScheduleRule =>
  rule.kind === 'interval' && rule.basis === 'grid' && rule.anchorAt === undefined
    ? { ...rule, anchorAt: now }
    : rule;

function withoutAnchor(rule: ScheduleRule): ScheduleRule {
  if (rule.kind !== 'interval') return rule;
  const { anchorAt: _anchorAt, ...others } = rule;
  return others;
}

/** An anchor that the draft leaves out is the one that is stored. */
function isSameRule(draft: ScheduleRule, known: ScheduleRule | undefined): boolean {
  if (known === undefined) return false;
  const compared = draft.kind === 'interval' && draft.anchorAt === undefined ? withoutAnchor(known) : known;
  return canonical(draft) === canonical(compared);
}

const canonical = (rule: ScheduleRule): string =>
  JSON.stringify(Object.entries(rule).sort(([a], [b]) => (a < b ? -1 : 1)));
