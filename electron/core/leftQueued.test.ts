import { expect, test } from 'vitest';
import type { CatchUp } from '../../shared/model/policies';
import { RunId, type Trigger } from '../../shared/model/run';
import { ScheduleId } from '../../shared/model/schedule';
import { HOUR_MS, MINUTE_MS, SECOND_MS, toInstant } from '../../shared/time';
import { ABSENCE_MS_MAX, type LeftRun, leftQueued } from './leftQueued';

const now = toInstant(100 * HOUR_MS);
const id = (number: number) => `00000000-0000-7000-8000-${String(number).padStart(12, '0')}`;
const left = (number: number, agoMs: number, facts: Partial<LeftRun> = {}): LeftRun => ({
  id: RunId.parse(id(number)),
  trigger: 'schedule' as Trigger,
  scheduleId: ScheduleId.parse(id(900)),
  plannedAt: toInstant(now - agoMs),
  notBeforeAt: null,
  attemptCount: 0,
  ...facts,
});
const once: CatchUp = { mode: 'once', ageMsMax: null, countMax: 10 };
const away = { now, absentMs: HOUR_MS };
const reasons = (queued: LeftRun[], policy: CatchUp, moment = away) =>
  leftQueued(queued, policy, moment).map(({ runId, reason }) => [Number(runId.slice(-3)), reason]);

test('a job without catch-up takes back what waited through an absence (D7)', () => {
  expect(reasons([left(1, HOUR_MS)], { ...once, mode: 'none' })).toEqual([[1, 'catch_up_off']]);
  expect(reasons([left(1, HOUR_MS)], once)).toEqual([]);
});

test('the age limit counts from the planned moment', () => {
  const limited = { ...once, ageMsMax: HOUR_MS };
  expect(reasons([left(1, HOUR_MS)], limited)).toEqual([]);
  expect(reasons([left(1, HOUR_MS + 1)], limited)).toEqual([[1, 'too_old']]);
});

test('of several only as many of the newest stay as the policy runs', () => {
  const queued = [left(1, 3 * HOUR_MS), left(2, 2 * HOUR_MS), left(3, HOUR_MS)];
  expect(reasons(queued, once)).toEqual([
    [2, 'catch_up_cap'],
    [1, 'catch_up_cap'],
  ]);
  expect(reasons(queued, { ...once, mode: 'all', countMax: 2 })).toEqual([[1, 'catch_up_cap']]);
  expect(reasons(queued, { ...once, mode: 'all' })).toEqual([]);
});

test('after a short absence the queue goes on as it was', () => {
  const moment = { now, absentMs: ABSENCE_MS_MAX };
  expect(reasons([left(1, HOUR_MS), left(2, 2 * HOUR_MS)], { ...once, mode: 'none' }, moment)).toEqual([]);
});

test('what can still start on time, was begun, or was started by hand is left alone', () => {
  const none = { ...once, mode: 'none' } as const;
  const jittered = left(1, 10 * MINUTE_MS, { notBeforeAt: toInstant(now + MINUTE_MS) });
  const recent = left(2, 20 * SECOND_MS);
  const begun = left(3, HOUR_MS, { attemptCount: 1 });
  const byHand = left(4, HOUR_MS, { trigger: 'manual', scheduleId: null, plannedAt: null });
  expect(reasons([jittered, recent, begun, byHand], none)).toEqual([]);
});
