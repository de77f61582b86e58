import { expect, test } from 'vitest';
import { fail } from '../../shared/result';
import { HOUR_MS, toInstant } from '../../shared/time';
import { createTestEngine, NOW, SEEN } from '../testEngine';
import { readPause } from './pauseForm';
import { createPausesStore } from './pauses';

test('a pause that began elsewhere is known, and can be ended', async () => {
  const engine = createTestEngine();
  const pauses = createPausesStore(engine.bridge, SEEN);
  const started = await engine.bridge.request('pauses.start', {
    scope: { kind: 'tag', tag: 'Work' },
    note: 'on holiday',
    until: null,
  });
  await expect.poll(() => pauses.getState().pauses).toHaveLength(1);
  expect(started.ok && (await pauses.getState().end([started.value.id]))).toBeNull();
  await expect.poll(() => pauses.getState().pauses).toEqual([]);
});

test('a pause that is over already ends without complaint, any other failure is told', async () => {
  const engine = createTestEngine();
  const pauses = createPausesStore(engine.bridge, SEEN);
  const gone = '00000000-0000-4000-a000-000000000099' as never;
  expect(await pauses.getState().end([gone])).toBeNull();
  engine.bridge.script('pauses.end', () => fail('unavailable', 'The store cannot be written.'));
  expect(await pauses.getState().end([gone])).toMatchObject({ code: 'unavailable' });
});

test('the ready-made ends of a pause stand for moments on this laptop’s clock', () => {
  const form = { date: '2027-03-12', time: '09:30' };
  expect(readPause({ ...form, choice: 'hour' }, NOW)).toEqual({ ok: true, until: NOW + HOUR_MS });
  const morning = new Date(2027, 2, 12, 8).getTime();
  expect(readPause({ ...form, choice: 'tomorrow' }, NOW)).toEqual({ ok: true, until: morning });
  const chosen = toInstant(new Date(2027, 2, 12, 9, 30).getTime());
  expect(readPause({ ...form, choice: 'moment' }, NOW)).toEqual({ ok: true, until: chosen });
  expect(readPause({ ...form, choice: 'open' }, NOW)).toEqual({ ok: true, until: null });
});

test('a moment that is over, or half typed, is no end of a pause', () => {
  expect(readPause({ choice: 'moment', date: '2027-03-10', time: '09:30' }, NOW)).toEqual({
    ok: false,
    why: 'past',
  });
  expect(readPause({ choice: 'moment', date: '', time: '09:30' }, NOW)).toEqual({ ok: false, why: 'unread' });
});
