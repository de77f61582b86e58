/**
 * A process of its own that puts a copy in place and is killed before it changes the disk for the n-th time. It says how often it
 * did so if it lives to the end.
 *
 * Arguments: the file of the store, the name of the copy, and n.
 */

import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { BackupId } from '../../shared/model/data';
import { toInstant } from '../../shared/time';
import { createStoreFiles } from './storeFiles';
import { type StoreTasks, type StoreWork, storeTasks } from './storeTasks';

const STANDARD_OUTPUT = 1;
const CHANGES = [
  ...(['openSync', 'writeSync', 'fsyncSync', 'closeSync', 'renameSync'] as const),
  ...(['mkdirSync', 'rmSync', 'rmdirSync', 'copyFileSync', 'chmodSync'] as const),
];

const [file = '', copy = '', dying] = process.argv.slice(2);

let changes = 0;
const { writeSync } = fs;
for (const name of CHANGES) {
  const real = fs[name] as (...values: unknown[]) => unknown;
  Object.assign(fs, {
    [name]: (...values: unknown[]) => {
      changes += 1;
      if (changes === Number(dying)) process.kill(process.pid, 'SIGKILL');
      return real(...values);
    },
  });
}
syncBuiltinESMExports();

const work: StoreWork = {
  run: async (name, input) =>
    (storeTasks[name] as (input: unknown) => unknown)(input) as ReturnType<StoreTasks[typeof name]>,
};
const copies = { list: async () => [] };
const files = createStoreFiles({
  ...{ file, work, copies, formatMoment: (at: number) => `moment ${at}` },
  onFailure: () => undefined,
});
const done = await files.restore(BackupId.parse(copy), toInstant(Date.now()));
writeSync(STANDARD_OUTPUT, JSON.stringify({ changes, done }));
