import { describe, expect, it } from 'vitest';
import { fromMysql2, type Mysql2Pool } from '../../../../lib/storage/mysql/index.js';

const nothing = (): never => {
  throw new Error('nothing is asked at boot');
};
const pool: Mysql2Pool = { getConnection: nothing };

describe('fromMysql2()', () => {
  it.each<[what: string, given: unknown]>([
    ['nothing', undefined],
    ['an address', 'mysql://127.0.0.1/shop'],
    ['a connection', { query: nothing }],
    ['a pool with callbacks', { getConnection: nothing, promise: nothing }],
  ])('refuses %s', (_what, given) => {
    expect(() => fromMysql2(given as Mysql2Pool)).toThrow(
      "fromMysql2(pool) needs a pool of mysql2/promise: write createPool(url) of 'mysql2/promise', or pool.promise() of the other one.",
    );
  });

  it.each<[what: string, handle: unknown]>([
    ['nothing', undefined],
    ['the pool itself', { ...pool, query: nothing, execute: nothing }],
    ['a manager of an ORM', { query: nothing }],
  ])('joins no transaction of %s', (_what, handle) => {
    expect(() => fromMysql2(pool).wrapTransaction(handle)).toThrow(
      'mysql2 needs the connection of an open transaction here',
    );
  });
});
