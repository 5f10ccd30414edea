import { Pool } from 'pg';
import { describe, expect, it } from 'vitest';
import { paymentsPool } from 'nestjs-payments/postgres';
import { onPool, poolSizeOf } from '../../../../lib/storage/sql/application-pool.js';

describe('poolSizeOf()', () => {
  it.each<[pool: string, given: unknown, size: number | undefined]>([
    ['a pool of pg', { options: { max: 20 } }, 20],
    ['a pool of pg whose size is a text', { options: { max: '20' } }, 20],
    ['a pool of pg without a size', { options: {} }, undefined],
    ['a pool of pg with a text that is no number', { options: { max: 'many' } }, undefined],
    ['a pool of mysql2 with callbacks', { config: { connectionLimit: 7 } }, 7],
    ['a pool of mysql2 with promises', { pool: { config: { connectionLimit: 7 } } }, 7],
    ['a pool of mysql2 without a limit', { pool: { config: { connectionLimit: 0 } } }, Infinity],
    ['a pool of Knex', { max: 4 }, 4],
    ['another pool', { connect: () => undefined }, undefined],
    ['nothing', undefined, undefined],
  ])('of %s', (_pool, given, size) => {
    expect(poolSizeOf(given)).toBe(size);
  });
});

describe('onPool()', () => {
  it('tells a pool and its view by the same object', () => {
    const pool = new Pool({ max: 3 });
    expect(onPool(paymentsPool(pool))).toEqual({ pool, poolSize: 3 });
    expect(onPool(paymentsPool(pool)).pool).toBe(pool);
  });

  it('tells a pool of mysql2 and what wraps it with promises by the same object', () => {
    const pool = { config: { connectionLimit: 7 } };
    expect(onPool(pool)).toEqual({ pool, poolSize: 7 });
    expect(onPool({ pool })).toEqual({ pool, poolSize: 7 });
    expect(onPool({ pool }).pool).toBe(pool);
  });

  it('takes a size that the pool itself does not say', () => {
    const pool = {};
    expect(onPool(pool, 40)).toEqual({ pool, poolSize: 40 });
  });
});
