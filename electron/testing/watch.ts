/**
 * Rules that need to know what was before: which occurrences had to be decided since, which pauses held, which runs ended.
 * One watch belongs to one life and looks after each event.
 */

import type { JobId } from '../../shared/model/job';
import type { Pause } from '../../shared/model/pause';
import { isCalendarRule, type ScheduleId } from '../../shared/model/schedule';
import { type Instant, toInstant } from '../../shared/time';
import type { ScheduleState } from '../core/ledger';
import { SLEEP_MS_MAX } from '../engine/wakeLoop';
import type { Database } from '../store/database';
import { undecidedOccurrences } from './invariants';

/** Ends of several runs in one millisecond are told apart by as much. */
const CHAIN_MS_MAX = 100;
/** Of the newest runs it is noticed that they ended. */
const RUNS_LOOKED_AT = 300;

export type Sight = {
  readonly database: Database;
  readonly states: readonly ScheduleState[];
  readonly pauses: readonly Pause[];
  readonly now: Instant;
  readonly zone: string;
  /** The clock was set, so that instants before and after cannot be compared. */
  readonly isClockSet: boolean;
  /** The newest run when that happened last: those up to it may have begun under another clock. */
  readonly runKeyAtJump: number;
};

export class Watch {
  readonly #marks = new Map<ScheduleId, Instant>();
  /** Where the duty to decide begins, per schedule: its creation, its last edit, or the last change of the zone. */
  readonly #bases = new Map<ScheduleId, Instant>();
  readonly #known = new Map<ScheduleId, string>();
  #zone = '';
  #before: Sight | null = null;
  #runKey = 0;
  #endedKeys = new Set<number>();

  /** Anything that is wrong with what happened since the last look, while an engine leads. */
  look(sight: Sight): string[] {
    const { states, zone } = sight;
    if (zone !== this.#zone) this.#travelled(states);
    this.#zone = zone;
    const wrong = [
      ...this.#backwards(states),
      ...this.#undecided(sight),
      ...this.#brokenPauses(sight),
      ...this.#brokenChains(sight),
    ];
    this.#before = sight;
    return wrong;
  }

  #backwards(states: readonly ScheduleState[]): string[] {
    return states.flatMap(({ scheduleId, watermarkAt }) => {
      const before = this.#marks.get(scheduleId) ?? watermarkAt;
      this.#marks.set(scheduleId, watermarkAt);
      return watermarkAt < before ? ['a watermark went back'] : [];
    });
  }

