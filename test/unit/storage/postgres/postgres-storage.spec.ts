import { afterAll, describe, expect, it } from 'vitest';
import { Pool } from 'pg';
import { PaymentsConfigError } from '../../../../lib/errors/payments-errors.js';
import { migratePayments, postgresStorage } from '../../../../lib/storage/postgres/index.js';

const pool = new Pool();

afterAll(() => pool.end());

describe('postgresStorage()', () => {
  it('opens no connection before it is used', () => {
    expect(postgresStorage({ pool }).name).toBe('postgres');
    expect(pool.totalCount).toBe(0);
  });

  it.each<[string, unknown, string]>([
    ['no options', undefined, 'new Pool('],
    ['the pool itself', pool, 'postgresStorage({ pool })'],
    ['an address', { pool: 'postgres://127.0.0.1/shop' }, 'new Pool('],
    ['a word for a switch', { pool, transactional: 'yes' }, 'transactional'],
    ['a mistyped option', { pool, transaction: true }, '`transaction`'],
    ['an empty schema', { pool, schema: ' ' }, 'schema'],
    ['a schema that PostgreSQL would cut off', { pool, schema: 'ä'.repeat(32) }, '63 bytes'],
    ['a schema that PostgreSQL refuses', { pool, schema: 'a\0b' }, 'schema'],
    ['a schema that is no text', { pool, schema: 1 }, 'schema'],
  ])('names what is wrong with %s', (_name, options, named) => {
    const call = (): unknown => postgresStorage(options as { pool: Pool });
    expect(call).toThrow(PaymentsConfigError);
    expect(call).toThrow(named);
  });

  it('takes a schema whose name is as long as PostgreSQL allows', () => {
    expect(postgresStorage({ pool, schema: 'x'.repeat(63) }).name).toBe('postgres');
  });
});

describe('migratePayments()', () => {
  it('names what is wrong with its options, and asks nobody', async () => {
    await expect(migratePayments(undefined as unknown as Pool)).rejects.toThrow('new Pool(');
    await expect(migratePayments(pool, { schema: '' })).rejects.toThrow('schema');
    expect(pool.totalCount).toBe(0);
  });
});
