/** How a keyboard shortcut is written for the eye and for `aria-keyshortcuts`. `mod` is Command on a Mac, else Control. */

export type Shortcut = string;

export const isMac = /Mac/.test(globalThis.navigator?.userAgent ?? '');

const FOR_EYES: Readonly<Record<string, string>> = isMac
  ? { mod: '⌘', shift: '⇧', alt: '⌥', enter: '⏎', escape: 'Esc', delete: '⌫' }
  : { mod: 'Ctrl', shift: 'Shift', alt: 'Alt', enter: 'Enter', escape: 'Esc', delete: 'Del' };

const FOR_ARIA: Readonly<Record<string, string>> = {
  mod: isMac ? 'Meta' : 'Control',
  shift: 'Shift',
  alt: 'Alt',
  enter: 'Enter',
  escape: 'Escape',
  delete: 'Delete',
};

const written = (shortcut: Shortcut, words: Readonly<Record<string, string>>): string[] =>
  shortcut.split('+').map((key) => words[key] ?? (key.length === 1 ? key.toUpperCase() : key));

/** `⌘S` on a Mac, `Ctrl S` elsewhere. */
export const shortcutText = (shortcut: Shortcut): string =>
  written(shortcut, FOR_EYES).join(isMac ? '' : ' ');

export const shortcutForAria = (shortcut: Shortcut): string => written(shortcut, FOR_ARIA).join('+');

/** Whether the platform's main modifier, and no other, is held. */
export const hasMod = (event: {
  readonly metaKey: boolean;
  readonly ctrlKey: boolean;
  readonly altKey: boolean;
}): boolean => (isMac ? event.metaKey && !event.ctrlKey : event.ctrlKey && !event.metaKey) && !event.altKey;

/** Whether a key press belongs to what is being typed, so that single letters must not act. */
export const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)) &&
  !/^(checkbox|radio|button)$/.test(target.getAttribute('type') ?? '');
