import { expect, it } from 'vitest';
import { atMost } from '../../../lib/common/at-most.js';

async function* numbers(count: number): AsyncGenerator<number, void, undefined> {
  for (let at = 0; at < count; at += 1) yield await Promise.resolve(at);
}

async function turns(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate);
}

it('works on so many at once, takes the next as soon as one is done, and waits for all', async () => {
  const ends: (() => void)[] = [];
  let done = false;
  const all = atMost(2, numbers(4), () => new Promise<void>((resolve) => ends.push(resolve))).then(
    () => (done = true),
  );
  await turns();
  expect(ends).toHaveLength(2);
  ends[1]!();
  await turns();
  expect(ends).toHaveLength(3);
  // The one that is done makes room once, not forever.
  await turns();
  expect(ends).toHaveLength(3);
  ends[0]!();
  await turns();
  expect(ends).toHaveLength(4);
  ends[2]!();
  await turns();
  expect(done).toBe(false);
  ends[3]!();
  await all;
});
