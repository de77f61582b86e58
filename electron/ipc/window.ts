/** Requests that the process around the engine answers: dialogs of the system, and whether the window has drawn itself. */

import type { Handlers } from '../../shared/ipc/contract';
import type { Settings } from '../../shared/model/settings';
import { fail, ok } from '../../shared/result';

/** What a process with windows offers. */
export type WindowSide = {
  /** The system's folder dialog; null when it was closed without a choice. */
  readonly chooseFolder: (start: string) => Promise<string | null>;
  readonly writeClipboard: (text: string) => Promise<void>;
  readonly windowDrawn: () => void;
  readonly isWindowDrawn: () => boolean;
  /** The system's dialog for a new file; null when it was closed without a choice. */
  readonly chooseNewFile: (name: string) => Promise<string | null>;
  /** Shows a folder in the system's file manager. */
  readonly revealFolder: (folder: string) => Promise<void>;
  /** Leaves, as the menu does. */
  readonly quit: () => void;
  /** A change of preferences takes effect at once. */
  readonly applySettings: (settings: Settings) => void;
};

type WindowHandlers = Pick<Handlers, 'clipboard.write' | 'folders.choose' | 'window.drawn'>;

/** `side` is null for a process without windows. */
export const windowHandlers = (side: WindowSide | null): WindowHandlers => ({
  'clipboard.write': async ({ text }) => {
    if (side === null) return fail('unsupported', 'Only the window can write to the clipboard.');
    await side.writeClipboard(text);
    return ok(undefined);
  },
  'folders.choose': async ({ start }) =>
    side === null
      ? fail('unsupported', 'Only the window can show a dialog.')
      : ok(await side.chooseFolder(start)),
  'window.drawn': async () => {
    side?.windowDrawn();
    return ok(undefined);
  },
});
