import { describe, expect, it } from 'vitest';
import { presenceOf, thisProcess } from '../../../../lib/sandbox/state/lock-owner.js';

const self = thisProcess();

describe('presenceOf', () => {
  it.each([
    ['running', 'the same', '7', '7'],
    ['gone', 'another', '7', '8'],
    ['running', 'hidden now', '7', ''],
    ['running', 'never said by the system', '', ''],
  ] as const)('says %s if the start is %s', (presence, _, start, now) => {
    expect(presenceOf({ ...self, start }, self, () => now)).toBe(presence);
  });
});
