import { expect, test } from 'vitest';
import { SPARK_SLOTS, Spark } from '../../shared/model/job';
import { BugError } from '../../shared/result';
import { appendSlot, type SparkSlot, slotOfDecision, slotOfRun, sparkText } from './spark';

const slot = (mark: SparkSlot['mark'], durationMs: number | null = null): SparkSlot => ({ mark, durationMs });

test('every outcome has its mark, and a caught up run one of its own', () => {
  const run = { trigger: 'schedule' as const, durationMs: 5 };
  expect(slotOfRun({ ...run, outcome: 'succeeded' })).toEqual({ mark: 's', durationMs: 5 });
  expect(slotOfRun({ ...run, outcome: 'succeeded', trigger: 'catch_up' }).mark).toBe('c');
  expect(slotOfRun({ ...run, outcome: 'failed', trigger: 'catch_up' }).mark).toBe('f');
  expect(slotOfRun({ ...run, outcome: 'timed_out' }).mark).toBe('t');
  expect(slotOfRun({ ...run, outcome: 'abandoned' }).mark).toBe('z');
  expect(slotOfRun({ ...run, outcome: 'cancelled' }).mark).toBe('x');
  expect(() => slotOfRun({ ...run, outcome: null })).toThrow(BugError);
});

test('a skipped due time is marked as missed or skipped; one that belongs to a run has no mark of its own', () => {
  expect(slotOfDecision({ kind: 'skip', reason: 'too_old' })?.mark).toBe('m');
  expect(slotOfDecision({ kind: 'skip', reason: 'catch_up_off' })?.mark).toBe('m');
  expect(slotOfDecision({ kind: 'skip', reason: 'overlap' })?.mark).toBe('k');
  expect(slotOfDecision({ kind: 'merge', reason: 'merged' })).toBeNull();
  expect(slotOfDecision({ kind: 'run', reason: 'on_time' })).toBeNull();
});

test('keeps the newest slots and scales heights to the longest run', () => {
  const many = Array.from({ length: SPARK_SLOTS + 5 }, (_, index) => slot('s', index));
  const kept = many.reduce<SparkSlot[]>((slots, next) => appendSlot(slots, next), []);
  expect(kept).toHaveLength(SPARK_SLOTS);
  expect(kept.at(-1)).toEqual(slot('s', SPARK_SLOTS + 4));
  expect(sparkText([slot('s', 50), slot('k'), slot('f', 100)], false)).toBe('s5k0f9');
});

test('a running job shows one slot more, and never more than the strip holds', () => {
  const full = Array.from({ length: SPARK_SLOTS }, () => slot('s', 10));
  const text = sparkText(full, true);
  expect(Spark.safeParse(text).success).toBe(true);
  expect(text.endsWith('r9')).toBe(true);
});
