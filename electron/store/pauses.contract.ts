/** Pauses: which hold at a moment, and which held during a span, ended ones too. Part of the contract of the Store port. */

import { beforeEach, describe, expect, test } from 'vitest';
import { type Pause, PauseId } from '../../shared/model/pause';
import { BugError } from '../../shared/result';
import type { Instant } from '../../shared/time';
import { type CurrentStore, insertJobs, jobIdOf, minute } from './samples';

const pauseIdOf = (number: number): PauseId =>
  PauseId.parse(`0000000e-0000-7000-8000-${number.toString(16).padStart(12, '0')}`);

/** Of everything, since the minute of its number, without an end. */
export const pauseOf = (number: number, changes: Partial<Pause> = {}): Pause => ({
  id: pauseIdOf(number),
  scope: { kind: 'all' },
  note: '',
  cause: 'user',
  since: minute(number),
  until: null,
  endedAt: null,
  ...changes,
});

export function pauseContract(current: CurrentStore): void {
  describe('pauses', () => {
    beforeEach(() => insertJobs(current(), 1, 2));
    const insert = (...pauses: Pause[]): Promise<void> =>
      current().transact(async (writer) => {
        for (const pause of pauses) await writer.pauses.insert(pause);
      });
    const end = (number: number, at: Instant): Promise<boolean> =>
      current().transact((writer) => writer.pauses.end(pauseIdOf(number), at));
    const numbersAt = async (at: number): Promise<number[]> =>
      (await current().read((reader) => reader.pauses.at(minute(at)))).map(numberOf);
    const numbersBetween = async (after: number, until: number): Promise<number[]> =>
      (await current().read((reader) => reader.pauses.between(minute(after), minute(until)))).map(numberOf);
    const numberOf = ({ id }: Pause): number => Number.parseInt(id.slice(-12), 16);

    test('a pause of each scope comes back exactly as it was stored', async () => {
      const pauses = [
        pauseOf(3, { scope: { kind: 'job', jobId: jobIdOf(2) }, until: minute(9) }),
        pauseOf(2, { scope: { kind: 'tag', tag: 'Büro 🔔' }, note: 'While the disk is away' }),
        pauseOf(1),
      ];
      await insert(...pauses);
      expect(await current().read((reader) => reader.pauses.at(minute(5)))).toEqual(pauses);
    });

    test('a pause holds from its first moment until just before its last (S-35)', async () => {
      await insert(pauseOf(10, { until: minute(20) }), pauseOf(12));
      expect(await numbersAt(9)).toEqual([]);
      expect(await numbersAt(10)).toEqual([10]);
      expect(await numbersAt(19)).toEqual([12, 10]);
      expect(await numbersAt(20)).toEqual([12]);
    });

    test('a pause is ended once, holds no longer, and still explains what it held', async () => {
      await insert(pauseOf(10, { until: minute(40) }));
      expect(await end(10, minute(20))).toBe(true);
      expect(await end(10, minute(21))).toBe(false);
      expect(await end(99, minute(21))).toBe(false);
      expect(await numbersAt(19)).toEqual([10]);
      expect(await numbersAt(20)).toEqual([]);
      expect(await current().read((reader) => reader.pauses.between(minute(0), minute(30)))).toEqual([
        pauseOf(10, { until: minute(40), endedAt: minute(20) }),
      ]);
    });

    test('a pause that is over by itself cannot be ended any more', async () => {
      await insert(pauseOf(10, { until: minute(20) }));
      expect(await end(10, minute(20))).toBe(false);
      expect(await end(10, minute(19))).toBe(true);
    });

    test('a clock that went back ends a pause no earlier than it began', async () => {
      await insert(pauseOf(10));
      expect(await end(10, minute(5))).toBe(true);
      expect(await numbersBetween(0, 99)).toEqual([10]);
      expect(
        (await current().read((reader) => reader.pauses.between(minute(0), minute(99))))[0]?.endedAt,
      ).toBe(minute(10));
    });

    test('a span finds every pause that held at some moment of it, oldest first', async () => {
      await insert(pauseOf(10, { until: minute(20) }), pauseOf(5, { until: minute(8) }), pauseOf(30));
      expect(await numbersBetween(0, 40)).toEqual([5, 10, 30]);
      expect(await numbersBetween(8, 10)).toEqual([10]);
      expect(await numbersBetween(20, 29)).toEqual([]);
      expect(await numbersBetween(19, 30)).toEqual([10, 30]);
    });

    test('a pause of an unknown job, one with a text that is too long, and one too many are refused (S-02, X-50)', async () => {
      await expect(insert(pauseOf(1, { scope: { kind: 'job', jobId: jobIdOf(9) } }))).rejects.toBeInstanceOf(
        BugError,
      );
      await expect(insert(pauseOf(1, { note: 'x'.repeat(201) }))).rejects.toBeInstanceOf(BugError);
      await expect(insert(pauseOf(1, { scope: { kind: 'tag', tag: '' } }))).rejects.toBeInstanceOf(BugError);
      await insert(...Array.from({ length: 1_000 }, (_, index) => pauseOf(index + 1)));
      await expect(insert(pauseOf(1_001))).rejects.toBeInstanceOf(BugError);
      expect(await end(1, minute(1_001))).toBe(true);
      await insert(pauseOf(1_001));
    });
  });
}
