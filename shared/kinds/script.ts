/** Job kind `script`: a text that is stored with the job and run by an interpreter from a private file. */
import { z } from 'zod';
import type { FormDescription } from '../fields';
import { Arguments } from './command';
import { emptyWhere, limited, PATH_LENGTH_MAX, whereShape } from './where';

export const SCRIPT_LENGTH_MAX = 100_000;

/** `auto`: what the first line says after `#!`, or `sh`. `other`: the program in `program`. */
export const Interpreter = z.enum(['auto', 'sh', 'bash', 'zsh', 'python', 'node', 'pwsh', 'other']);
export type Interpreter = z.output<typeof Interpreter>;

/** The shape alone, as an unfinished draft has it. */
export const ScriptDraft = z.strictObject({
  kind: z.literal('script'),
  text: limited(SCRIPT_LENGTH_MAX),
  interpreter: Interpreter,
  /** Name or path; empty unless `interpreter` is `other`. The file of the script is its last argument but for `arguments`. */
  program: limited(PATH_LENGTH_MAX),
  arguments: Arguments,
  ...whereShape,
});

export const ScriptSettings = ScriptDraft.superRefine((settings, context) => {
  if (settings.text.trim() === '') {
    context.addIssue({ code: 'custom', path: ['text'], message: 'Type a script to run.' });
  }
  if (settings.interpreter === 'other' && settings.program.trim() === '') {
    context.addIssue({ code: 'custom', path: ['program'], message: 'Choose a program to run the script.' });
  }
});
export type ScriptSettings = z.output<typeof ScriptSettings>;

export const emptyScriptSettings: ScriptSettings = {
  kind: 'script',
  text: '',
  interpreter: 'auto',
  program: '',
  arguments: [],
  ...emptyWhere,
};

/** The first line that does something. */
export const scriptSummary = ({ text }: z.output<typeof ScriptDraft>): string =>
  text
    .split('\n')
    .map((line) => line.trim())
    .find((line) => line !== '' && !line.startsWith('#') && !line.startsWith('//')) ?? '';

export const scriptForm: FormDescription = {
  label: 'Script',
  hint: 'Runs a text of yours with an interpreter.',
  fields: [
    { path: 'text', label: 'Script', control: 'script' },
    {
      path: 'interpreter',
      label: 'Run with',
      control: 'choice',
      choices: [
        { value: 'auto', label: 'First line' },
        { value: 'sh', label: 'sh' },
        { value: 'bash', label: 'bash' },
        { value: 'zsh', label: 'zsh' },
        { value: 'python', label: 'Python' },
        { value: 'node', label: 'Node' },
        { value: 'pwsh', label: 'PowerShell' },
        { value: 'other', label: 'Other' },
      ],
    },
    {
      path: 'program',
      label: 'Program',
      control: 'text',
      help: 'A name that is looked up on the PATH, or a full path. It gets the file of the script.',
      visibleWhen: { path: 'interpreter', equals: 'other' },
    },
    {
      path: 'arguments',
      label: 'Arguments',
      control: 'lines',
      help: 'No quoting needed. Each row is one argument.',
    },
  ],
};