  /** Every occurrence has its decision once the engine had time for it, whatever the clock did in between. */
  #undecided({ database, states, now, zone }: Sight): string[] {
    this.#noteBases(states);
    const until = toInstant(now - SLEEP_MS_MAX);
    return states.flatMap((state) => {
      const known = this.#bases.get(state.scheduleId) ?? until;
      const floor = state.activeSince <= now ? state.activeSince : known;
      const base = toInstant(Math.max(known, floor));
      const missing = undecidedOccurrences(database, state, { base, until }, now, zone);
      // What has its decision keeps it until the clock goes back before it, so each occurrence is looked for once.
      this.#bases.set(state.scheduleId, until);
      return missing.map(
        (at) => `${JSON.stringify(state.rule)} at ${new Date(at).toISOString()} has no decision`,
      );
    });
  }

  /** A schedule that is new, changed, or on again owes nothing older than the watermark it starts with. */
  #noteBases(states: readonly ScheduleState[]): void {
    for (const { scheduleId, rule, dates, watermarkAt } of states) {
      const text = JSON.stringify([rule, dates]);
      if (this.#known.get(scheduleId) === text) continue;
      this.#known.set(scheduleId, text);
      this.#bases.set(scheduleId, watermarkAt);
    }
    const present = new Set(states.map(({ scheduleId }) => scheduleId));
    for (const id of this.#known.keys()) if (!present.has(id)) this.#known.delete(id);
  }

  /** The occurrences of schedules that follow the computer are others now. */
  #travelled(states: readonly ScheduleState[]): void {
    for (const { scheduleId, rule, dates, watermarkAt } of states) {
      const hasDays = dates.from !== null || dates.until !== null;
      const follows = isCalendarRule(rule) && (rule.kind === 'interval' ? hasDays : rule.zone === 'local');
      if (follows) this.#bases.set(scheduleId, watermarkAt);
    }
  }

  /** Nothing starts for an occurrence within a pause that was there before. */
  #brokenPauses({ database, pauses, isClockSet }: Sight): string[] {
    const rows = database.writer.all(
      `SELECT r.key, r.planned_at AS plannedAt, hex(j.id) AS jobId,
         (SELECT json_extract(v.definition, '$.tags') FROM job_revisions AS v
          WHERE v.job_key = r.job_key AND v.revision = r.revision) AS tags
       FROM runs AS r JOIN jobs AS j ON j.key = r.job_key
       WHERE r.key > :key AND r.planned_at IS NOT NULL`,
      { key: this.#runKey },
    );
    this.#runKey = Math.max(this.#runKey, ...rows.map(({ key }) => Number(key)));
    if (isClockSet) return [];
    const still = new Set(pauses.map((pause) => JSON.stringify(pause)));
    const held = (this.#before?.pauses ?? []).filter((pause) => still.has(JSON.stringify(pause)));
    const isHeld = ({ scope, since, until }: Pause, row: (typeof rows)[number]): boolean => {
      const at = Number(row.plannedAt);
      if (at < since || (until !== null && at >= until)) return false;
      if (scope.kind === 'tag') return (JSON.parse(String(row.tags)) as string[]).includes(scope.tag);
      return scope.kind === 'all' || hexOf(scope.jobId) === String(row.jobId);
    };
    return rows.some((row) => held.some((pause) => isHeld(pause, row)))
      ? ['something ran that was due within a pause']
      : [];
  }

  /** For each end that fits, a schedule that waits for it has its occurrence, decided or owed. */
  #brokenChains({ database, states, isClockSet, runKeyAtJump }: Sight): string[] {
    const ended = database.writer
      .all(
        `SELECT r.key, hex(j.id) AS jobId, r.trigger, r.outcome, r.ended_at AS endedAt
         FROM runs AS r JOIN jobs AS j ON j.key = r.job_key WHERE r.state = 'finished' AND r.key > :key`,
        { key: this.#runKey - RUNS_LOOKED_AT },
      )
      .filter(({ key }) => !this.#endedKeys.has(Number(key)));
    for (const { key } of ended) this.#endedKeys.add(Number(key));
    const before = new Map(this.#before?.states.map((state) => [state.scheduleId, state.activeSince]));
    if (isClockSet) return [];
    const waiting = states.filter((state) => before.get(state.scheduleId) === state.activeSince);
    return ended.flatMap(({ key, jobId, trigger, outcome, endedAt }) => {
      if (trigger === 'test' || Number(key) <= runKeyAtJump) return [];
      const fits = waiting.filter(
        ({ rule }) =>
          rule.kind === 'after_job' &&
          hexOf(rule.jobId as JobId) === String(jobId) &&
          isFor(rule.on, String(outcome)),
      );
      return fits
        .filter((state) => !hasOccurrenceAt(database, state.scheduleId, Number(endedAt)))
        .map(() => 'a run ended and what was to follow is owed by nobody');
    });
  }
}

const hexOf = (id: string): string => id.replaceAll('-', '').toUpperCase();

const isFor = (on: string, outcome: string): boolean =>
  on === 'ended' ||
  (on === 'succeeded' && outcome === 'succeeded') ||
  (on === 'failed' && (outcome === 'failed' || outcome === 'timed_out'));

function hasOccurrenceAt(database: Database, scheduleId: ScheduleId, from: number): boolean {
  const rows = database.writer.all(
    `SELECT 1 FROM schedules AS s
     WHERE s.id = unhex(:scheduleId, '-') AND (
       EXISTS (SELECT 1 FROM decisions AS d
               WHERE d.schedule_key = s.key AND d.planned_at <= :until AND d.until_at >= :from)
       OR EXISTS (SELECT 1 FROM pending_occurrences AS p
                  WHERE p.schedule_key = s.key AND p.planned_at BETWEEN :from AND :until))`,
    { scheduleId, from, until: from + CHAIN_MS_MAX },
  );
  return rows.length > 0;
}
