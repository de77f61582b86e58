/** Job kind `command`: a program with its arguments, or a line for a shell, started as the user with a clean environment. */
import { z } from 'zod';
import type { FormDescription } from '../fields';
import { emptyWhere, limited, PATH_LENGTH_MAX, TEXT_LENGTH_MAX, whereShape } from './where';

export const ARGUMENTS_MAX = 200;

/** What a program is started with. Empty ones are arguments too. */
export const Arguments = z
  .array(limited(TEXT_LENGTH_MAX))
  .max(ARGUMENTS_MAX, `Use at most ${ARGUMENTS_MAX} arguments.`);

/** The shape alone, as an unfinished draft has it: what `commands.check` takes. */
export const CommandDraft = z.strictObject({
  kind: z.literal('command'),
  /** `shell`: one line for a shell. `program`: no shell at all, each argument passed as it is. */
  form: z.enum(['shell', 'program']),
  /** The shell line; empty when `form` is `program`. */
  line: limited(TEXT_LENGTH_MAX),
  /** Path of the shell, or empty for the login shell of the user. */
  shell: limited(PATH_LENGTH_MAX),
  program: limited(PATH_LENGTH_MAX),
  arguments: Arguments,
  ...whereShape,
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
  ...emptyWhere,
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
