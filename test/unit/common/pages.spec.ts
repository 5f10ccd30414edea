import { expect, it } from 'vitest';
import { pages } from '../../../lib/common/pages.js';

it.each([
  [0, 1],
  [1, 1],
  [2, 2],
  [3, 2],
  [4, 3],
])('%i items come in their order, each once, in %i reads of two', async (count, expected) => {
  const items = Array.from({ length: count }, (_, index) => index + 1);
  const found: number[] = [];
  let reads = 0;
  const read = (last = 0): Promise<readonly number[]> => {
    reads += 1;
    return Promise.resolve(items.slice(last, last + 2));
  };
  for await (const page of pages(2, read)) found.push(...page);
  expect(found).toEqual(items);
  expect(reads).toBe(expected);
});
