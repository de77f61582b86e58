/** The contract of the Store port on real SQLite, in memory and on disk. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { type Database, openDatabase } from './database';
import { createStore } from './store';
import { storeContract } from './store.contract';

let folder = '';
let count = 0;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'belfry-store-'));
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

function opened(place: Parameters<typeof openDatabase>[0]): Database {
  const result = openDatabase(place);
  if (!result.ok) throw new Error(result.error.message);
  return result.value;
}

storeContract('a store in memory', async () => createStore(opened('memory')));

storeContract('a store on disk', async () => {
  count += 1;
  return createStore(opened({ file: join(folder, `${count}`, 'belfry.db') }));
});
