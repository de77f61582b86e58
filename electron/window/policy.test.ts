import { expect, test } from 'vitest';
import { contentSecurityPolicy, isOpenable, OPENABLE_URL_LENGTH_MAX, refusePermission } from './policy';

test('the policy is exactly this and loosens nothing (4.2)', () => {
  const policy = contentSecurityPolicy('bm9uY2U=');
  expect(policy).toBe(
    "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-bm9uY2U='; img-src 'self' data:; " +
      "font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'",
  );
  expect(policy).not.toMatch(/unsafe-|\*/);
});

test.each(['https://example.invalid/', 'https://example.invalid:8443/a?b=c#d'])('opens %s', (url) => {
  expect(isOpenable(url)).toBe(true);
});

test.each([
  'http://example.invalid/',
  'javascript:alert(1)',
  'file:///etc/hosts',
  'smb://server/share',
  'ms-settings:privacy',
  'mailto:someone@example.invalid',
  'data:text/html,hello',
  'belfry://app/',
  'https://user@example.invalid/',
  'https://user:word@example.invalid/',
  'https://ex\u0430mple.invalid/',
  'https://xn--exmple-4nf.invalid/',
  'https://',
  'example.invalid',
  '',
  `https://example.invalid/${'a'.repeat(10_000)}`,
])('does not open %s (4.4)', (url) => {
  expect(isOpenable(url)).toBe(false);
});

test('an address of the greatest length is still opened', () => {
  const start = 'https://example.invalid/';
  expect(isOpenable(start.padEnd(OPENABLE_URL_LENGTH_MAX, 'a'))).toBe(true);
  expect(isOpenable(start.padEnd(OPENABLE_URL_LENGTH_MAX + 1, 'a'))).toBe(false);
});

test.each([
  'clipboard-read',
  'clipboard-sanitized-write',
  'display-capture',
  'fullscreen',
  'geolocation',
  'hid',
  'idle-detection',
  'media',
  'mediaKeySystem',
  'midi',
  'midiSysex',
  'notifications',
  'openExternal',
  'pointerLock',
  'serial',
  'storage-access',
  'top-level-storage-access',
  'unknown',
  'usb',
  'window-management',
])('refuses the permission %s, and answers once (4.5)', (permission) => {
  const answers: boolean[] = [];
  refusePermission(null, permission, (isGranted) => answers.push(isGranted));
  expect(answers).toEqual([false]);
});
