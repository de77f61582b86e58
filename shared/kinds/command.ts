/** Job kind `command`: a program with its arguments, or a line for a shell, started as the user with a clean environment. */
import { z } from 'zod';
import type { FormDescription } from '../fields';

export const COMMAND_LENGTH_MAX = 10_000;
export const ARGUMENTS_MAX = 200;
export const VARIABLES_MAX = 200;

const noNul = (text: string): boolean => !text.includes('\0');
const NUL_TEXT = 'Remove the NUL character.';
const limited = (max: number) =>
  z
    .string()
    .max(max, `Use at most ${max.toLocaleString('en-US')} characters.`)
    .refine(noNul, NUL_TEXT);

/** Name of an environment variable as every POSIX shell accepts it. */
export const VariableName = z
  .string()
  .max(200, 'Use at most 200 characters.')
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'A name uses letters, digits and _.');

/** The shape alone, as an unfinished draft has it: what `commands.check` takes. */
export const CommandDraft = z.strictObject({
  kind: z.literal('command'),
  /** `shell`: one line for a shell. `program`: no shell at all, each argument passed as it is. */
  form: z.enum(['shell', 'program']),
  /** The shell line; empty when `form` is `program`. */
  line: limited(COMMAND_LENGTH_MAX),
  /** Path of the shell, or empty for the login shell of the user. */
  shell: limited(1_000),
  program: limited(1_000),
  arguments: z
    .array(limited(COMMAND_LENGTH_MAX))
    .max(ARGUMENTS_MAX, `Use at most ${ARGUMENTS_MAX} arguments.`),
  /** Working folder; empty means the home folder. A leading `~` is the home folder. */
  folder: limited(4_000),
  variables: z
    .array(
      z.strictObject({
        name: VariableName,
        value: limited(COMMAND_LENGTH_MAX),
      }),
    )
    .max(VARIABLES_MAX, `Use at most ${VARIABLES_MAX} variables.`),
});

export const CommandSettings = CommandDraft.superRefine((settings, context) => {
  if (settings.form === 'shell' && settings.line.trim() === '') {
    context.addIssue({
      code: 'custom',
      path: ['line'],
      message: 'Type a command to run.',
    });
  }
  if (settings.form === 'program' && settings.program.trim() === '') {
    context.addIssue({
      code: 'custom',
      path: ['program'],
      message: 'Choose a program to run.',
    });
  }
});
export type CommandSettings = z.output<typeof CommandSettings>;

/** The settings a new job starts with. */
export const emptyCommandSettings: CommandSettings = {
  kind: 'command',
  form: 'shell',
  line: '',
  shell: '',
  program: '',
  arguments: [],
  folder: '',
  variables: [],
};

/** The command in one line, for lists and titles. Not meant to be pasted into a shell. */
export const commandSummary = (settings: CommandSettings): string =>
  settings.form === 'shell'
    ? (settings.line.trim().split('\n')[0] ?? '')
    : [settings.program, ...settings.arguments].join(' ');

export const commandForm: FormDescription = {
  label: 'Shell command',
  hint: 'Runs a line in a shell, or a program with its arguments.',
  fields: [
    {
      path: 'form',
      label: 'Run',
      control: 'choice',
      choices: [
        { value: 'shell', label: 'A line for a shell' },
        { value: 'program', label: 'A program with arguments' },
      ],
    },
    {
      path: 'line',
      label: 'Command',
      control: 'code',
      placeholder: 'restic backup ~/Notes --tag laptop',
      visibleWhen: { path: 'form', equals: 'shell' },
    },
    {
      path: 'shell',
      label: 'Shell',
      control: 'text',
      help: 'Empty means your login shell.',
      visibleWhen: { path: 'form', equals: 'shell' },
    },
    {
      path: 'program',
      label: 'Program',
      control: 'text',
      help: 'A name that is looked up on the PATH, or a full path.',
      visibleWhen: { path: 'form', equals: 'program' },
    },
    {
      path: 'arguments',
      label: 'Arguments',
      control: 'lines',
      help: 'No quoting needed. Each row is one argument.',
      visibleWhen: { path: 'form', equals: 'program' },
    },
  ],
};

/** Fields of the Where section; every kind that starts a process has them. */
export const whereForm: FormDescription = {
  label: 'Where',
  hint: 'The folder and the environment the command gets.',
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
