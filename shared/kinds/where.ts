/** Where a process of a job runs: folder, environment, and how it is treated by the system. Every kind that starts one has it. */
import { z } from 'zod';
import type { FormDescription } from '../fields';

export const TEXT_LENGTH_MAX = 10_000;
export const PATH_LENGTH_MAX = 4_000;
export const VARIABLES_MAX = 200;

const NUL_TEXT = 'Remove the NUL character.';

/** A text of at most `max` characters that a system call can take. */
export const limited = (max: number) =>
  z
    .string()
    .max(max, `Use at most ${max.toLocaleString('en-US')} characters.`)
    .refine((text) => !text.includes('\0'), NUL_TEXT);

/** Name of an environment variable as every POSIX shell accepts it. */
export const VariableName = z
  .string()
  .max(200, 'Use at most 200 characters.')
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'A name uses letters, digits and _.');

export const Variable = z.strictObject({
  name: VariableName,
  /** Empty for a secret that is kept as it is: a secret never comes back out of the store (security.md 4.9). */
  value: limited(TEXT_LENGTH_MAX),
  isSecret: z.boolean().optional(),
});
export type Variable = z.output<typeof Variable>;

/**
 * What the environment begins with. `terminal`: what the login shell of the user exports. `minimal`: home, user, locale and the
 * folders of the system. `own`: nothing but the variables of the job.
 */
export const EnvironmentMode = z.enum(['terminal', 'minimal', 'own']);
export type EnvironmentMode = z.output<typeof EnvironmentMode>;

const NICE_TEXT = 'Use 0 (normal) to 19 (gives way to everything).';

/** Fields of the settings of a kind. Each has a default, because older jobs were stored without it. */
export const whereShape = {
  /** Working folder; empty means the home folder. A leading `~` is the home folder. */
  folder: limited(PATH_LENGTH_MAX),
  environment: EnvironmentMode.default('terminal'),
  /** File of NAME=value lines, read at each start; empty for none. Relative to the folder. */
  envFile: limited(PATH_LENGTH_MAX).default(''),
  variables: z.array(Variable).max(VARIABLES_MAX, `Use at most ${VARIABLES_MAX} variables.`),
  /** Octal, or empty for that of the user. */
  umask: z
    .string()
    .regex(/^[0-7]{0,4}$/, 'Use up to four octal digits, such as 022.')
    .default(''),
  niceness: z.number(NICE_TEXT).int(NICE_TEXT).min(0, NICE_TEXT).max(19, NICE_TEXT).default(0),
  /** How the disk treats it beside others, where the system knows that. */
  ioPriority: z.enum(['normal', 'low', 'idle']).default('normal'),
} as const;

const Where = z.strictObject(whereShape);
export type Where = z.output<typeof Where>;

export const emptyWhere: Where = {
  folder: '',
  environment: 'terminal',
  envFile: '',
  variables: [],
  umask: '',
  niceness: 0,
  ioPriority: 'normal',
};

/** Fields of the Where section. */
export const whereForm: FormDescription = {
  label: 'Where',
  hint: 'The folder and the environment it gets.',
  fields: [
    {
      path: 'folder',
      label: 'Folder',
      control: 'folder',
      help: 'Empty means your home folder. If it is missing at run time the run fails.',
    },
    {
      path: 'variables',
      label: 'Environment',
      control: 'pairs',
      help: 'Added to your own environment.',
    },
  ],
};
