import { expect, test } from 'vitest';
import { isTrustedSender, type SenderContents, type SenderEvent, type Trust } from './trust';

const APP_ORIGIN = 'belfry://app';
const frame = { origin: APP_ORIGIN };
const ours: SenderContents = { isDestroyed: () => false, mainFrame: frame };
const trust: Trust = { isOurs: (contents) => contents === ours, origin: APP_ORIGIN };
const withOrigin = (origin: string): SenderEvent => {
  const other = { origin };
  return { senderFrame: other, sender: Object.assign(ours, { mainFrame: other }) };
};

test('trusts the main frame of a window of ours that shows our page', () => {
  expect(isTrustedSender({ senderFrame: frame, sender: ours }, trust)).toBe(true);
});

test('refuses a frame that is gone, a frame inside the page and a destroyed window', () => {
  expect(isTrustedSender({ senderFrame: null, sender: ours }, trust)).toBe(false);
  expect(isTrustedSender({ senderFrame: { origin: APP_ORIGIN }, sender: ours }, trust)).toBe(false);
  const destroyed = { isDestroyed: () => true, mainFrame: frame };
  expect(isTrustedSender({ senderFrame: frame, sender: destroyed }, { ...trust, isOurs: () => true })).toBe(
    false,
  );
});

test('refuses contents that Belfry did not make', () => {
  const foreign = { isDestroyed: () => false, mainFrame: frame };
  expect(isTrustedSender({ senderFrame: frame, sender: foreign }, trust)).toBe(false);
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
  expect(isTrustedSender(withOrigin(origin), trust)).toBe(false);
});
