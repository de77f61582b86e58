/**
 * Serves the built page under `belfry://app/`, and only that (SECURITY.md, 4.3): GET, files that were there when the app
 * started, every answer with the policy header. A path is decoded before it is looked up, since `URL` does not.
 */

import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import type { Protocol, Session } from 'electron';
import { contentSecurityPolicy } from './policy';

const SCHEME = 'belfry';
const HOST = 'app';
export const APP_URL = `${SCHEME}://${HOST}/`;
/** What the page's `location.origin` is, and the frame's that asks over IPC. */
export const APP_ORIGIN = `${SCHEME}://${HOST}`;

const START_PAGE = 'index.html';
const NONCE_BYTES = 16;

const contentTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
  '.map': 'application/json',
};

/** Must be called before Electron is ready, once. */
export const registerAppScheme = (protocol: Protocol): void =>
  protocol.registerSchemesAsPrivileged([
    { scheme: SCHEME, privileges: { standard: true, secure: true, supportFetchAPI: true } },
  ]);

/** Relative paths, with `/`, of all plain files in a folder. Links are left out: they could lead anywhere. */
export function listAssets(folder: string): ReadonlySet<string> {
  const assets = fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)));
  return new Set(assets.map((asset) => asset.split(path.sep).join('/')));
}

/** The asset that an address asks for, or null. Only a member of `assets` is ever answered. */
export function resolveAsset(address: string, assets: ReadonlySet<string>): string | null {
  if (!URL.canParse(address)) return null;
  const url = new URL(address);
  if (url.protocol !== `${SCHEME}:` || url.host !== HOST || url.username !== '') return null;
  const asset = url.pathname === '/' ? START_PAGE : decode(url.pathname.slice(1));
  return asset !== null && assets.has(asset) ? asset : null;
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

/** Answers requests from the files of `folder`. */
export function createAppHandler(folder: string): (request: Request) => Promise<Response> {
  const assets = listAssets(folder);
  return async (request) => {
    if (request.method !== 'GET') return answer(405, null, '', makeNonce());
    const asset = resolveAsset(request.url, assets);
    const nonce = makeNonce();
    if (asset === null) return answer(404, null, '', nonce);
    const type = contentTypes[path.extname(asset)] ?? 'application/octet-stream';
    const content = await fs.promises.readFile(path.join(folder, asset));
    const isPage = path.extname(asset) === '.html';
    return answer(
      200,
      isPage ? withNonce(content.toString('utf8'), nonce) : new Uint8Array(content),
      type,
      nonce,
    );
  };
}

/** Serves the page to windows of this session. */
export const serveApp = (session: Session, folder: string): void =>
  session.protocol.handle(SCHEME, createAppHandler(folder));

const makeNonce = (): string => randomBytes(NONCE_BYTES).toString('base64');

/** react-aria looks for exactly this element when it adds a style element of its own. */
const withNonce = (page: string, nonce: string): string =>
  page.replace(/<head[^>]*>/, (head) => `${head}<meta property="csp-nonce" nonce="${nonce}">`);

function answer(status: number, body: string | Uint8Array<ArrayBuffer> | null, type: string, nonce: string) {
  return new Response(body, {
    status,
    headers: {
      ...(type === '' ? {} : { 'content-type': type }),
      'content-security-policy': contentSecurityPolicy(nonce),
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    },
  });
}
