import { expect, test } from 'vitest';
import { APP_ORIGIN, isTrustedSender, type SenderContents, type SenderEvent } from './trust';

const frame = { origin: APP_ORIGIN };
const ours: SenderContents = { isDestroyed: () => false, mainFrame: frame };
const isOurs = (contents: SenderContents): boolean => contents === ours;
const withOrigin = (origin: string): SenderEvent => {
  const other = { origin };
  return { senderFrame: other, sender: Object.assign(ours, { mainFrame: other }) };
};

test('trusts the main frame of a window of ours that shows our page', () => {
  expect(isTrustedSender({ senderFrame: frame, sender: ours }, isOurs)).toBe(true);
});

test('refuses a frame that is gone, a frame inside the page and a destroyed window', () => {
  expect(isTrustedSender({ senderFrame: null, sender: ours }, isOurs)).toBe(false);
  expect(isTrustedSender({ senderFrame: { origin: APP_ORIGIN }, sender: ours }, isOurs)).toBe(false);
  const destroyed = { isDestroyed: () => true, mainFrame: frame };
  expect(isTrustedSender({ senderFrame: frame, sender: destroyed }, () => true)).toBe(false);
});

test('refuses contents that Belfry did not make', () => {
  const foreign = { isDestroyed: () => false, mainFrame: frame };
  expect(isTrustedSender({ senderFrame: frame, sender: foreign }, isOurs)).toBe(false);
});

test.each([
  'https://belfry.invalid',
  'belfry://app.evil',
  'belfry://app:1',
  'belfry://App',
  'belfry://',
  'file://',
  'null',
  '',
])('refuses our window while it shows the origin "%s"', (origin) => {
  expect(isTrustedSender(withOrigin(origin), isOurs)).toBe(false);
});
