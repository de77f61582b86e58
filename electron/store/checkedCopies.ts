/**
 * The list of copies with what is wrong with them now: a disk may have lost a page of one that was whole when it was made. That
 * reads every page, so it is done beside the main thread, and only when somebody looks at the list.
 */

import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Backup, BackupId } from '../../shared/model/data';
import { DAY_MS } from '../../shared/time';
import type { Timer } from '../ports/world';
import { DAMAGED_COPY, listBackups } from './backups';
import type { StoreWork } from './storeTasks';

export type CheckedCopiesDeps = {
  readonly folder: string;
  readonly work: StoreWork;
  /** How long a list waits for checks that go on; null: until they are done. */
  readonly patience: { readonly timer: Timer; readonly ms: number } | null;
  /** Damage was found, perhaps after the list was given: it is worth asking for it again. */
  readonly onDamage: (found: readonly { readonly id: BackupId; readonly finding: string }[]) => void;
};

export interface CheckedCopies {
  /** Newest first. */
  list(): Promise<Backup[]>;
}

/** Afterwards a copy is read again, because a disk does not say when it forgets. */
const CHECK_AGAIN_MS = DAY_MS;

type Verdict = { readonly isDamaged: boolean; readonly at: number };

export function createCheckedCopies({ folder, work, patience, onDamage }: CheckedCopiesDeps): CheckedCopies {
  /** By name, size and time of change, so that a file which takes the place of another one is read anew. */
  const verdicts = new Map<string, Verdict>();
  let going: Promise<void> | null = null;

  const check = async (wanted: ReadonlyMap<string, Backup>): Promise<void> => {
    const files = [...wanted.values()].map(({ id }) => join(folder, id));
    const findings = await work.run('checkCopies', { files });
    const found = [...wanted].flatMap(([key, { id }], place) => {
      const finding = findings[place] ?? null;
      verdicts.set(key, { isDamaged: finding !== null, at: Date.now() });
      return finding === null ? [] : [{ id, finding }];
    });
    if (found.length > 0) onDamage(found);
  };
  const isKnown = (key: string): boolean => {
    const age = Date.now() - (verdicts.get(key)?.at ?? Number.NEGATIVE_INFINITY);
    return age >= 0 && age < CHECK_AGAIN_MS;
  };

  return {
    async list() {
      const copies = listBackups(folder).map((copy) => ({ copy, key: keyOf(folder, copy) }));
      const unknown = copies.filter(({ copy, key }) => copy.problem === null && !isKnown(key));
      if (going === null && unknown.length > 0) {
        going = check(new Map(unknown.map(({ copy, key }) => [key, copy])))
          // A check that cannot be made says nothing about the copies.
          .catch(() => undefined)
          .finally(() => {
            going = null;
          });
      }
      if (unknown.length > 0 && going !== null) await soon(going, patience);
      return copies.map(({ copy, key }) =>
        copy.problem === null && verdicts.get(key)?.isDamaged ? { ...copy, problem: DAMAGED_COPY } : copy,
      );
    },
  };
}

function keyOf(folder: string, { id, bytes }: Backup): string {
  const facts = statSync(join(folder, id), { throwIfNoEntry: false });
  return [id, bytes, facts?.mtimeMs, facts?.ino].join(' ');
}

async function soon(work: Promise<void>, patience: CheckedCopiesDeps['patience']): Promise<void> {
  if (patience === null) return work;
  let callOff = (): void => undefined;
  const over = new Promise<void>((resolve) => {
    callOff = patience.timer.after(patience.ms, resolve);
  });
  await Promise.race([work, over]);
  callOff();
}
