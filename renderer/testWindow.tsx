/** The whole window over an engine in memory, for tests of views. Sizes are given, since the test page has no layout. */
import { cleanup, render, screen, within } from '@testing-library/react';
import userEvent, { type UserEvent } from '@testing-library/user-event';
import { App } from './app';
import type { FakeEngine } from './fakeEngine';
import { createStores, type PageLife, type Stores } from './store/stores';
import { createTestEngine, createTestPage, NOW, SEEN } from './testEngine';

const WIDTH = 1_200;
const HEIGHT = 760;

function giveSizes(width: number): void {
  const sizes = { clientWidth: width, clientHeight: HEIGHT, offsetWidth: width, offsetHeight: 17 };
  for (const [name, value] of Object.entries(sizes)) {
    Object.defineProperty(HTMLElement.prototype, name, { configurable: true, get: () => value });
  }
  HTMLElement.prototype.getClientRects = () => [new DOMRect(0, 0, 10, 10)] as unknown as DOMRectList;
  HTMLElement.prototype.scrollIntoView = () => undefined;
  HTMLElement.prototype.scrollTo = () => undefined;
  window.matchMedia = (query) =>
    ({
      matches: query.includes('max-width') && width <= 860,
      addEventListener: () => undefined,
      removeEventListener: () => undefined,
    }) as unknown as MediaQueryList;
}

export type OpenedWindow = { engine: FakeEngine; stores: Stores; user: UserEvent };

type WindowOptions = {
  width?: number;
  fill?: (engine: FakeEngine) => void;
  remembered?: string;
  page?: Partial<PageLife>;
};

/** Opens the window and waits for its first answer. `fill` prepares the engine before that. */
export async function openWindow({
  width = WIDTH,
  fill,
  remembered,
  page,
}: WindowOptions = {}): Promise<OpenedWindow> {
  cleanup();
  giveSizes(width);
  const engine = createTestEngine();
  fill?.(engine);
  const stores = createStores(engine.bridge, {
    now: () => NOW,
    attention: SEEN,
    memory: { read: () => remembered ?? null, write: () => undefined },
    page: { ...createTestPage(), ...page },
  });
  const user = userEvent.setup();
  render(<App stores={stores} />);
  await screen.findByRole('heading', { level: 1 });
  return { engine, stores, user };
}

/** The names of the jobs in the list, from the top. */
export const listedJobs = (): string[] =>
  within(screen.getByRole('grid', { name: 'Jobs' }))
    .getAllByRole('row')
    .slice(1)
    .map((row) => within(row).getAllByRole('gridcell')[1]?.textContent ?? '')
    .map((text) => text.replace('Shell command: ', ''));
