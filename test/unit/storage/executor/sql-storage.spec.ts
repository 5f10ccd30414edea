import { inspect } from 'node:util';
import { describe, expect, it, vi } from 'vitest';
import {
  migrateSqlStorage,
  type SqlExecutor,
  sqlStorage,
  type SqlStorageOptions,
} from '../../../../lib/storage/executor/index.js';

const nothing = (): never => {
  throw new Error('nothing is asked at boot');
};
const executor: SqlExecutor = {
  dialect: 'postgres',
  query: nothing,
  execute: nothing,
  transaction: nothing,
  wrapTransaction: nothing,
};
const NO_EXECUTOR =
  'sqlStorage({ executor }) needs an executor: write for example fromTypeOrm(dataSource), from nestjs-payments/typeorm.';

describe('sqlStorage()', () => {
  it.each<[what: string, options: unknown, message: string]>([
    ['nothing', undefined, NO_EXECUTOR],
    ['no executor', {}, NO_EXECUTOR],
    ['a data source in its place', { executor: { query: nothing, transaction: nothing } }, NO_EXECUTOR],
    [
      'transactional that is no boolean',
      { executor, transactional: 'yes' },
      'The option transactional of sqlStorage({ executor }) must be true or false.',
    ],
    [
      'an unknown option',
      { executor, transaction: true },
      'The option `transaction` of sqlStorage({ executor }) does not exist: did you mean `transactional`?',
    ],
    [
      'an unknown dialect',
      { executor: { ...executor, dialect: 'oracle' } },
      'sqlStorage({ executor }) has no statements for the dialect oracle of the executor: it must be postgres or mysql.',
    ],
    ...[Number.NaN, 0, '20', null].map((poolSize): [string, unknown, string] => [
      `an executor whose pool has ${JSON.stringify(poolSize)} connections`,
      { executor: { ...executor, poolSize }, transactional: true },
      'The poolSize of the executor of sqlStorage({ executor }) must be the number of connections of its pool, 1 or more',
    ]),
    [
      'an executor whose pool is a name',
      { executor: { ...executor, pool: 'main' }, transactional: true },
      'The pool of the executor of sqlStorage({ executor }) must be an object',
    ],
    [
      'a schema in MySQL',
      { executor: { ...executor, dialect: 'mysql' }, schema: 'payments' },
      "The option schema of sqlStorage({ executor }) is for PostgreSQL: MySQL's tables are in the database of the connection.",
    ],
    [
      'a schema without a name',
      { executor, schema: ' ' },
      'The option schema of sqlStorage({ executor }) must be',
    ],
  ])('sqlStorage() refuses %s', (_what, options, message) => {
    const open = (): unknown => sqlStorage(options as SqlStorageOptions);
    expect(open).toThrow(expect.objectContaining({ name: 'PaymentsConfigError' }) as Error);
    expect(open).toThrow(message);
  });

  it('sqlStorage() warns of a pool of one with transactional alone', () => {
    const single = { ...executor, poolSize: 1 };
    expect(sqlStorage({ executor: single }).warnings).toBeUndefined();
    expect(sqlStorage({ executor, transactional: true }).warnings).toEqual([]);
    expect(sqlStorage({ executor: single, transactional: true }).warnings).toEqual([
      expect.stringContaining('The pool of sqlStorage({ executor, transactional: true }) has one connection'),
    ]);
  });

  it('sqlStorage() is named after its dialect', () => {
    expect(sqlStorage({ executor, transactional: true }).name).toBe('postgres');
  });

  it('sqlStorage() asks at boot what it must know, and a database that does not answer stops the boot with migrate alone', async () => {
    const query = vi.fn(() => Promise.reject(new Error('refused')));
    const asked = { ...executor, query, transaction: query };
    await sqlStorage({ executor: asked }).open?.();
    expect(query).toHaveBeenCalledTimes(1);
    await expect(sqlStorage({ executor: asked, migrate: true }).open?.()).rejects.toThrow();
  });

  it.each(['postgres', 'mysql'] as const)(
    'sqlStorage() says at boot that its tables could not be made, and shows nothing of the driver in %s',
    async (dialect) => {
      const refused = Object.assign(new Error('connect postgres://shop:canary@db'), {
        code: 'ECONNREFUSED',
        config: { password: 'canary' },
      });
      const refuse = (): Promise<never> => Promise.reject(refused);
      const away = { ...executor, dialect, query: refuse, execute: refuse, transaction: refuse };
      const error: unknown = await sqlStorage({ executor: away, migrate: true })
        .open?.()
        .catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({
        name: 'PaymentsStorageError',
        message:
          'The application does not start, because sqlStorage({ executor, migrate: true }) could not make its tables: Error ' +
          '(ECONNREFUSED). See that the database runs at the address of the application, and that the role of the connection may ' +
          'create tables. Or leave `migrate` out, and run npx nestjs-payments migrate when you deploy.',
      });
      expect(inspect(error, { depth: 20, showHidden: true })).not.toContain('canary');
    },
  );

  it('sqlStorage() has no tables to migrate without an executor', async () => {
    await expect(migrateSqlStorage({} as SqlExecutor)).rejects.toThrow(
      'migrateSqlStorage(executor) needs an executor',
    );
  });
});
