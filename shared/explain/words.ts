/**
 * One plain sentence for each explanation, the same in window, command line and log. A reader who knows nothing of how
 * Belfry works must understand it; every code and every reason has its words, or this file does not compile.
 */

import type { Explanation } from '../model/explanation';
import type { DecisionReason, Outcome, Trigger } from '../model/run';
import { assertNever } from '../result';
import { type Instant, SECOND_MS } from '../time';
import { gapInWords, missInWords, NEVER_BEGAN, OFF, pauseInWords, waitInWords } from './causes';
import { lengthInWords, type Moments } from './moments';

type Of<C extends Explanation['code']> = Extract<Explanation, { code: C }>;

/** `askedAt`: the moment asked about; if a due time of the same minute was found instead, the sentence says so. */
export function explainInWords(explanation: Explanation, askedAt: Instant, moments: Moments): string {
  const sentence = sentenceOf(explanation, explanation.plannedAt ?? askedAt, moments);
  if (explanation.plannedAt === null || explanation.plannedAt === askedAt) return sentence;
  return `Due at ${moments(explanation.plannedAt, askedAt)}. ${sentence}`;
}

function sentenceOf(explanation: Explanation, near: Instant, moments: Moments): string {
  switch (explanation.code) {
    case 'ran':
      return ranInWords(explanation, near, moments);
    case 'merged':
      return mergedInWords(explanation, near, moments);
    case 'waiting':
      return waitingInWords(explanation, near, moments);
    case 'skipped':
      return skippedInWords(explanation, near, moments);
    case 'disabled':
      return `Not run: the job is ${offInWords(explanation)} since ${moments(explanation.since, near)}.`;
    case 'deleted':
      return `Not run: the job was deleted at ${moments(explanation.at, near)}.`;
    case 'not_yet':
      return `Not run: the job, or this schedule of it, is there only since ${moments(explanation.since, near)}.`;
    case 'undecided':
      return undecidedInWords(explanation, near, moments);
    case 'planned':
      return explanation.jitterMs === 0
        ? `Planned for ${moments(near, null)}.`
        : `Planned for ${moments(near, null)}, or up to ${lengthInWords(explanation.jitterMs)} later.`;
    case 'will_skip':
      return willSkipInWords(explanation, near, moments);
    case 'not_planned':
      return notPlannedInWords(explanation, near, moments);
    default:
      return assertNever(explanation);
  }
}

const OUTCOMES: Readonly<Record<Outcome, string>> = {
  succeeded: '',
  failed: ' and failed',
  timed_out: ' and took too long',
  cancelled: ' and was stopped',
  abandoned: ' and was cut off',
};

const UNPLANNED: Readonly<Record<Trigger, string>> = {
  schedule: 'Started',
  catch_up: 'Started to make up for what was missed',
  creation: 'Started at once when the job was made',
  manual: 'Started by hand',
  cli: 'Started from the command line',
  chain: 'Started after another job',
  event: 'Started by an event',
  test: 'Started as a test',
};

function ranInWords(explanation: Of<'ran'>, near: Instant, moments: Moments): string {
  const { run, plannedAt } = explanation;
  if (run.startedAt === null) {
    if (run.endedAt === null) return 'It ran; the details are not kept any more.';
    return `Never began: ${run.reason === null ? 'it was taken out of the queue' : NEVER_BEGAN[run.reason]}.`;
  }
  const begun = moments(run.startedAt, near);
  const end = run.outcome === null ? '' : OUTCOMES[run.outcome];
  const others =
    run.mergedCount === 0
      ? ''
      : `, for ${run.mergedCount} other due ${run.mergedCount === 1 ? 'time' : 'times'} too`;
  if (plannedAt === null) {
    return `${UNPLANNED[run.trigger]} at ${begun}${run.outcome === null ? ' and still running' : end}.`;
  }
  const isLate = run.lateMs > 0;
  const late = isLate ? `${lengthInWords(run.lateMs)} late` : 'on time';
  const head = run.outcome === null ? `Running since ${begun}, ${late}` : `Ran ${late}${end}`;
  const cause = isLate ? lateCauseOf(explanation, near, moments) : null;
  return `${head}${others}${cause === null ? '' : `: ${cause}`}.`;
}

function lateCauseOf({ run, gap, blockingRun }: Of<'ran'>, near: Instant, moments: Moments): string {
  if (run.trigger === 'creation') return 'the job was made after that moment, in the same minute';
  if (run.missCause !== null) return missInWords(run.missCause, gap, near, moments);
  const waits = run.waits
    .filter(({ endedAt, since }) => endedAt !== null && endedAt - since >= SECOND_MS)
    .map((wait) => waitInWords(wait));
  if (waits.length > 0) return `it waited for ${[...new Set(waits)].join(' and ')}`;
  if (blockingRun !== null) return `it waited for ${theRun(blockingRun, near, moments)} to end`;
  return 'it waited for a free place';
}

type RunFacts = Of<'ran'>['run'];

const theRun = ({ startedAt, plannedAt }: RunFacts, near: Instant, moments: Moments): string => {
  const at = startedAt ?? plannedAt;
  return at === null ? 'another run' : `the run of ${moments(at, near)}`;
};

function mergedInWords({ run, missCause, gap }: Of<'merged'>, near: Instant, moments: Moments): string {
  const cause = missCause === null ? '' : `${missInWords(missCause, gap, near, moments)}; `;
  if (run === null) return `Not run by itself: ${cause}another run stands for it.`;
  if (run.startedAt === null) return `Not run by itself: ${cause}the run that waits stands for it.`;
  return `Not run: ${cause}the ${moments(run.startedAt, near)} run stands for it.`;
}

