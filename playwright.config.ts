/**
 * Tests of the whole app. `app` drives the built app in a real Electron; `packaged` looks at the packaged app from
 * outside. One worker: the names on the session bus of the fake desktop exist only once.
 */
import { defineConfig } from '@playwright/test';

export default defineConfig({
  testDir: 'e2e',
  timeout: 60_000,
  workers: 1,
  fullyParallel: false,
  forbidOnly: process.env.CI !== undefined,
  retries: 0,
  reporter: 'list',
  projects: [
    { name: 'app', testMatch: '*.e2e.ts', testIgnore: 'packaged.e2e.ts', outputDir: 'test-results/app' },
    { name: 'screenshots', testMatch: '*.shots.ts', outputDir: 'test-results/shots' },
    { name: 'packaged', testMatch: 'packaged.e2e.ts', outputDir: 'test-results/packaged' },
  ],
});
