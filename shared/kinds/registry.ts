/** Every job kind, once. The runner's registry is typed by this one, so a kind without a runner does not compile. */
import { z } from 'zod';
import type { FormDescription } from '../fields';
import { CommandDraft, CommandSettings, commandForm, commandSummary, emptyCommandSettings } from './command';
import { emptyScriptSettings, ScriptDraft, ScriptSettings, scriptForm, scriptSummary } from './script';

export const jobKinds = {
  command: { form: commandForm, empty: emptyCommandSettings, startsProcess: true },
  script: { form: scriptForm, empty: emptyScriptSettings, startsProcess: true },
} as const satisfies Record<
  string,
  {
    form: FormDescription;
    /** The settings a new job starts with. */
    empty: unknown;
    /** It has a folder and an environment, and outlives Belfry. */
    startsProcess: boolean;
  }
>;

export type JobKind = keyof typeof jobKinds;
export const JobKind = z.enum(['command', 'script'] satisfies JobKind[]);

/** The settings of a job, told apart by `kind`. */
export const KindSettings = z.discriminatedUnion('kind', [CommandSettings, ScriptSettings]);
export type KindSettings = z.output<typeof KindSettings>;

/** The shape alone, as an unfinished draft has it. */
export const KindDraft = z.discriminatedUnion('kind', [CommandDraft, ScriptDraft]);
export type KindDraft = z.output<typeof KindDraft>;

/** The job's work in one line, for lists and titles. Not meant to be pasted anywhere. */
export function kindSummary(settings: KindDraft): string {
  switch (settings.kind) {
    case 'command':
      return commandSummary(settings);
    case 'script':
      return scriptSummary(settings);
  }
}
