import { describe, expect, it } from 'vitest';
import {
  ALL_UNREAD_LIMIT,
  listenersToDrop,
  UNREAD_LIMIT,
} from '../../../../lib/sandbox/control/unread-limits.js';

const MB = 1_048_576;

describe('the limits of what listeners leave unread', () => {
  it('are a few megabytes', () => {
    expect([UNREAD_LIMIT, ALL_UNREAD_LIMIT]).toEqual([4 * MB, 16 * MB]);
  });

  it.each([
    ['nobody', [], []],
    ['nobody who reads', [0, 0, 0], []],
    ['nobody with just as much as one may have', [4 * MB, 0], []],
    ['who has more than one may have', [0, 4 * MB + 1, 3 * MB], [1]],
    ['all who have more', [5 * MB, 9 * MB, 6 * MB], [1, 2, 0]],
    ['nobody while all have just as much as they may', [4, 4, 4, 4].map((each) => each * MB), []],
    ['the slowest ones while all together have too much', [3, 3.5, 4, 3, 3.5].map((each) => each * MB), [2]],
    ['as many as it takes', Array<number>(10).fill(4 * MB), [0, 1, 2, 3, 4, 5]],
  ])('drop %s', (_, unread, expected) => {
    expect(listenersToDrop(new Map(unread.entries()))).toEqual(expected);
  });
});
