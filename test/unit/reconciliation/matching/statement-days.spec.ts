import { expect, it } from 'vitest';
import { StatementDays } from '../../../../lib/reconciliation/matching/statement-days.js';

const daysOf = (...numbers: readonly number[]): StatementDays => {
  const days = new StatementDays();
  for (const number of numbers) days.add({ from: number * 10, to: number * 10 + 10 });
  return days;
};

it.each<[string, StatementDays, readonly number[], readonly number[]]>([
  ['no day', daysOf(), [], [0, 10]],
  ['a day', daysOf(1), [10, 19], [0, 9, 20, 30]],
  ['days in a row', daysOf(1, 2, 3), [10, 19, 20, 30, 39], [9, 40]],
  ['days with a gap', daysOf(1, 2, 5, 6), [10, 29, 50, 69], [9, 30, 49, 70]],
])('%s that were closed with a statement', (_, days, inside, outside) => {
  expect(inside.filter((at) => !days.has(at))).toEqual([]);
  expect(outside.filter((at) => days.has(at))).toEqual([]);
});
