/** The policies of a job as they stand in the editor. Numbers are kept as typed, also while their policy is off. */

import type { JobDraftInput } from '../../shared/model/job';
import {
  CATCH_UP_COUNT_DEFAULT,
  defaultRetry,
  OVERLAP_COUNT_DEFAULT,
  type Policies,
  Retry,
} from '../../shared/model/policies';
import type { LimitForm, NumberReader } from './numberForm';
import { emptySpan, readSpan, type SpanForm, writeSpan } from './spanForm';

export type RetryForm = {
  readonly isOn: boolean;
  readonly count: string;
  readonly delay: SpanForm;
  readonly growth: Policies['retry']['growth'];
  readonly delayMax: SpanForm;
  readonly isLimitedToCodes: boolean;
  /** Numbers with commas or spaces between them. */
  readonly exitCodes: string;
};

export type PolicyForm = {
  readonly catchUp: Policies['catchUp']['mode'];
  readonly catchUpCount: string;
  readonly lateLimit: LimitForm;
  readonly overlap: Policies['overlap']['mode'];
  readonly overlapCount: string;
  readonly timeout: LimitForm;
  readonly grace: SpanForm;
  readonly retry: RetryForm;
  readonly afterInterruption: Policies['afterInterruption'];
  readonly jitter: LimitForm;
  readonly perHour: { readonly isOn: boolean; readonly count: string };
};

/** What the switch for retries begins with. */
const RETRIES_SUGGESTED = '3';
const PER_HOUR_SUGGESTED = '60';
/** The most runs that a catch-up or an overlap may have (`CatchUp`, `Overlap`). */
const COUNT_MAX = 100;

const limit = (ms: number | null, whenOff: SpanForm): LimitForm =>
  ms === null ? { isOn: false, span: whenOff } : { isOn: true, span: writeSpan(ms) };

const retryForm = ({ countMax, delayMs, growth, delayMsMax, exitCodes }: Policies['retry']): RetryForm => ({
  isOn: countMax > 0,
  count: countMax > 0 ? String(countMax) : RETRIES_SUGGESTED,
  delay: writeSpan(delayMs),
  growth,
  delayMax: writeSpan(delayMsMax),
  isLimitedToCodes: exitCodes !== null,
  exitCodes: exitCodes?.join(', ') ?? '',
});

/** The form of the policies that a job has. */
export const policyForm = (policies: Policies): PolicyForm => ({
  catchUp: policies.catchUp.mode,
  catchUpCount: String(policies.catchUp.countMax),
  lateLimit: limit(policies.catchUp.ageMsMax, emptySpan('1', 'hours')),
  overlap: policies.overlap.mode,
  overlapCount: String(policies.overlap.countMax),
  timeout: limit(policies.timeoutMs, emptySpan('1', 'hours')),
  grace: writeSpan(policies.graceMs),
  retry: retryForm(policies.retry),
  afterInterruption: policies.afterInterruption,
  jitter: limit(policies.jitterMs === 0 ? null : policies.jitterMs, emptySpan('5', 'minutes')),
  perHour: {
    isOn: policies.runsPerHourMax !== null,
    count: policies.runsPerHourMax === null ? PER_HOUR_SUGGESTED : String(policies.runsPerHourMax),
  },
});

/** The exit codes that were typed, or null if something among them is no number. */
export function readExitCodes(text: string): number[] | null {
  const parts = text.split(/[\s,;]+/).filter((part) => part !== '');
  return parts.every((part) => /^\d{1,9}$/.test(part)) ? [...new Set(parts.map(Number))] : null;
}

/** What counts for nothing now is kept as far as it makes sense, for the day it counts again. */
const quiet = (text: string, max: number, otherwise: number): number => {
  const value = Number(text);
  return text.trim() !== '' && Number.isInteger(value) && value >= 1 && value <= max ? value : otherwise;
};

function quietRetry({ delay, growth, delayMax }: RetryForm): Policies['retry'] {
  const kept = Retry.safeParse({
    ...defaultRetry,
    growth,
    delayMs: readSpan(delay),
    delayMsMax: readSpan(delayMax),
  });
  return kept.success ? kept.data : defaultRetry;
}

function readRetry(form: RetryForm, read: NumberReader, mistakes: Record<string, string>): Policies['retry'] {
  if (!form.isOn) return quietRetry(form);
  const path = 'policies.retry';
  const codes = form.isLimitedToCodes ? readExitCodes(form.exitCodes) : null;
  if (form.isLimitedToCodes && codes === null) {
    mistakes[`${path}.exitCodes`] = 'Type exit codes with commas between them.';
  }
  return {
    countMax: read.whole(form.count, `${path}.countMax`),
    delayMs: read.span(form.delay, `${path}.delayMs`),
    growth: form.growth,
    // Without growth nobody sees the longest delay.
    delayMsMax:
      form.growth === 'doubling'
        ? read.span(form.delayMax, `${path}.delayMsMax`)
        : quietRetry(form).delayMsMax,
    exitCodes: form.isLimitedToCodes ? (codes ?? []) : null,
  };
}

/** The policies of a draft. What cannot be read is told in `mistakes`, by its path in the draft. */
export function readPolicies(
  form: PolicyForm,
  read: NumberReader,
  mistakes: Record<string, string>,
): JobDraftInput['policies'] {
  const { catchUp, overlap, perHour } = form;
  const hasCount = overlap === 'queue_all' || overlap === 'allow';
  return {
    catchUp: {
      mode: catchUp,
      ageMsMax: read.limit(form.lateLimit, 'policies.catchUp.ageMsMax'),
      countMax:
        catchUp === 'all'
          ? read.whole(form.catchUpCount, 'policies.catchUp.countMax')
          : quiet(form.catchUpCount, COUNT_MAX, CATCH_UP_COUNT_DEFAULT),
    },
    overlap: {
      mode: overlap,
      countMax: hasCount
        ? read.whole(form.overlapCount, 'policies.overlap.countMax')
        : quiet(form.overlapCount, COUNT_MAX, OVERLAP_COUNT_DEFAULT),
    },
    timeoutMs: read.limit(form.timeout, 'policies.timeoutMs'),
    graceMs: read.span(form.grace, 'policies.graceMs'),
    retry: readRetry(form.retry, read, mistakes),
    afterInterruption: form.afterInterruption,
    jitterMs: read.limit(form.jitter, 'policies.jitterMs') ?? 0,
    runsPerHourMax: perHour.isOn ? read.whole(perHour.count, 'policies.runsPerHourMax') : null,
  };
}
