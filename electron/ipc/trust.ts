/**
 * Who may ask over Electron's IPC: the main frame of a window that we made, showing our own page. Everything else is
 * refused, unclear cases included: a frame that has navigated away or a destroyed window is nobody.
 */

/** What is looked at of Electron's event; the event itself never goes further. */
export type SenderEvent = {
  readonly senderFrame: SenderFrame | null;
  readonly sender: SenderContents;
};

export type SenderFrame = { readonly origin: string };
export type SenderContents = { isDestroyed(): boolean; readonly mainFrame: SenderFrame };

export type Trust = {
  /** Whether these contents belong to a window that Belfry made. */
  readonly isOurs: (contents: SenderContents) => boolean;
  /** The only origin our page has. */
  readonly origin: string;
};

export function isTrustedSender(event: SenderEvent, { isOurs, origin }: Trust): boolean {
  // Read once and first: the frame may be gone a moment later.
  const frame = event.senderFrame;
  if (frame === null || event.sender.isDestroyed() || !isOurs(event.sender)) return false;
  return frame === event.sender.mainFrame && frame.origin === origin;
}
