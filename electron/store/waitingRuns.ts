/** Runs that wait: what for, until when, for how many occurrences; and those that are taken back before they began. */

import { z } from 'zod';
import { Wait } from '../../shared/model/condition';
import { type Decision, DecisionReason, MissCause, WAITS_MAX } from '../../shared/model/run';
import { assert } from '../../shared/result';
import { Instant } from '../../shared/time';
import type { RunWriter } from '../ports/store';
import { recordLateResult } from './attempts';
import type { Sql } from './connection';
import { decisionsOfRun } from './decisions';
import { checkedIn } from './rows';
import { recordDecision } from './stats';

const Withdrawal = z.object({ reason: DecisionReason, missCause: MissCause.nullable(), at: Instant });

type Waiting = 'withdraw' | 'addMerged' | 'setWaits' | 'setNotBefore' | 'recordLateResult';

export function createWaitingRunWriter(sql: Sql): Pick<RunWriter, Waiting> {
  return {
    async withdraw(runId, why) {
      return withdraw(sql, runId, checkedIn(Withdrawal, why, 'a withdrawal'));
    },
    async addMerged(runId, count) {
      assert(Number.isSafeInteger(count) && count > 0, 'a merge is about at least one occurrence');
      const changed = sql.run(
        `UPDATE runs SET merged_count = merged_count + ? WHERE id = unhex(?, '-') AND state = 'queued'`,
        [count, runId],
      );
      return changed === 1;
    },
    async setWaits(runId, waits) {
      const checked = checkedIn(z.array(Wait).max(WAITS_MAX), waits, 'what a run waits for');
      sql.run(`UPDATE runs SET waits = ? WHERE id = unhex(?, '-') AND state <> 'finished'`, [
        JSON.stringify(checked),
        runId,
      ]);
    },
    async setNotBefore(runId, at) {
      sql.run(`UPDATE runs SET not_before_at = ? WHERE id = unhex(?, '-') AND state = 'queued'`, [
        checkedIn(Instant.nullable(), at, 'the earliest start of a run'),
        runId,
      ]);
    },
    async recordLateResult(attempt, result) {
      return recordLateResult(sql, attempt, result);
    },
  };
}

/** Strips and counts of the job change as if it had been decided like that at once. */
function withdraw(sql: Sql, runId: string, { reason, missCause, at }: z.output<typeof Withdrawal>): boolean {
  const run = sql.get(
    `SELECT key, job_key AS jobKey FROM runs
     WHERE id = unhex(:runId, '-') AND state = 'queued' AND attempt_count = 0
       AND trigger NOT IN ('manual', 'cli', 'test')`,
    { runId },
  );
  if (run === undefined) return false;
  const decisions = decisionsOfRun(sql, runId);
  sql.run('DELETE FROM runs WHERE key = ?', [Number(run.key)]);
  for (const decision of decisions) {
    const skip: Decision = {
      ...decision,
      ...{ kind: 'skip', reason, missCause: missCause ?? decision.missCause, runId: null, decidedAt: at },
    };
    sql.run(
      `UPDATE decisions
       SET kind = 'skip', reason = :reason, miss_cause = :missCause, run_id = NULL, decided_at = :at
       WHERE schedule_key = (SELECT key FROM schedules WHERE id = unhex(:scheduleId, '-')) AND planned_at = :plannedAt`,
      { reason, missCause: skip.missCause, at, scheduleId: skip.scheduleId, plannedAt: skip.plannedAt },
    );
    recordDecision(sql, Number(run.jobKey), skip);
  }
  return true;
}
