import { afterEach, expect, test } from 'vitest';
import { keepingNodeEnv } from './build.mjs';

const before = process.env.NODE_ENV;
afterEach(() => {
  process.env.NODE_ENV = before;
});

test('a build leaves no trace in the environment of what is started after it', async () => {
  for (const value of [undefined, 'development']) {
    if (value === undefined) delete process.env.NODE_ENV;
    else process.env.NODE_ENV = value;
    await keepingNodeEnv(async () => {
      process.env.NODE_ENV = 'production';
    });
    expect(process.env.NODE_ENV).toBe(value);
  }
});

test('a build that fails leaves none either', async () => {
  delete process.env.NODE_ENV;
  const failing = keepingNodeEnv(async () => {
    process.env.NODE_ENV = 'production';
    throw new Error('no build');
  });
  await expect(failing).rejects.toThrow('no build');
  expect(process.env.NODE_ENV).toBeUndefined();
});
