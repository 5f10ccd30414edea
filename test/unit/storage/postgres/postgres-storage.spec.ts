import { afterAll, describe, expect, it } from 'vitest';
import { Pool } from 'pg';
import { PaymentsConfigError } from '../../../../lib/errors/payments-errors.js';
import { migratePayments, postgresStorage } from '../../../../lib/storage/postgres/index.js';

const pool = new Pool();

const NO_POOL =
  "postgresStorage({ pool }) needs the application's pool of the package pg: write new Pool({ connectionString }).";
const NO_SCHEMA =
  "The option schema of postgresStorage({ pool }) must be the name of a schema, 1 to 63 bytes: write for example 'public', the default.";

afterAll(() => pool.end());

describe('postgresStorage()', () => {
  it('opens no connection before it is used', () => {
    expect(postgresStorage({ pool }).name).toBe('postgres');
    expect(pool.totalCount).toBe(0);
  });

  it.each<[string, unknown, string]>([
    ['no options', undefined, NO_POOL],
    ['the pool itself', pool, NO_POOL],
    ['an address', { pool: 'postgres://127.0.0.1/shop' }, NO_POOL],
    ['a pool that is null', { pool: null }, NO_POOL],
    [
      'a word for a switch',
      { pool, transactional: 'yes' },
      'The option transactional of postgresStorage({ pool }) must be true or false.',
    ],
    [
      'a word for another switch',
      { pool, migrate: 'always' },
      'The option migrate of postgresStorage({ pool }) must be true or false.',
    ],
    [
      'a mistyped option',
      { pool, transaction: true },
      'The option `transaction` of postgresStorage({ pool }) does not exist: did you mean `transactional`?',
    ],
    [
      'several mistakes',
      { pool, migrate: 1, schema: '', shema: undefined, tables: 1 },
      `4 options are wrong:\n- ${[
        NO_SCHEMA,
        'The option migrate of postgresStorage({ pool }) must be true or false.',
        'The option `shema` of postgresStorage({ pool }) does not exist: did you mean `schema`?',
        'The option `tables` of postgresStorage({ pool }) does not exist: write one of pool, transactional, schema, migrate, preparedStatements.',
      ].join('\n- ')}`,
    ],
    ['an empty schema', { pool, schema: ' ' }, NO_SCHEMA],
    ['a schema that PostgreSQL would cut off', { pool, schema: 'ä'.repeat(32) }, NO_SCHEMA],
    ['a schema that PostgreSQL refuses', { pool, schema: 'a\0b' }, NO_SCHEMA],
    ['a schema that is no text', { pool, schema: 1 }, NO_SCHEMA],
    ['a schema in a list', { pool, schema: ['shop'] }, NO_SCHEMA],
  ])('refuses %s, and says what to write', (_name, options, message) => {
    expect(() => postgresStorage(options as { pool: Pool })).toThrow(new PaymentsConfigError(message));
  });

  it.each<[what: string, options: object, says: readonly string[]]>([
    ['a pool of one', { max: 1 }, ['has one connection, and each webhook delivery holds one']],
    ['a pool of one that is written as a text', { max: '1' }, ['has one connection']],
    ['a pool of two', { max: 2 }, []],
    ['a pool that does not say its size', {}, []],
  ])('warns of %s with transactional alone', (_what, options, says) => {
    const small = { connect: () => Promise.reject(new Error('not asked')), options };
    expect(postgresStorage({ pool: small }).warnings).toBeUndefined();
    const warnings = postgresStorage({ pool: small, transactional: true }).warnings ?? [];
    expect(warnings).toEqual(says.map((text) => expect.stringContaining(text) as unknown));
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
