/**
 * The real Electron with a user-data folder of its own. Each story starts from an empty folder; what is left running is
 * ended, and the processes of its jobs with it, so that one story cannot disturb the next.
 */
import type { ChildProcess } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { _electron, test as base, type ElectronApplication, type Page } from '@playwright/test';
import { removeDataFolder } from './processTree';

export const root = path.resolve(import.meta.dirname, '..');

export type Story = {
  readonly dataFolder: string;
  /** Starts the app on the story's folder; call it again after it has ended. */
  readonly start: (options?: {
    env?: Record<string, string>;
  }) => Promise<{ app: ElectronApplication; page: Page }>;
};

/** Path of the Electron under test; `build/electronRuntime.mjs exec` sets the variable. */
export function electronExecutable(): string {
  const dist = process.env.ELECTRON_OVERRIDE_DIST_PATH;
  if (dist === undefined) throw new Error('start the e2e tests with `npm run e2e`');
  return path.join(dist, 'electron');
}

/** The switches every start needs here: root cannot use the sandbox of the operating system's kind. */
export const switches = (dataFolder: string): string[] => [
  ...(process.platform === 'linux' && process.getuid?.() === 0 ? ['--no-sandbox'] : []),
  root,
  `--user-data-dir=${dataFolder}`,
];

/** Makes the desktop light or dark, as the app sees it. */
export const setTheme = (app: ElectronApplication, theme: 'light' | 'dark'): Promise<void> =>
  app.evaluate(({ nativeTheme }, wanted) => {
    nativeTheme.themeSource = wanted;
  }, theme);

export const test = base.extend<{ story: Story }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright wants a destructured argument
  story: async ({}, use, info) => {
    const dataFolder = fs.mkdtempSync(path.join(os.tmpdir(), 'belfry-e2e-'));
    const started: { app: ElectronApplication; child: ChildProcess }[] = [];
    await use({
      dataFolder,
      start: async ({ env = {} } = {}) => {
        const app = await _electron.launch({
          args: switches(dataFolder),
          cwd: root,
          // The page must follow the app's theme, not the one that Playwright would pretend.
          colorScheme: null,
          env: { ...process.env, ...env } as Record<string, string>,
        });
        // Kept apart: Playwright forgets the process of an app that has ended.
        started.push({ app, child: app.process() });
        await app.context().tracing.start({ screenshots: true, snapshots: true });
        const page = await app.firstWindow();
        await page.getByRole('heading', { level: 1 }).waitFor();
        return { app, page };
      },
    });
    const failed = info.status !== info.expectedStatus;
    for (const [index, { app, child }] of started.entries()) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      await app.context().tracing.stop(failed ? { path: info.outputPath(`trace-${index}.zip`) } : {});
      await app.evaluate(({ app: electron }) => electron.exit(0)).catch(() => undefined);
    }
    await removeDataFolder(dataFolder);
  },
});
export { expect } from '@playwright/test';
