import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { dayBounds, dayProblem, nextDay, timeZoneProblem } from '../../../../lib/reconciliation/close/day.js';

/** The local day of an instant, as the platform writes it. */
const dayOf = (time: number, timeZone: string): string =>
  new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' }).format(time);

const HOUR_MS = 3_600_000;
/** Zones whose clocks change at midnight, by half an hour, on both halves of the year, or never. */
const ZONES = [
  'Africa/Dar_es_Salaam',
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'America/St_Johns',
  'America/Sao_Paulo',
  'America/Havana',
  'America/Asuncion',
  'America/Nuuk',
  'Africa/Cairo',
  'Africa/Casablanca',
  'Asia/Beirut',
  'Asia/Tehran',
  'Asia/Kathmandu',
  'Asia/Pyongyang',
  'Australia/Lord_Howe',
  'Pacific/Apia',
  'Pacific/Kiritimati',
  'Pacific/Chatham',
  'Etc/GMT+12',
];
/** From 2012 on, in milliseconds since 1970. */
const anyTime = fc.integer({ min: Date.UTC(2012, 0, 2), max: Date.UTC(2037, 0, 1) });

describe('the bounds of a day', () => {
  it.each([
    ['without a change of the clocks', '2026-11-20', 'Africa/Dar_es_Salaam', '2026-11-19T21:00:00.000Z', 24],
    ['in UTC', '2026-02-28', 'UTC', '2026-02-28T00:00:00.000Z', 24],
    ['in a leap year', '2028-02-29', 'Africa/Dar_es_Salaam', '2028-02-28T21:00:00.000Z', 24],
    ['on which clocks go forward', '2026-03-29', 'Europe/Berlin', '2026-03-28T23:00:00.000Z', 23],
    ['on which clocks go back', '2026-10-25', 'Europe/Berlin', '2026-10-24T22:00:00.000Z', 25],
    ['right after clocks went back', '2026-10-26', 'Europe/Berlin', '2026-10-25T23:00:00.000Z', 24],
    ['whose midnight does not exist', '2018-11-04', 'America/Sao_Paulo', '2018-11-04T03:00:00.000Z', 23],
    ['at whose end clocks go back', '2018-02-17', 'America/Sao_Paulo', '2018-02-17T02:00:00.000Z', 25],
    ['right after that', '2018-02-18', 'America/Sao_Paulo', '2018-02-18T03:00:00.000Z', 24],
    ['whose midnight comes twice', '2026-11-01', 'America/Havana', '2026-11-01T04:00:00.000Z', 25],
    ['that is half an hour shorter', '2026-10-04', 'Australia/Lord_Howe', '2026-10-03T13:30:00.000Z', 23.5],
    ['whose zone is 5:45 ahead', '2026-11-20', 'Asia/Kathmandu', '2026-11-19T18:15:00.000Z', 24],
    ['the furthest ahead of UTC', '2026-11-20', 'Pacific/Kiritimati', '2026-11-19T10:00:00.000Z', 24],
    ['the furthest behind UTC', '2026-11-20', 'Etc/GMT+12', '2026-11-20T12:00:00.000Z', 24],
    ['that the zone skipped', '2011-12-30', 'Pacific/Apia', '2011-12-30T10:00:00.000Z', 0],
    ['right after the skipped one', '2011-12-31', 'Pacific/Apia', '2011-12-30T10:00:00.000Z', 24],
  ])('%s', (_what, day, timeZone, from, hours) => {
    const bounds = dayBounds(day, timeZone);
    expect(new Date(bounds.from).toISOString()).toBe(from);
    expect((bounds.to - bounds.from) / HOUR_MS).toBe(hours);
  });

  it('hold every instant of the day, and no other', () => {
    fc.assert(
      fc.property(anyTime, fc.constantFrom(...ZONES), (time, timeZone) => {
        const day = dayOf(time, timeZone);
        const { from, to } = dayBounds(day, timeZone);
        expect(from).toBeLessThanOrEqual(time);
        expect(time).toBeLessThan(to);
        expect([from - 1, from, to - 1, to].map((each) => dayOf(each, timeZone) === day)).toEqual([
          false,
          true,
          true,
          false,
        ]);
      }),
      { numRuns: 300 },
    );
  });

  it('leave no gap between days', () => {
    fc.assert(
      fc.property(anyTime, fc.constantFrom(...ZONES), (time, timeZone) => {
        const day = dayOf(time, timeZone);
        expect(dayBounds(nextDay(day), timeZone).from).toBe(dayBounds(day, timeZone).to);
      }),
      { numRuns: 300 },
    );
  });
});

it.each([
  ['2026-11-20', '2026-11-21'],
  ['2026-11-30', '2026-12-01'],
  ['2026-12-31', '2027-01-01'],
  ['2026-02-28', '2026-03-01'],
  ['2028-02-28', '2028-02-29'],
  ['2100-02-28', '2100-03-01'],
])('after %s comes %s', (day, next) => {
  expect(nextDay(day)).toBe(next);
});

it.each([
  ['the last millisecond before midnight', '2026-11-20T20:59:59.999Z', '2026-11-20'],
  ['midnight', '2026-11-20T21:00:00.000Z', '2026-11-21'],
])('%s is within the bounds of its local day', (_when, text, day) => {
  const time = Date.parse(text);
  const { from, to } = dayBounds(day, 'Africa/Dar_es_Salaam');
  expect(from <= time && time < to).toBe(true);
});

describe('a day', () => {
  it.each(['2026-11-20', '2028-02-29', '2000-01-01', '2999-12-31'])('%s is fine', (day) => {
    expect(dayProblem(day)).toBeUndefined();
  });

  it.each([
    '2026-02-29',
    '2026-13-01',
    '2026-00-10',
    '2026-11-31',
    '2026-11-00',
    '2026-1-2',
    '20261120',
    '2026-11-20T00:00:00Z',
    ' 2026-11-20',
    '2026-11-20\n',
    '20-11-2026',
    '0026-11-20',
    '1999-12-31',
    '3000-01-01',
    '',
    20_261_120,
    new Date('2026-11-20'),
    ['2026-11-20'],
    null,
    undefined,
  ])('%j is none', (day) => {
    expect(dayProblem(day)).toBe(
      "day must be a day of the calendar, from 2000 to 2999: write for example '2026-11-20'",
    );
  });
});

describe('the zone of a day', () => {
  it.each(['Africa/Dar_es_Salaam', 'UTC', 'Asia/Kolkata'])('%s is fine', (timeZone) => {
    expect(timeZoneProblem(timeZone)).toBeUndefined();
  });

  it.each(['Africa/Daressalam', 'EAT+3', '', 3, null, undefined])('%j is none', (timeZone) => {
    expect(timeZoneProblem(timeZone)).toBe(
      "timeZone must be the name of a time zone: write for example 'Africa/Dar_es_Salaam'",
    );
  });
});
