import { expect, it } from 'vitest';
import { isCheckOutdated } from '../../../../lib/batches/policy/check-age-rule.js';

it.each([
  ['just now', 10_000, false],
  ['as long ago as allowed', 9_000, false],
  ['longer ago', 8_999, true],
  ['in a future that clocks of two machines explain', 10_500, false],
  ['in a future that only a wrong clock explains', 11_001, true],
  ['at no time', Number.NaN, true],
])('a check %s', (_when, checkedAt, outdated) => {
  expect(isCheckOutdated(checkedAt, 10_000, { checkedWithinMs: 1_000 })).toBe(outdated);
});
