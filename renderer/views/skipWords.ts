/** Why a due time was late or did not run, in words (ui.md, section 2.2). */
import type { Decision, MissCause } from '../../shared/model/run';
import { assertNever } from '../../shared/result';
import type { GlyphName } from './glyph';

/** For columns, where a few letters have to do. */
const SHORT_CAUSES: Readonly<Record<MissCause, string>> = {
  asleep: 'Asleep',
  off: 'Laptop off',
  not_running: 'Belfry closed',
  clock_forward: 'Clock set forward',
  zone_changed: 'Zone changed',
  busy: 'No place was free',
  unknown: 'Reason unknown',
};

/** The end of a sentence with “because”. */
export const CAUSES: Readonly<Record<MissCause, string>> = {
  asleep: 'the laptop was asleep',
  off: 'the laptop was off',
  not_running: 'Belfry was not running',
  clock_forward: 'the clock was set forward',
  zone_changed: 'the time zone changed',
  busy: 'other runs took every place',
  unknown: 'the reason is not known',
};

/** Why a due time did not run, in a few words for a column and as a sentence. */
function skipWords({ reason, missCause }: Decision): readonly [short: string, sentence: string] {
  switch (reason) {
    case 'overlap':
      return ['Still running', 'The run before was still going.'];
    case 'queue_full':
      return ['Enough waited', 'As many runs waited already as the job allows.'];
    case 'paused_all':
      return ['All were paused', 'All jobs were paused.'];
    case 'paused_tag':
      return ['Tag was paused', 'A tag of this job was paused.'];
    case 'paused_job':
      return ['Was paused', 'This job was paused.'];
    case 'date_excluded':
      return ['Excluded date', 'The job does not run on this date.'];
    case 'too_old':
      return ['Too late', 'It was later than its limit allows.'];
    case 'catch_up_cap':
      return ['Over the limit', 'Only the newest missed due times are made up, and this one was older.'];
    case 'rate_limit':
      return ['Too many in 1 h', 'The job had started as often within an hour as it may.'];
    case 'condition':
      return ['Condition not met', 'What it waited for did not come in time.'];
    case 'data_restored':
      return ['Not known', 'A copy of Belfry’s data was put back, so whether it ran is not known.'];
    case 'merged':
      return ['Folded in', 'It was folded into the catch-up run.'];
    case 'catch_up_off':
    case 'caught_up':
    case 'on_time':
    case 'creation':
    case 'chain':
    case 'event': {
      const cause = missCause ?? 'unknown';
      return [SHORT_CAUSES[cause], `It was not made up: ${CAUSES[cause]}.`];
    }
    default:
      return assertNever(reason);
  }
}

export const skipWord = (decision: Decision): string => skipWords(decision)[0];

export const skipSentence = (decision: Decision): string => skipWords(decision)[1];

const MISSED: ReadonlySet<Decision['reason']> = new Set([
  'too_old',
  'merged',
  'catch_up_off',
  'catch_up_cap',
  'caught_up',
  'on_time',
  'creation',
  'chain',
  'event',
]);

/** Diamond for what was missed, slash for what was left out by a rule. */
export const glyphOfSkip = ({ reason }: Pick<Decision, 'reason'>): GlyphName =>
  MISSED.has(reason) ? 'missed' : 'skipped';
