/**
 * A process of its own that writes to a store until it is killed or done, for the tests of durability. It says a number on
 * its standard output once the transaction with that number is committed, and not before.
 *
 * Arguments: the file, the first number, how many, and `hold` to stop in the middle of each transaction: it says `held` and goes
 * on once it is told anything on its standard input.
 */

import { writeSync } from 'node:fs';
import { toInstant } from '../../shared/time';
import { openDatabase } from './database';
import { jobOf } from './samples';
import { createStore } from './store';

const STANDARD_OUTPUT = 1;

async function write(file: string, first: number, count: number, holds: boolean): Promise<void> {
  const database = openDatabase({ file });
  if (!database.ok) throw new Error(database.error.message);
  const store = createStore(database.value);
  for (let number = first; number < first + count; number += 1) {
    // Two facts in one transaction: after a crash both are there, or neither.
    await store.transact(async (writer) => {
      await writer.jobs.insert(jobOf(number));
      await writer.settings.setAliveAt(toInstant(number));
      if (holds) await hold();
    });
    writeSync(STANDARD_OUTPUT, `${number}\n`);
  }
  await store.close();
}

async function hold(): Promise<void> {
  writeSync(STANDARD_OUTPUT, 'held\n');
  await new Promise((goOn) => process.stdin.once('data', goOn));
  process.stdin.pause();
}

const [file = '', first, count, how] = process.argv.slice(2);
await write(file, Number(first), Number(count), how === 'hold');
