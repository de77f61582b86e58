/**
 * Fourteen made-up jobs in every state, for looking at the window without an engine. The day is Thursday 11 March 2027, 14:14
 * in New York, three days before its clocks change.
 */
import { emptyCommandSettings } from '../shared/kinds/command';
import type { JobId } from '../shared/model/job';
import { defaultPolicies } from '../shared/model/policies';
import type { Run } from '../shared/model/run';
import type { ScheduleId, ScheduleRule } from '../shared/model/schedule';
import { HOUR_MS, type Instant, MINUTE_MS, SECOND_MS, toInstant } from '../shared/time';
import type { FakeEngine } from './fakeEngine';
import { at, JOBS, LOOK_NOW, type LookJob } from './lookJobs';

export const cronRule = (expression: string): ScheduleRule => ({
  kind: 'cron',
  expression,
  zone: 'local',
  dayMatch: 'either',
  gap: 'run_after',
  repeat: 'first',
});

/** The letters of the picture: a digit is a success of that height, X failed, T timed out, m, c, s and r as in the strip. */
const sparkOf = (picture: string): string =>
  [...picture]
    .map((letter) => {
      const highest = Math.max(3, ...[...picture].filter((one) => /\d/.test(one)).map(Number));
      if (/\d/.test(letter)) return `s${Math.round((9 * Number(letter)) / highest)}`;
      const marks: Readonly<Record<string, string>> = {
        X: 'f9',
        T: 't9',
        m: 'm0',
        c: 'c4',
        s: 'k0',
        r: 'r9',
      };
      return marks[letter] ?? '';
    })
    .join('');

function addJob(engine: FakeEngine, look: LookJob): JobId {
  const isEnabled = look.state !== 'paused';
  const scheduleId = `00000000-0000-4000-9000-${String(JOBS.indexOf(look)).padStart(12, '0')}` as ScheduleId;
  const first = look.next.code === 'due' ? look.next.at : null;
  return engine.addJob({
    job: {
      name: look.name,
      settings: { ...emptyCommandSettings, line: look.line },
      tags: [look.tag],
      isEnabled,
      disabledReason: isEnabled ? null : 'user',
      policies: { ...defaultPolicies, timeoutMs: 30 * MINUTE_MS },
      schedules: [{ id: scheduleId, rule: cronRule(look.expression) }],
    },
    row: {
      state: look.state ?? 'never_run',
      scheduleShort: look.short,
      spark: sparkOf(look.spark).slice(-60),
      next: look.next,
      lastRunAt: toInstant(LOOK_NOW - JOBS.indexOf(look) * HOUR_MS),
    },
    sentences: [look.sentence],
    upcoming: first === null ? [] : [0, 2, 4, 6].map((hours) => toInstant(first + hours * HOUR_MS)),
    medianMs: 3 * MINUTE_MS + 5 * SECOND_MS,
  });
}

/** One run for each slot of a picture, the newest at `last`, `stepMs` apart. */
function addRuns(engine: FakeEngine, jobId: JobId, picture: string, last: Instant, stepMs: number): void {
  for (const [index, letter] of [...picture].entries()) {
    const startedAt = toInstant(last - (picture.length - 1 - index) * stepMs);
    const isBad = letter === 'X';
    const durationMs = isBad ? 242 * SECOND_MS : (Number(letter) || 3.2) * 43 * SECOND_MS;
    const end: Partial<Run> = isBad
      ? { outcome: 'failed', reason: 'exit_code', exitCode: 23 }
      : { outcome: 'succeeded', exitCode: 0 };
    const late: Partial<Run> =
      letter === 'c'
        ? {
            trigger: 'catch_up',
            plannedAt: toInstant(startedAt - 21 * MINUTE_MS),
            missCause: 'asleep',
            mergedCount: 2,
          }
        : { plannedAt: startedAt };
    engine.addRun(jobId, {
      ...end,
      ...late,
      startedAt,
      durationMs,
      endedAt: toInstant(startedAt + durationMs),
      outputBytes: 1_900_000,
    });
  }
}

const SENT = '\u001b[32msending\u001b[0m';

function writeLog(engine: FakeEngine, jobId: JobId): void {
  const [entry] = engine.jobs.get(jobId)?.history ?? [];
  if (entry?.entry !== 'run') return;
  const start = entry.run.startedAt ?? LOOK_NOW;
  const lines = Array.from({ length: 300 }, (_, index) => ({
    text: `${SENT} 2027/03/IMG_${2_000 + index}.HEIC`,
    at: toInstant(start + 8_000 + index * 720),
  }));
  engine.write(entry.run.id, [
    { text: 'Scanning ~/Pictures … 18,442 files', at: toInstant(start + 344) },
    ...lines,
    { text: 'warning: \u001b[33mcache is stale\u001b[0m, rebuilding index', at: toInstant(start + 226_000) },
    { text: `${SENT} 2027/03/IMG_2300.HEIC`, at: toInstant(start + 228_000) },
    { text: '\u001b[32m✓\u001b[0m checksum 2027/02 (1,204 files)', at: toInstant(start + 229_127) },
    {
      text: 'rsync: [sender] connection unexpectedly closed (31,204,118 bytes received so far)',
      stream: 'stderr',
      at: toInstant(start + 231_403),
    },
    {
      text: 'rsync error: some files could not be transferred (code 23) at main.c(1338)',
      stream: 'stderr',
      at: toInstant(start + 231_404),
    },
    { text: 'kept 18,441 of 18,442 files', at: toInstant(start + 241_660) },
  ]);
}

/** Fills an engine with the fourteen jobs and tells their ids by name. */
export function fillLookWorld(engine: FakeEngine): ReadonlyMap<string, JobId> {
  const ids = new Map(JOBS.map((look) => [look.name, addJob(engine, look)]));
  const photos = ids.get('Sync photos to NAS');
  if (photos !== undefined) {
    addRuns(engine, photos, '44543454454345X4543454c543XXXX', at('03-11T14:05:00'), 2 * HOUR_MS);
    engine.addSkip(photos, {
      plannedAt: at('03-11T12:38:00'),
      untilAt: at('03-11T13:08:00'),
      count: 3,
      reason: 'catch_up_off',
      missCause: 'asleep',
    });
    engine.addSkip(photos, { plannedAt: at('03-11T13:30:00'), reason: 'overlap' });
    writeLog(engine, photos);
  }
  const notes = ids.get('Back up notes');
  if (notes !== undefined) {
    addRuns(engine, notes, '333343334333c3343334333433c', at('03-11T13:21:00'), 24 * HOUR_MS);
  }
  const dump = ids.get('Dump shop DB');
  if (dump !== undefined) {
    addRuns(engine, dump, '566756675667566756', at('03-10T13:50:00'), 24 * HOUR_MS);
    const runId = engine.addRun(dump, {
      state: 'running',
      outcome: null,
      exitCode: null,
      startedAt: at('03-11T13:50:00'),
      endedAt: null,
      durationMs: null,
    });
    engine.write(runId, [{ text: 'pg_dump: dumping contents of table "orders"', at: at('03-11T13:50:02') }]);
  }
  engine.setStatus({
    jobCount: JOBS.length,
    runningCount: 1,
    failingCount: 2,
    next: { at: at('03-11T14:15:00'), jobName: 'Pull work repos', dueCount: 2 },
    lastGap: {
      cause: 'asleep',
      from: at('03-11T12:38:00'),
      to: at('03-11T13:21:00'),
      caughtUpCount: 2,
      missedCount: 2,
      missedJobCount: 2,
    },
  });
  return ids;
}
