import { describe, expect, it } from 'vitest';
import { milliseconds, type Duration } from '../../../../lib/sandbox/clock/duration.js';

describe('a duration', () => {
  it.each<[Duration, number]>([
    [0, 0],
    [1_500, 1_500],
    ['250ms', 250],
    ['90s', 90_000],
    ['15m', 900_000],
    ['1.5h', 5_400_000],
    ['2d', 172_800_000],
    ['36525d', 3_155_760_000_000],
  ])('%j is %d ms', (duration, expected) => {
    expect(milliseconds(duration)).toBe(expected);
  });

  it.each(['15', '', 'm', '15 m', '-5s', '1e3s', '5w', '36526d', Number.MAX_SAFE_INTEGER, -1, NaN, Infinity])(
    'refuses %j',
    (duration) => {
      expect(() => milliseconds(duration as Duration)).toThrow("write '90s', '15m' or '6h'");
    },
  );
});
