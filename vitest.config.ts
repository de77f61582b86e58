/** Unit tests beside their subjects, and the simulation; each of its projects can be run alone with --project. */
import { defineConfig } from 'vitest/config';

const define = { __TEST_BUILD__: 'true' };
/** Many tests start real programs, and a loaded machine is no failure. */
const patience = { testTimeout: 30_000, hookTimeout: 60_000 };

export default defineConfig({
  test: {
    // Vitest leaves one core free, which is half of a small machine.
    maxWorkers: '100%',
    projects: [
      {
        define,
        test: {
          name: 'node',
          environment: 'node',
          include: ['{electron,shared,build}/**/*.test.ts'],
          ...patience,
        },
      },
      {
        define,
        oxc: { jsx: { runtime: 'automatic' } },
        test: {
          name: 'web',
          environment: 'happy-dom',
          include: ['renderer/**/*.test.{ts,tsx}'],
          ...patience,
        },
      },
      {
        define,
        test: {
          name: 'simulation',
          environment: 'node',
          include: ['electron/testing/*.sim.ts', 'build/torture/*.sim.ts'],
          testTimeout: 120_000,
        },
      },
    ],
  },
});
