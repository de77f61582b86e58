import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { APP_URL, createAppHandler, listAssets, resolveAsset } from './appProtocol';
import { contentSecurityPolicy } from './policy';

const base = fs.mkdtempSync(path.join(os.tmpdir(), 'belfry-page-'));
const folder = path.join(base, 'page');
fs.mkdirSync(path.join(folder, 'assets'), { recursive: true });
fs.writeFileSync(
  path.join(folder, 'index.html'),
  '<!doctype html><html><head><title>x</title></head></html>',
);
fs.writeFileSync(path.join(folder, 'assets', 'a-1.js'), 'export {};');
fs.writeFileSync(path.join(folder, 'assets', 'a b.css'), '');
fs.writeFileSync(path.join(base, 'secret.txt'), 'secret');
fs.symlinkSync(path.join(base, 'secret.txt'), path.join(folder, 'link.txt'));
afterAll(() => fs.rmSync(base, { recursive: true, force: true }));

const assets = listAssets(folder);

test('knows the plain files of the page, and no link', () => {
  expect([...assets].sort()).toEqual(['assets/a b.css', 'assets/a-1.js', 'index.html']);
});

test.each([
  ['belfry://app/', 'index.html'],
  ['belfry://app/index.html', 'index.html'],
  ['belfry://app/assets/a-1.js', 'assets/a-1.js'],
  ['belfry://app/assets/a-1.js?v=1#top', 'assets/a-1.js'],
  ['belfry://app/assets/a%20b.css', 'assets/a b.css'],
  ['belfry://app/assets/../index.html', 'index.html'],
])('%s is %s (4.3)', (address, asset) => {
  expect(resolveAsset(address, assets)).toBe(asset);
});

test.each([
  'belfry://app/missing.js',
  'belfry://app/assets',
  'belfry://app/assets/',
  'belfry://app//index.html',
  'belfry://app/../secret.txt',
  'belfry://app/%2e%2e/secret.txt',
  'belfry://app/..%2fsecret.txt',
  'belfry://app/assets/..%2f..%2fsecret.txt',
  'belfry://app/assets/..%2findex.html',
  'belfry://app/..%5csecret.txt',
  'belfry://app/..\\secret.txt',
  'belfry://app/index.html%00.js',
  'belfry://app/%',
  `belfry://app/${encodeURIComponent(path.join(base, 'secret.txt'))}`,
  'belfry://app/C:/Windows/win.ini',
  'belfry://app/link.txt',
  'belfry://other/index.html',
  'belfry://app.evil/index.html',
  'belfry://app:1/index.html',
  'belfry://user@app/index.html',
  'https://app/index.html',
  'file:///etc/hosts',
  'nonsense',
])('%s is nothing (4.3)', (address) => {
  expect(resolveAsset(address, assets)).toBeNull();
});

test('the page carries a nonce that its own policy allows, new with each load', async () => {
  const handle = createAppHandler(folder);
  const nonces: string[] = [];
  for (let load = 0; load < 2; load += 1) {
    const reply = await handle(new Request(APP_URL));
    const html = await reply.text();
    const nonce = html.match(/<head><meta property="csp-nonce" nonce="([\w+/=]{24})"><title>/)?.[1] ?? '';
    expect(reply.headers.get('content-security-policy')).toBe(contentSecurityPolicy(nonce));
    expect(reply.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(reply.headers.get('x-content-type-options')).toBe('nosniff');
    nonces.push(nonce);
  }
  expect(nonces[0]).not.toBe(nonces[1]);
});

test('every answer has a policy, also the refusing ones, and only GET is answered', async () => {
  const handle = createAppHandler(folder);
  const script = await handle(new Request(`${APP_URL}assets/a-1.js`));
  const missing = await handle(new Request(`${APP_URL}missing.js`));
  const post = await handle(new Request(APP_URL, { method: 'POST' }));
  expect([script.status, missing.status, post.status]).toEqual([200, 404, 405]);
  for (const reply of [script, missing, post]) {
    expect(reply.headers.get('content-security-policy')).toMatch(/^default-src 'none'; /);
  }
  expect(script.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
});
