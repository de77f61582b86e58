import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type Attention, createPacedRefresher, createRefresher, REST_MS, reuse } from './refresh';

const SEEN: Attention = { isHidden: () => false, onChange: () => () => undefined };

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('asks at once, and then at most ten times a second however often it is called', async () => {
  let askedCount = 0;
  const ask = createRefresher(async () => {
    askedCount += 1;
  }, SEEN);
  ask();
  expect(askedCount).toBe(1);
  for (let call = 0; call < 100; call += 1) {
    ask();
    await vi.advanceTimersByTimeAsync(10);
  }
  expect(askedCount).toBeLessThanOrEqual(11);
  await vi.advanceTimersByTimeAsync(10 * REST_MS);
  expect(askedCount).toBeLessThanOrEqual(12);
});

test('a call during a question is served after it, and once', async () => {
  const answers: (() => void)[] = [];
  const ask = createRefresher(() => new Promise<void>((resolve) => answers.push(resolve)), SEEN);
  ask();
  ask();
  ask();
  await vi.advanceTimersByTimeAsync(REST_MS);
  expect(answers).toHaveLength(1);
  answers[0]?.();
  await vi.advanceTimersByTimeAsync(REST_MS);
  expect(answers).toHaveLength(2);
});

test('a window nobody sees asks nothing, and asks once when it is seen again', async () => {
  let isHidden = true;
  let change: () => void = () => undefined;
  let askedCount = 0;
  const ask = createRefresher(
    async () => {
      askedCount += 1;
    },
    {
      isHidden: () => isHidden,
      onChange: (listener) => {
        change = listener;
        return () => undefined;
      },
    },
  );
  ask();
  ask();
  await vi.advanceTimersByTimeAsync(10 * REST_MS);
  expect(askedCount).toBe(0);
  isHidden = false;
  change();
  await vi.advanceTimersByTimeAsync(10 * REST_MS);
  expect(askedCount).toBe(1);
});

test('rows that did not change keep their object', () => {
  const before = [
    { id: 'a', n: 1 },
    { id: 'b', n: 2 },
  ];
  const after = reuse(
    before,
    [
      { id: 'b', n: 2 },
      { id: 'a', n: 9 },
      { id: 'c', n: 3 },
    ],
    ({ id }) => id,
  );
  expect(after[0]).toBe(before[1]);
  expect(after[1]).toEqual({ id: 'a', n: 9 });
  expect(after[1]).not.toBe(before[0]);
});

test('a list in which nothing changed is the same list', () => {
  const before = [{ id: 'a', tags: ['x'], next: { code: 'due', at: 1 } }];
  const again = [{ id: 'a', tags: ['x'], next: { code: 'due', at: 1 } }];
  const other = [{ id: 'a', tags: ['x'], next: { code: 'due', at: 2 } }];
  expect(reuse(before, again, ({ id }) => id)).toBe(before);
  expect(reuse(before, other, ({ id }) => id)).toEqual(other);
  expect(reuse(before, [], ({ id }) => id)).toEqual([]);
});

test('a dear question is asked as seldom as it wishes, and at once for what the user has done', async () => {
  let askedCount = 0;
  const work = async (): Promise<void> => {
    askedCount += 1;
  };
  const { ask, askNow } = createPacedRefresher(work, SEEN, () => 1_000);
  for (let call = 0; call < 30; call += 1) {
    ask();
    await vi.advanceTimersByTimeAsync(99);
  }
  expect(askedCount).toBe(3);
  askNow();
  await vi.advanceTimersByTimeAsync(0);
  expect(askedCount).toBe(4);
});
