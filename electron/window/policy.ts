/**
 * What a page may do, which is nothing but show itself: no foreign content, no navigation, no permission, no download
 * (SECURITY.md, 4.2, 4.4, 4.5). The rules are set on every session and every web contents, whoever made it.
 */

import type { Session, WebContents } from 'electron';

/** The policy header of every answer. `nonce` is new with each load and lets our libraries add their style elements. */
export const contentSecurityPolicy = (nonce: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "object-src 'none'",
  ].join('; ');

export const OPENABLE_URL_LENGTH_MAX = 2_048;

/**
 * Whether a link may be handed to the user's browser: https only, no user name in it, and no host in letters that look like
 * others, which the platform writes as `xn--`.
 */
export function isOpenable(address: string): boolean {
  if (address.length > OPENABLE_URL_LENGTH_MAX || !URL.canParse(address)) return false;
  const url = new URL(address);
  const isPlainHost = !url.hostname.split('.').some((label) => label.startsWith('xn--'));
  return url.protocol === 'https:' && url.username === '' && url.password === '' && isPlainHost;
}

/** Answers no to whatever is asked, once. */
export const refusePermission = (
  _contents: unknown,
  _permission: string,
  answer: (isGranted: boolean) => void,
): void => answer(false);

/** Takes from a session everything that a page could ask of the system. */
export function lockSession(session: Session): void {
  session.setPermissionRequestHandler(refusePermission);
  session.setPermissionCheckHandler(() => false);
  session.setDevicePermissionHandler(() => false);
  session.setDisplayMediaRequestHandler((_request, answer) => answer({}));
  session.setSpellCheckerEnabled(false);
  session.on('will-download', (event) => event.preventDefault());
  session.protocol.handle('file', () => new Response(null, { status: 403 }));
}

export type Doors = {
  /** Hands a link to the user's browser. */
  readonly openExternal: (url: string) => void;
  /** The page itself while it comes from a development server, which reloads it; null in every build. */
  readonly devServer: string | null;
};

/** Keeps contents where they are: no navigation, no window, no frame from elsewhere. */
export function lockContents(contents: WebContents, { openExternal, devServer }: Doors): void {
  const stay = (event: { preventDefault(): void; readonly url: string }): void => {
    if (devServer === null || !event.url.startsWith(devServer)) event.preventDefault();
  };
  contents.on('will-navigate', stay);
  contents.on('will-frame-navigate', stay);
  contents.on('will-redirect', stay);
  contents.on('will-attach-webview', (event) => event.preventDefault());
  contents.setWindowOpenHandler(({ url }) => {
    if (isOpenable(url)) openExternal(url);
    return { action: 'deny' };
  });
}
