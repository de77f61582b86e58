/** How long history is kept, as it is typed: every limit can be switched off and keeps its number while it is off. */
import { defaultRetention, Retention } from '../../shared/model/settings';

export type AmountForm = { readonly isOn: boolean; readonly amount: string };
export type RetentionField = keyof Retention;
export type RetentionForm = { readonly [Field in RetentionField]: AmountForm };

export const RETENTION_FIELDS = [
  'runDays',
  'failureDays',
  'runsPerJobMax',
  'outputDays',
  'outputMegabytesMax',
] as const satisfies readonly RetentionField[];

const formOf = (value: number | null, whileOff: number | null): AmountForm => ({
  isOn: value !== null,
  amount: String(value ?? whileOff ?? 1),
});

export const retentionForm = (kept: Retention): RetentionForm => ({
  runDays: formOf(kept.runDays, defaultRetention.runDays),
  failureDays: formOf(kept.failureDays, defaultRetention.failureDays),
  runsPerJobMax: formOf(kept.runsPerJobMax, defaultRetention.runsPerJobMax),
  outputDays: formOf(kept.outputDays, defaultRetention.outputDays),
  outputMegabytesMax: formOf(kept.outputMegabytesMax, defaultRetention.outputMegabytesMax),
});

type Mistakes = Partial<Record<RetentionField, string>>;
type Reading =
  | { readonly ok: true; readonly retention: Retention }
  | { readonly ok: false; readonly mistakes: Mistakes };

const BOUNDS: Readonly<Record<RetentionField, readonly [min: number, max: number]>> = {
  runDays: [1, 36_500],
  failureDays: [1, 36_500],
  runsPerJobMax: [1, 10_000_000],
  outputDays: [1, 36_500],
  outputMegabytesMax: [10, 10_000_000],
};

const whole = new Intl.NumberFormat('en-US');
const numberOf = (amount: string): number => (/^\s*\d{1,15}\s*$/.test(amount) ? Number(amount) : Number.NaN);

function mistakeOf(field: RetentionField, { amount }: AmountForm): string | null {
  const [min, max] = BOUNDS[field];
  const value = numberOf(amount);
  if (Number.isNaN(value)) return 'Type a whole number.';
  return value < min || value > max
    ? `Type a number from ${whole.format(min)} to ${whole.format(max)}.`
    : null;
}

/** Failures stay at least as long as other runs: anything else would be a surprise. */
function failureMistake(form: RetentionForm): string | null {
  if (!form.failureDays.isOn) return null;
  if (form.runDays.isOn && numberOf(form.failureDays.amount) >= numberOf(form.runDays.amount)) return null;
  return 'Failed runs have to stay at least as long as the others.';
}

export function readRetention(form: RetentionForm): Reading {
  const mistakes: Mistakes = {};
  for (const field of RETENTION_FIELDS) {
    const mistake = form[field].isOn ? mistakeOf(field, form[field]) : null;
    if (mistake !== null) mistakes[field] = mistake;
  }
  if (mistakes.failureDays === undefined && mistakes.runDays === undefined) {
    const mistake = failureMistake(form);
    if (mistake !== null) mistakes.failureDays = mistake;
  }
  if (Object.keys(mistakes).length > 0) return { ok: false, mistakes };
  const entries = RETENTION_FIELDS.map((field) => [
    field,
    form[field].isOn ? numberOf(form[field].amount) : null,
  ]);
  return { ok: true, retention: Retention.parse(Object.fromEntries(entries)) };
}
