import { expect, it } from 'vitest';
import fc from 'fast-check';
import { shuffled } from '../../../../lib/cli/webhooks/shuffled.js';

it('a shuffled list holds the same things, and can come in every order', () => {
  fc.assert(
    fc.property(fc.array(fc.nat()), (items) => {
      expect(shuffled(items).sort()).toEqual([...items].sort());
    }),
  );
  const orders = new Set(Array.from({ length: 500 }, () => shuffled(['a', 'b', 'c']).join('')));
  expect(orders.size).toBe(6);
});

it('asks for numbers below the places that are left', () => {
  const asked: number[] = [];
  expect(shuffled(['a', 'b', 'c'], (below) => (asked.push(below), 0))).toEqual(['b', 'c', 'a']);
  expect(asked).toEqual([3, 2]);
});
