import { expect, it } from 'vitest';
import { PaymentsStorageError } from '../../../../lib/errors/payments-errors.js';
import { errorCodes } from '../../../../lib/storage/sql/error-code.js';
import { runAgainError } from '../../../../lib/storage/sql/run-again.js';

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

it.each([
  ['1213', { code: 'ER_LOCK_DEADLOCK', errno: 1213 }],
  ['1205', { code: 'ER_LOCK_WAIT_TIMEOUT', errno: 1205 }],
  ['40001', { code: '40001' }],
])('an error with the code %s is one after which a transaction is run again', (_, codes) => {
  const error = { driverError: Object.assign(new Error('Asha'), codes) };
  expect(runAgainError(error)).toMatchObject({ cause: codes });
  expect(String(runAgainError(error)?.cause)).not.toContain('Asha');
});

it.each([
  ['40P01', { code: '40P01' }],
  ['1205', { code: 'ER_LOCK_WAIT_TIMEOUT', errno: 1205, sqlState: 'HY000' }],
  ['1020', { code: 'ER_CHECKREAD', errno: 1020, sqlState: 'HY000' }],
])('the code %s has the names of a driver also if Prisma gives it another one', (originalCode, codes) => {
  const error = runAgainError({ code: 'P2010', meta: { driverAdapterError: { cause: { originalCode } } } });
  expect(Object.fromEntries(Object.entries(error?.cause as object))).toEqual(codes);
});

it('nobody is told to run again what fails for another reason', () => {
  expect(runAgainError({ code: '23505' })).toBeUndefined();
  expect(runAgainError(new PaymentsStorageError('x', { cause: { code: '40001' } }))).toBeUndefined();
});

it('ends in an error that wraps itself', () => {
  const error: { code: string; cause?: unknown } = { code: '1' };
  error.cause = error;
  expect(errorCodes(error)).toContain('1');
});
