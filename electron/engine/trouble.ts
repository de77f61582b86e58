/**
 * What the engine could not do lately, by who tried, and the sentence for the person at the screen. Trouble ends when the
 * same one succeeds.
 */

import { assertNever, fail, type Result } from '../../shared/result';
import { StoreError } from '../core/storeError';
import type { Log } from '../ports/world';

/** `runs`: what starts them. `ends`: what ends them, which may use the reserve and so may work while nothing else does. */
export type TroubleSource = 'lease' | 'schedule' | 'runs' | 'ends';

export interface Trouble {
  /** Notes how an access of `source` ended: with what it threw, or with null. */
  note(source: TroubleSource, trouble: { readonly error: unknown } | null): void;
  /** Whoever had it has gone. */
  forget(source: TroubleSource): void;
  /** The sentence for what is wrong now, or null. */
  sentence(): string | null;
}

/** `onChange` is called when trouble begins, ends, or becomes another one. */
export function createTrouble(log: Log, onChange: () => void): Trouble {
  const current = new Map<TroubleSource, string>();
  const sentence = (): string | null => [...current.values()][0] ?? null;
  return {
    note(source, trouble) {
      const before = sentence();
      if (trouble === null) current.delete(source);
      else {
        const text = sentenceFor(trouble.error);
        if (current.get(source) !== text) log.error('trouble', { source, error: trouble.error });
        current.set(source, text);
      }
      if (sentence() !== before) onChange();
    },
    forget: (source) => void current.delete(source),
    sentence,
  };
}

/** A look at all of the store found what its pages do not show in daily use. */
export const DAMAGE_FOUND =
  'Belfry’s data is damaged. Your jobs still run, and nothing was deleted; put a copy back before it gets worse.';

/** What to tell of an error that nobody expected in this place. Never a path, never a stack. */
export function sentenceFor(error: unknown): string {
  if (!(error instanceof StoreError)) {
    return 'Something went wrong inside Belfry. It tries again by itself; the log has the details.';
  }
  const { fact, engine } = storeProblem(error.code);
  return `${fact} ${engine}`;
}

/** `person` is for a change that was refused, where waiting until it is mended would be the wrong advice. */
type StoreProblem = { readonly fact: string; readonly engine: string; readonly person?: string };

/** What is wrong with the store, and what the engine does about it. */
function storeProblem(code: StoreError['code']): StoreProblem {
  const repeats = 'It tries again by itself.';
  switch (code) {
    case 'full':
      return {
        fact: 'Belfry cannot save: the disk is full.',
        engine: 'Nothing new is started until there is room.',
      };
    case 'read_only':
      return {
        fact: 'Belfry cannot save: its data cannot be written.',
        engine: 'Nothing new is started until it can.',
      };
    case 'busy':
      return { fact: 'Belfry cannot save: another process keeps its data busy.', engine: repeats };
    case 'corrupt':
      return {
        fact: 'Belfry’s data is damaged.',
        engine: 'Nothing is started, and nothing was deleted.',
      };
    case 'io':
      return { fact: 'Belfry cannot save: the disk reported an error.', engine: repeats };
    case 'replaced':
      return {
        fact: 'Belfry’s data was moved, replaced or deleted while it was running.',
        engine: 'Nothing more is started; quit Belfry and start it again.',
        person: 'Nothing was changed; quit Belfry and start it again.',
      };
    default:
      return assertNever(code);
  }
}

/** The same for a change that a person asked for: the engine does not repeat those, so it must not promise to. */
export function refusalFor(error: StoreError): string {
  const { fact, person } = storeProblem(error.code);
  return `${fact} ${person ?? 'Nothing was changed; try again when that is mended.'}`;
}

/** Runs a change that a person asked for. What the disk does to it is an answer; anything else is thrown on. */
export async function asAnswer<T>(work: () => Promise<Result<T>>): Promise<Result<T>> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof StoreError) return fail('unavailable', refusalFor(error));
    throw error;
  }
}
