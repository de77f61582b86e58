import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { DRAWING_MS_MAX, showWhenDrawn } from './showWhenDrawn';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function setUp() {
  const window = Object.assign(new EventEmitter(), {
    webContents: new EventEmitter(),
    show: vi.fn(),
    isDestroyed: vi.fn(() => false),
  });
  showWhenDrawn(window as unknown as Parameters<typeof showWhenDrawn>[0]);
  return window;
}

test('a window is shown once it is drawn, and once only', () => {
  const window = setUp();
  window.webContents.emit('did-finish-load');
  window.emit('ready-to-show');
  expect(window.show).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(DRAWING_MS_MAX);
  expect(window.show).toHaveBeenCalledTimes(1);
});

test('a loaded page of which nobody tells that it was drawn is shown a little later', () => {
  const window = setUp();
  window.webContents.emit('did-finish-load');
  vi.advanceTimersByTime(DRAWING_MS_MAX - 1);
  expect(window.show).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(window.show).toHaveBeenCalledTimes(1);
});

test('a page that cannot be loaded is shown too: an empty window can be closed', () => {
  const window = setUp();
  window.webContents.emit('did-fail-load');
  expect(window.show).toHaveBeenCalledTimes(1);
});

test('a window that was closed meanwhile is left alone', () => {
  const window = setUp();
  window.webContents.emit('did-finish-load');
  window.isDestroyed.mockReturnValue(true);
  window.emit('closed');
  vi.advanceTimersByTime(DRAWING_MS_MAX);
  expect(window.show).not.toHaveBeenCalled();
});
