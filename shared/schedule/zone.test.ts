import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toInstant } from '../time';
import { instantsOf, isZone, listZones, localMsOf, offsetMsAt, resolveZone } from './zone';

const at = (text: string): number => Date.parse(text);

describe('names', () => {
  test.each(['UTC', 'Europe/Berlin', 'Europe/Kiev', 'US/Eastern', 'Etc/GMT+5', 'europe/berlin'])(
    '%s is a zone',
    (zone) => {
      expect(isZone(zone)).toBe(true);
    },
  );

  test.each(['', 'local', 'Mars/Olympus', '+02:00', '-05', 'Not/AZone', ' UTC', 'x'.repeat(65), '../etc'])(
    '%j is none (H-81, S-41)',
    (text) => {
      expect(isZone(text)).toBe(false);
    },
  );

  test('local stands for the zone of the computer', () => {
    expect(resolveZone('local', 'Asia/Tokyo')).toBe('Asia/Tokyo');
    expect(resolveZone('Europe/Berlin', 'Asia/Tokyo')).toBe('Europe/Berlin');
  });

  test('a computer in no known zone is on UTC', () => {
    expect(resolveZone('local', 'Etc/Unknown')).toBe('UTC');
    expect(resolveZone('local', '')).toBe('UTC');
  });

  test('the list begins with UTC, repeats nothing and holds zones only', () => {
    const zones = listZones();
    expect(zones[0]).toBe('UTC');
    expect(new Set(zones).size).toBe(zones.length);
    expect(zones.length).toBeGreaterThan(300);
    expect(zones.filter((zone) => !isZone(zone))).toEqual([]);
  });
});

describe('wall time', () => {
  test('a time that exists once has one instant', () => {
    expect(instantsOf(at('2026-06-01T09:00Z'), 'Europe/Berlin')).toEqual({
      kind: 'one',
      at: at('2026-06-01T07:00Z'),
    });
  });

  test('a time inside a gap has none, and the end of the gap is told', () => {
    expect(instantsOf(at('2026-03-08T02:30Z'), 'America/New_York')).toEqual({
      kind: 'none',
      gapEnd: at('2026-03-08T07:00Z'),
      gapFromLocal: at('2026-03-08T02:00Z'),
    });
  });

  test('a time that comes twice has two', () => {
    expect(instantsOf(at('2026-11-01T01:30Z'), 'America/New_York')).toEqual({
      kind: 'two',
      first: at('2026-11-01T05:30Z'),
      second: at('2026-11-01T06:30Z'),
    });
  });

  test('a date that was skipped has none (G2)', () => {
    expect(instantsOf(at('2011-12-30T12:00Z'), 'Pacific/Apia')).toMatchObject({
      kind: 'none',
      gapFromLocal: at('2011-12-30T00:00Z'),
    });
  });

  test('offsets of less than an hour and changes of half an hour are exact (X-79)', () => {
    expect(offsetMsAt(at('2026-01-01T00:00Z'), 'Asia/Kathmandu')).toBe(20_700_000);
    expect(offsetMsAt(at('2026-04-04T14:59:59Z'), 'Australia/Lord_Howe')).toBe(39_600_000);
    expect(offsetMsAt(at('2026-04-04T15:00:00Z'), 'Australia/Lord_Howe')).toBe(37_800_000);
  });

  test('every instant is among the instants of its own wall time, in any zone, back to the year 1', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...listZones()),
        fc.integer({ min: at('1970-01-01T00:00Z'), max: at('2200-01-01T00:00Z') }),
        (zone, instant) => {
          const found = instantsOf(localMsOf(instant, zone), zone);
          if (found.kind === 'one') expect(found.at).toBe(instant);
          else expect(found).toMatchObject({ kind: 'two' });
          if (found.kind === 'two') expect([found.first, found.second]).toContain(instant);
        },
      ),
      { numRuns: 500 },
    );
    for (const far of [
      toInstant(-8.64e15),
      toInstant(8.64e15),
      at('0001-01-01T00:00Z'),
      at('0099-06-01T12:00Z'),
    ]) {
      expect(Math.abs(offsetMsAt(far, 'Europe/Berlin'))).toBeLessThan(26 * 3_600_000);
    }
  });
});
