import { describe, expect, it } from 'vitest';
import { inParallel } from '../src/in-parallel.js';

const ITEMS = [1, 2, 3, 4, 5, 6];

describe('work in parallel', () => {
  it('takes the items in order, and never more at once than allowed', async () => {
    const begun: number[] = [];
    let atOnce = 0;
    let most = 0;
    await inParallel(ITEMS, 2, async (item) => {
      begun.push(item);
      atOnce += 1;
      most = Math.max(most, atOnce);
      await new Promise(setImmediate);
      atOnce -= 1;
    });
    expect({ begun, most }).toEqual({ begun: ITEMS, most: 2 });
  });

  it('begins nothing new after a failure, and ends what is under way before it rejects', async () => {
    const ended: number[] = [];
    const work = inParallel(ITEMS, 2, async (item) => {
      if (item === 1) throw new Error('first');
      await new Promise(setImmediate);
      ended.push(item);
    });
    await expect(work).rejects.toThrow('first');
    expect(ended).toEqual([2]);
  });

  it('begins nothing new once it may not', async () => {
    const done: number[] = [];
    await inParallel(
      ITEMS,
      1,
      (item) => {
        done.push(item);
        return Promise.resolve();
      },
      () => done.length < 3,
    );
    expect(done).toEqual([1, 2, 3]);
  });
});
