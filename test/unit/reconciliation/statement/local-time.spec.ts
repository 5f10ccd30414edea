import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { instantsIn } from '../../../../lib/reconciliation/statement/local-time.js';

const ZONES = [
  'Africa/Dar_es_Salaam',
  'UTC',
  'Europe/Berlin',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'America/St_Johns',
  'Pacific/Apia',
];

/** What a clock on the wall shows, written as if it were UTC. */
function shown(time: number, timeZone: string): number {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  return Date.parse(`${format.format(time).replace(' ', 'T')}Z`);
}

describe('a local time', () => {
  it.each<readonly [string, string, string | undefined]>([
    ['2026-11-20T08:00:00Z', 'Africa/Dar_es_Salaam', '2026-11-20T05:00:00Z'],
    ['2026-03-29T01:59:59Z', 'Europe/Berlin', '2026-03-29T00:59:59Z'],
    ['2026-03-29T02:00:00Z', 'Europe/Berlin', undefined],
    ['2026-03-29T02:59:59Z', 'Europe/Berlin', undefined],
    ['2026-03-29T03:00:00Z', 'Europe/Berlin', '2026-03-29T01:00:00Z'],
    // Shown twice: the first one.
    ['2026-10-25T02:30:00Z', 'Europe/Berlin', '2026-10-25T00:30:00Z'],
    ['2011-12-29T23:00:00Z', 'Pacific/Apia', '2011-12-30T09:00:00Z'],
    ['2011-12-30T12:00:00Z', 'Pacific/Apia', undefined],
    ['2011-12-31T01:00:00Z', 'Pacific/Apia', '2011-12-30T11:00:00Z'],
  ])('%s in %s is %s', (local, timeZone, instant) => {
    const time = instantsIn(timeZone)(Date.parse(local));
    expect(time === undefined ? undefined : new Date(time)).toEqual(
      instant === undefined ? undefined : new Date(instant),
    );
  });

  it('is an instant at which the clocks show it, and the first one', () => {
    const seconds = fc.integer({ min: Date.UTC(2000, 0, 2) / 1_000, max: Date.UTC(2040, 0, 1) / 1_000 });
    fc.assert(
      fc.property(seconds, fc.constantFrom(...ZONES), (second, timeZone) => {
        const local = shown(second * 1_000, timeZone);
        const time = instantsIn(timeZone)(local);
        expect(time).toBeLessThanOrEqual(second * 1_000);
        expect(shown(time ?? 0, timeZone)).toBe(local);
      }),
      { numRuns: 300 },
    );
  });

  it('is the same after many others', () => {
    const instant = instantsIn('Europe/Berlin');
    const noon = Date.UTC(2026, 6, 1, 12);
    for (let minute = 0; minute < 21_000; minute += 1) instant(noon + minute * 60_000);
    expect(instant(noon)).toBe(Date.UTC(2026, 6, 1, 10));
  });
});
