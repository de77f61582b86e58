/**
 * The parts of the security checklist that need a running app but no package (the numbers are those of SECURITY.md). The
 * settings are the production ones: nothing is loosened for tests.
 */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import type { Page } from '@playwright/test';
import { shellJob } from './drafts';
import { electronExecutable, expect, switches, test } from './launch';
import { askPage, newestRun } from './window';

/** Makes the page collect policy violations; the answer is a function that waits for one of this directive. */
async function watchViolations(page: Page): Promise<(directive: string) => Promise<void>> {
  await page.evaluate(() => {
    const seen: string[] = [];
    Object.assign(window, { seenViolations: seen });
    document.addEventListener('securitypolicyviolation', (event) => seen.push(event.effectiveDirective));
  });
  return async (directive) => {
    await expect
      .poll(() => page.evaluate(() => (window as unknown as { seenViolations: string[] }).seenViolations), {
        message: directive,
      })
      .toContain(directive);
  };
}

test('4.1 the page has no Node and only the two functions of the bridge', async ({ story }) => {
  const { page } = await story.start();
  expect(
    await page.evaluate(() =>
      ['require', 'process', 'module', 'Buffer'].filter((name) => name in globalThis),
    ),
  ).toEqual([]);
  const bridge = await page.evaluate(() => {
    const given = (window as unknown as { belfry: Record<string, unknown> }).belfry;
    try {
      given.request = 'replaced';
    } catch {
      // A frozen object may throw in strict mode: both are fine.
    }
    return { keys: Object.keys(given).sort(), kind: typeof given.request };
  });
  expect(bridge).toEqual({ keys: ['request', 'subscribe'], kind: 'function' });
});

test('4.2 the policy arrives as a header and stops scripts, frames and foreign requests', async ({
  story,
}) => {
  const { page } = await story.start();
  const header = await page.evaluate(async () =>
    (await fetch('belfry://app/')).headers.get('content-security-policy'),
  );
  expect(header).toMatch(
    /^default-src 'none'; script-src 'self'; style-src 'self' 'nonce-[\w+/=-]{16,}'; img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'$/,
  );
  const violated = await watchViolations(page);
  await page.evaluate(() => {
    const script = document.createElement('script');
    script.textContent = 'window.injected = true';
    document.body.append(script);
  });
  await violated('script-src-elem');
  await page.evaluate(() => {
    const button = document.createElement('button');
    button.setAttribute('onclick', 'window.injected = true');
    document.body.append(button);
    button.click();
    button.remove();
  });
  await violated('script-src-attr');
  await page.evaluate(() => fetch('https://belfry.invalid/').catch(() => undefined));
  await violated('connect-src');
  await page.evaluate(() => {
    const frame = document.createElement('iframe');
    frame.src = 'https://belfry.invalid/';
    document.body.append(frame);
  });
  await violated('frame-src');
  expect(await page.evaluate(() => 'injected' in window)).toBe(false);
});

test('4.3 files outside the built window cannot be read', async ({ story }) => {
  const { page } = await story.start();
  expect(await page.evaluate(() => location.protocol + location.host)).toBe('belfry:app');
  const statuses = await page.evaluate(async () => {
    const tried = [
      '..%2f..%2fpackage.json',
      '%2e%2e/%2e%2e/package.json',
      '..%5c..%5cpackage.json',
      'nothing.js',
    ];
    return Promise.all(tried.map(async (name) => (await fetch(`belfry://app/${name}`)).ok));
  });
  expect(statuses).toEqual([false, false, false, false]);
  expect(
    await page.evaluate(() =>
      fetch('file:///etc/hosts').then(
        () => 'read',
        () => 'refused',
      ),
    ),
  ).toBe('refused');
  expect(
    await page.evaluate(() =>
      fetch('belfry://other/').then(
        (reply) => reply.ok,
        () => false,
      ),
    ),
  ).toBe(false);
});

test('4.4 nothing leads the window away or opens another', async ({ story }) => {
  const { app, page } = await story.start();
  const address = page.url();
  await page.evaluate(() => {
    location.href = 'https://belfry.invalid/';
    window.open('https://belfry.invalid/');
    const form = document.createElement('form');
    form.method = 'post';
    form.action = 'https://belfry.invalid/';
    document.body.append(form);
    form.submit();
    const link = document.createElement('a');
    link.href = 'https://belfry.invalid/';
    document.body.append(link);
    link.dispatchEvent(new MouseEvent('click', { bubbles: true, button: 1 }));
    link.click();
  });
  // Asked through the page itself: Playwright waits for a navigation that was begun, and this one is never finished.
  await expect
    .poll(() => page.evaluate(() => [location.href, document.querySelector('h1')?.textContent]))
    .toEqual([address, 'Jobs']);
  expect(await app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().length)).toBe(1);
});

test('4.5 every permission is refused and a download leaves no file', async ({ story }) => {
  const { app, page } = await story.start();
  const answers = await page.evaluate(async () => {
    const refused = (promise: Promise<unknown>): Promise<string> =>
      promise.then(
        () => 'given',
        () => 'refused',
      );
    return {
      notification: Notification.permission,
      clipboard: await refused(navigator.clipboard.readText()),
      camera: await refused(navigator.mediaDevices.getUserMedia({ video: true })),
      place: await refused(
        new Promise((resolve, reject) => navigator.geolocation.getCurrentPosition(resolve, reject)),
      ),
    };
  });
  expect(answers).toEqual({
    notification: 'denied',
    clipboard: 'refused',
    camera: 'refused',
    place: 'refused',
  });

  await app.evaluate(
    ({ session }, savePath) => {
      const seen = globalThis as { downloadState?: string };
      session.defaultSession.on('will-download', (event, item) => {
        if (!event.defaultPrevented) item.setSavePath(savePath);
        seen.downloadState = event.defaultPrevented ? 'prevented' : item.getState();
      });
    },
    path.join(story.dataFolder, 'downloaded'),
  );
  await page.evaluate(() => {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob(['content']));
    link.download = 'file';
    link.click();
  });
  await expect
    .poll(() => app.evaluate(() => (globalThis as { downloadState?: string }).downloadState))
    .toMatch(/^(prevented|cancelled)$/);
  expect(fs.existsSync(path.join(story.dataFolder, 'downloaded'))).toBe(false);
});

