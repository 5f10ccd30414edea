import { expect, it } from 'vitest';
import { CONCURRENT, runAgainError } from '../../../lib/storage/sql/run-again.js';
import { retryHelper, retryHelperCode } from '../../support/retry-helper.js';

const codes = [...CONCURRENT.keys()];

it('the retry helper of the documents lists the codes that the package lists, and the one that Prisma has for all of them', () => {
  const listed = [...retryHelperCode().matchAll(/'(\d\w+|P\d+)'/g)].map(([, code]) => code);
  expect(listed).toEqual([...codes, 'P2034']);
});

it.each(codes)(
  'the retry helper of the documents knows %s, of the application and of the package',
  async (code) => {
    const { isConcurrent } = await retryHelper();
    expect(isConcurrent({ code })).toBe(true);
    expect(isConcurrent(runAgainError(Object.assign(new Error('x'), { code })))).toBe(true);
  },
);

it.each<[who: string, error: unknown]>([
  ['Prisma with a model', Object.assign(new Error('x'), { code: 'P2034' })],
  [
    'Prisma with SQL',
    { code: 'P2010', meta: { driverAdapterError: { cause: { originalCode: '1205', kind: 'mysql' } } } },
  ],
  ['Sequelize', Object.assign(new Error('x'), { original: { code: '40P01' } })],
  ['Drizzle', new Error('x', { cause: Object.assign(new Error('x'), { errno: 1020 }) })],
  ['node:sqlite', Object.assign(new Error('x'), { code: 'ERR_SQLITE_ERROR', errcode: 5 })],
  ['node:sqlite after a read', Object.assign(new Error('x'), { code: 'ERR_SQLITE_ERROR', errcode: 517 })],
])('the retry helper of the documents knows what %s says', async (_, error) => {
  expect((await retryHelper()).isConcurrent(error)).toBe(true);
});

function endless(): Error {
  const error = new Error('x');
  error.cause = error;
  return error;
}

it.each<[what: string, error: unknown]>([
  ['another code', { code: '23505' }],
  ['another error of SQLite', { code: 'ERR_SQLITE_ERROR', errcode: 19 }],
  ['an error without a code', new Error('40001')],
  ['an error that wraps itself', endless()],
  ['nothing', undefined],
  ['null', null],
  ['a text', '40001'],
])('the retry helper of the documents does not retry after %s', async (_, error) => {
  let times = 0;
  const { runAgain } = await retryHelper();
  const thrown = await runAgain(() => {
    times += 1;
    // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- an application may throw anything
    return Promise.reject(error);
  }).catch((reason: unknown) => reason);
  expect([thrown, times]).toEqual([error, 1]);
});

it('the retry helper of the documents runs a transaction five times at most', async () => {
  const { runAgain } = await retryHelper();
  let times = 0;
  const busyUntil = (last: number) => () => {
    times += 1;
    return times < last
      ? Promise.reject(Object.assign(new Error('x'), { code: '40001' }))
      : Promise.resolve('done');
  };
  expect(await runAgain(busyUntil(5))).toBe('done');
  times = 0;
  await expect(runAgain(busyUntil(6))).rejects.toThrow('x');
  expect(times).toBe(5);
});
