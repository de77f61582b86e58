/** Unit tests beside their subjects, and the simulation; each of its projects can be run alone with --project. */
import { defineConfig } from 'vitest/config';

const define = { __TEST_BUILD__: 'true' };

export default defineConfig({
  test: {
    projects: [
      {
        define,
        test: {
          name: 'node',
          environment: 'node',
          include: ['{electron,shared,build}/**/*.test.ts'],
        },
      },
      {
        define,
        oxc: { jsx: { runtime: 'automatic' } },
        test: { name: 'web', environment: 'happy-dom', include: ['renderer/**/*.test.{ts,tsx}'] },
      },
      {
        define,
        test: {
          name: 'simulation',
          environment: 'node',
          include: ['electron/testing/*.sim.ts'],
          testTimeout: 120_000,
        },
      },
    ],
  },
});
