import { expect, it } from 'vitest';
import { errorCodes } from '../../../../lib/storage/sql/error-code.js';

it.each<[who: string, error: unknown, codes: readonly string[]]>([
  ['a driver', Object.assign(new Error('x'), { code: '40001' }), ['40001']],
  [
    'mysql2',
    Object.assign(new Error('x'), { code: 'ER_LOCK_DEADLOCK', errno: 1213, sqlState: '40001' }),
    ['ER_LOCK_DEADLOCK', '1213', '40001'],
  ],
  ['TypeORM', { driverError: { code: '23505' } }, ['23505']],
  ['Drizzle', new Error('x', { cause: { code: '25P02' } }), ['25P02']],
  [
    'Prisma',
    { code: 'P2010', meta: { driverAdapterError: { cause: { originalCode: '42P01' } } } },
    ['P2010', '42P01'],
  ],
  ['nobody', 'a text', []],
  ['an error without a code', new Error('x'), []],
])('finds the codes in an error of %s', (_who, error, codes) => {
  expect(errorCodes(error)).toEqual(codes);
});

it('ends in an error that wraps itself', () => {
  const error: { code: string; cause?: unknown } = { code: '1' };
  error.cause = error;
  expect(errorCodes(error)).toContain('1');
});
