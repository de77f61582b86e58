/** What the app is asked for on its command line. A second start sends the same to the first, as untrusted data. */

import { events, type Payload } from '../shared/ipc/contract';

export type StartArguments = {
  /** Run the jobs without window and tray. */
  readonly isAgent: boolean;
  /** Start in the tray, where there is one. */
  readonly isHidden: boolean;
  /** What the window is to show. */
  readonly show: Payload<'window.show'>;
};

/** `argv` as the process has it: program, and before a packaged one's own arguments nothing else. */
export function parseArguments(
  argv: readonly string[],
  { isPackaged }: { readonly isPackaged: boolean },
): StartArguments {
  const words = argv.slice(1).filter((argument) => !argument.startsWith('-'));
  const [command] = isPackaged ? words : words.slice(1);
  return {
    isAgent: command === 'agent',
    isHidden: argv.includes('--hidden'),
    show: { place: argv.includes('--new-job') ? 'new_job' : 'jobs', jobId: null },
  };
}

/** What a second start sent, or null if it is anything else than that. */
export function parseSecondStart(data: unknown): Payload<'window.show'> | null {
  const parsed = events['window.show'].safeParse(data);
  return parsed.success ? parsed.data : null;
}
