import { expect, it } from 'vitest';
import { migrations } from '../../../../lib/storage/postgres/migrations.js';
import { tableNames } from '../../../../lib/storage/postgres/table-names.js';

it('never lowers what a build must know', () => {
  const minima = migrations(tableNames('public')).map(({ compatibleFrom }) => compatibleFrom ?? 0);
  expect(minima).toEqual(minima.toSorted((one, other) => one - other));
  for (const [index, minimum] of minima.entries()) expect(minimum).toBeLessThanOrEqual(index + 1);
  expect(minima.at(-1)).toBeGreaterThan(0);
});