function waitingInWords(explanation: Of<'waiting'>, near: Instant, moments: Moments): string {
  const { run, notBeforeAt } = explanation;
  const until = notBeforeAt === null ? '' : ` until ${moments(notBeforeAt, near)}`;
  switch (explanation.for) {
    case 'place':
      return 'Waiting for a free place: as many jobs are running as may run at once.';
    case 'earlier_run':
      return 'Waiting for the run before it to end.';
    case 'jitter':
      return `Waiting${until}: this job starts a little later than planned, so that not everything starts at once.`;
    case 'retry':
      return `Waiting${until} to try again.`;
    case 'condition': {
      const wait = run.waits.find(({ endedAt }) => endedAt === null);
      if (wait === undefined) return 'Waiting for a condition.';
      const then = { run: 'runs anyway', skip: 'is skipped', fail: 'fails' }[wait.otherwise];
      const since = moments(wait.since, near);
      return `Waiting for ${waitInWords(wait)} since ${since}; ${then} at ${moments(wait.until, near)} otherwise.`;
    }
    default:
      return assertNever(explanation.for);
  }
}

function skippedInWords(explanation: Of<'skipped'>, near: Instant, moments: Moments): string {
  const { reason, missCause, gap, count, pause, blockingRun } = explanation;
  const missed = missCause === null ? '' : `${missInWords(missCause, gap, near, moments)}; `;
  const since = blockingRun?.startedAt == null ? '' : `, since ${moments(blockingRun.startedAt, near)}`;
  const clauses: Readonly<Record<DecisionReason, string>> = {
    ...NO_SKIPS,
    overlap: `the previous run was still going${since}`,
    queue_full: 'as many runs were waiting already as this job allows',
    paused_all: pauseInWords('all', pause),
    paused_tag: pauseInWords('tag', pause),
    paused_job: pauseInWords('job', pause),
    date_excluded: 'the job leaves that day out',
    too_old: `${missed}by then it was later than this job allows`,
    catch_up_off: `${missed}this job does not make up for missed times`,
    catch_up_cap: `${missed}newer missed times were run, and more are not made up`,
    rate_limit: 'the job had started as often in the last hour as it may',
    condition: 'a condition was not met in time',
    data_restored: 'a copy of Belfry’s data was put back later, so it is not known whether it ran',
  };
  const others = count > 1 ? ` (${count} due times together)` : '';
  return `${missed === '' ? 'Skipped' : 'Not run'}: ${clauses[reason]}${others}.`;
}

/** Reasons of occurrences that run. One that is stored with a skip all the same is said without pretending to know more. */
const NO_SKIPS = {
  on_time: 'it was on time, and nothing more is known',
  caught_up: 'it was to be made up, and nothing more is known',
  creation: 'it was due when the job was made, and nothing more is known',
  merged: 'another run stands for it',
  chain: 'another job ended, and nothing more is known',
  event: 'something happened, and nothing more is known',
} as const;

const offInWords = ({ reason }: Of<'disabled'>): string => OFF[reason ?? 'user'];

function undecidedInWords({ gap }: Of<'undecided'>, near: Instant, moments: Moments): string {
  const cause = gap === null ? '' : `: ${gapInWords(gap, near, moments)}`;
  return `Due, but Belfry has not come to it yet${cause}.`;
}

function willSkipInWords({ reason, pause }: Of<'will_skip'>, near: Instant, moments: Moments): string {
  const until = pause?.until == null ? '' : `, until ${moments(pause.until, near)}`;
  const clauses: Readonly<Partial<Record<DecisionReason, string>>> = {
    paused_all: `${pauseInWords('all', pause)}${until}`,
    paused_tag: `${pauseInWords('tag', pause)}${until}`,
    paused_job: `${pauseInWords('job', pause)}${until}`,
    date_excluded: 'the job leaves that day out',
    data_restored: 'a copy of Belfry’s data was put back',
  };
  return `Will be skipped: ${clauses[reason] ?? 'as things are, it will not run'}.`;
}

function notPlannedInWords(explanation: Of<'not_planned'>, near: Instant, moments: Moments): string {
  const { why, previousAt, nextAt } = explanation;
  const reasons: Readonly<Record<typeof why, string>> = {
    no_occurrence: 'Nothing is planned at that moment',
    outside_dates: 'Nothing is planned that day: it lies before the first or after the last day of the job',
    clock_gap:
      'Nothing is planned: the clocks go forward over that time of day, and this job leaves it out then',
    clock_repeat:
      'Nothing is planned: the clocks go back, that time of day comes twice, and this is not the one',
    not_owed:
      'Nothing was planned then: the job was changed or deleted for a while, or the laptop was in another time zone',
    forgotten: 'It is longer ago than Belfry keeps history, so what became of it is not known any more',
    by_hand_only: 'Nothing is planned: this job is started by hand only',
    event_only: 'Nothing is planned: this job waits for another job or an event',
  };
  const around = [
    previousAt === null ? null : `before it ${moments(previousAt, near)}`,
    nextAt === null ? null : `after it ${moments(nextAt, near)}`,
  ].filter((part) => part !== null);
  return `${reasons[why]}${around.length === 0 ? '' : ` (${around.join(', ')})`}.`;
}