test('4.6 a malformed message gets a typed failure and the app goes on', async ({ story }) => {
  const { page } = await story.start();
  const replies = await page.evaluate(async () => {
    const { belfry } = window as unknown as {
      belfry: { request(name: string, input: unknown): Promise<{ ok: boolean; error?: { code: string } }> };
    };
    const code = (name: string, input: unknown): Promise<string> =>
      belfry.request(name, input).then(
        (reply) => (reply.ok ? 'ok' : (reply.error?.code ?? 'none')),
        () => 'rejected',
      );
    return [
      await code('nope', undefined),
      await code('jobs.get', { jobId: 7 }),
      await code('jobs.get', { jobId: '00000000-0000-4000-8000-000000000000', extra: 1 }),
      await code('jobs.save', { draft: { __proto__: null, name: 'x'.repeat(10_000_000) } }),
      await code('output.read', 'text'),
      await code('jobs.list', undefined),
    ];
  });
  expect(replies).toEqual([
    'rejected',
    'invalid_input',
    'invalid_input',
    'invalid_input',
    'invalid_input',
    'ok',
  ]);
});

test('4.6 a frame inside the page has no bridge, and a listener gets the payload only', async ({ story }) => {
  const { page } = await story.start();
  const frameHasBridge = await page.evaluate(() => {
    const frame = document.createElement('iframe');
    document.body.append(frame);
    return frame.contentWindow !== null && 'belfry' in frame.contentWindow;
  });
  expect(frameHasBridge).toBe(false);
  const received = await page.evaluate(async () => {
    const { belfry } = window as unknown as {
      belfry: {
        request(name: string, input: unknown): Promise<unknown>;
        subscribe(name: string, listener: (...values: unknown[]) => void): () => void;
      };
    };
    const heard = new Promise<unknown[]>((resolve) =>
      belfry.subscribe('status.changed', (...values) => resolve(values)),
    );
    await belfry.request('engine.setPaused', { isPaused: true });
    return heard;
  });
  expect(received).toEqual([{}]);
});

test('4.11 a second start hands over, leaves with 0, and the first window comes to the front', async ({
  story,
}) => {
  const { app } = await story.start();
  for (let round = 0; round < 3; round += 1) {
    const second = spawn(electronExecutable(), switches(story.dataFolder), { stdio: 'ignore' });
    expect(await new Promise((resolve) => second.on('exit', resolve))).toBe(0);
  }
  await expect
    .poll(() =>
      app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().map((window) => window.isVisible())),
    )
    .toEqual([true]);
});

test('4.11 a second start opens the window again after it was closed', async ({ story }) => {
  const { app, page } = await story.start();
  const windows = (): Promise<number> =>
    app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().length);
  await page.close();
  await expect.poll(windows).toBe(0);
  const again = app.waitForEvent('window');
  const second = spawn(electronExecutable(), switches(story.dataFolder), { stdio: 'ignore' });
  expect(await new Promise((resolve) => second.on('exit', resolve))).toBe(0);
  await (await again).getByRole('heading', { level: 1 }).waitFor();
});

test('4.13 folder and files of the store are for the user alone', async ({ story }) => {
  await story.start();
  const mode = (name: string): string =>
    (fs.statSync(path.join(story.dataFolder, name)).mode & 0o777).toString(8);
  expect(mode('.')).toBe('700');
  const store = fs.readdirSync(story.dataFolder).filter((name) => name.startsWith('belfry.'));
  expect(store.length).toBeGreaterThan(0);
  for (const name of store) expect(`${name} ${mode(name)}`).toBe(`${name} 600`);
});

test('4.12 a job gets the environment of the user and nothing of Electron', async ({ story }) => {
  const { page } = await story.start({
    env: {
      BELFRY_TEST_OF_USER: 'dropped',
      OF_THE_USER: 'kept',
      NODE_OPTIONS: '',
      CHROME_DESKTOP: 'x.desktop',
    },
  });
  const job = await askPage(page, 'jobs.save', { draft: shellJob('Look around', 'env') });
  const { id } = await askPage(page, 'runs.start', { jobId: job.id });
  await newestRun(page, 'Look around', 'finished');
  const output = await askPage(page, 'output.read', { runId: id, from: 0, count: 1_000 });
  const names = output.lines.map(({ text }) => text.split('=')[0] ?? '');
  expect(names.filter((name) => /^(ELECTRON_|CHROME_|NODE_OPTIONS|npm_)/.test(name))).toEqual([]);
  expect(names.filter((name) => name.startsWith('BELFRY_')).sort()).toEqual([
    'BELFRY_ATTEMPT',
    'BELFRY_JOB_ID',
    'BELFRY_JOB_NAME',
    'BELFRY_RUN_ID',
    'BELFRY_TRIGGER',
  ]);
  expect(output.lines.map(({ text }) => text)).toContain('OF_THE_USER=kept');
});
