/** A data folder that cannot be trusted is told of in the window, and nothing is written to it, by Chromium neither. */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from './launch';
import { removeDataFolder } from './processTree';

/** Every entry below the folder: its mode and its content. */
function contents(folder: string): Record<string, string> {
  const names = fs.readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return Object.fromEntries(
    names.map((name) => {
      const facts = fs.lstatSync(path.join(folder, name));
      const bytes = facts.isFile() ? fs.readFileSync(path.join(folder, name)) : '';
      return [name, `${facts.mode} ${createHash('sha256').update(bytes).digest('hex')}`];
    }),
  );
}

test('a folder to which everybody may write is refused and left as it was (S-01)', async ({ story }) => {
  fs.writeFileSync(path.join(story.dataFolder, 'belfry.db'), 'not ours');
  fs.chmodSync(story.dataFolder, 0o777);
  const before = contents(story.dataFolder);
  const { app, page } = await story.start();
  await expect(page.getByText(/Everybody may write to the data folder/).first()).toBeVisible();
  const chromium = await app.evaluate(({ app: electron }) => electron.getPath('userData'));
  expect(chromium).not.toBe(story.dataFolder);
  // Of the user alone.
  expect(fs.statSync(chromium).mode & 0o777).toBe(0o700);
  expect(contents(story.dataFolder)).toEqual(before);
  await app.close();
  expect(contents(story.dataFolder)).toEqual(before);
  expect(fs.statSync(story.dataFolder).mode & 0o777).toBe(0o777);
  // Chromium's last process may outlive the app, and what it leaves is up to the system’s own cleaning.
  await removeDataFolder(chromium);
});
