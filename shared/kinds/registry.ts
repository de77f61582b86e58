/** Every job kind, once. The runner's registry is typed by this one, so a kind without a runner does not compile. */
import type { z } from 'zod';
import type { FormDescription } from '../fields';
import { CommandSettings, commandForm, commandSummary, emptyCommandSettings } from './command';

export const jobKinds = {
  command: {
    form: commandForm,
    empty: emptyCommandSettings,
    summary: commandSummary,
  },
} as const satisfies Record<
  string,
  {
    form: FormDescription;
    empty: unknown;
    summary: (settings: never) => string;
  }
>;

export type JobKind = keyof typeof jobKinds;

/** The settings of a job, told apart by `kind`. Becomes a discriminated union with the second kind. */
export const KindSettings = CommandSettings;
export type KindSettings = z.output<typeof KindSettings>;
