import { describe, expect, it } from 'vitest';
import { fromTypeOrm, type TypeOrmDataSource } from '../../../../lib/storage/typeorm/index.js';

const createQueryRunner = (): never => {
  throw new Error('nothing is asked at boot');
};
const dataSource: TypeOrmDataSource = {
  isInitialized: true,
  options: { type: 'postgres' },
  createQueryRunner,
};
const NO_DATA_SOURCE =
  'fromTypeOrm(dataSource) needs a DataSource of TypeORM: inject DataSource, or write new DataSource({ type, … }).';
const NO_MANAGER =
  'TypeORM needs the EntityManager of an open transaction here: write dataSource.transaction((manager) => …) and give that manager.';

describe('fromTypeOrm()', () => {
  it.each<[what: string, given: unknown, message: string]>([
    ['nothing', undefined, NO_DATA_SOURCE],
    ['a pool', { connect: createQueryRunner }, NO_DATA_SOURCE],
    [
      'a DataSource that is not initialized',
      { ...dataSource, isInitialized: false },
      'fromTypeOrm(dataSource) needs an initialized DataSource: write await dataSource.initialize() before it, or inject DataSource.',
    ],
    [
      'a database without statements',
      { ...dataSource, options: { type: 'oracle' } },
      'fromTypeOrm(dataSource) has no statements for the database type oracle: it must be ',
    ],
    [
      'a type with the name of a method of all objects',
      { ...dataSource, options: { type: 'toString' } },
      'has no statements for the database type toString',
    ],
  ])('refuses %s', (_what, given, message) => {
    const open = (): unknown => fromTypeOrm(given as TypeOrmDataSource);
    expect(open).toThrow(expect.objectContaining({ name: 'PaymentsConfigError' }) as Error);
    expect(open).toThrow(message);
  });

  it.each<[what: string, parts: object, poolSize: number | undefined]>([
    ['of pg', { driver: { master: { options: { max: 7 } } } }, 7],
    ['of mysql2', { driver: { pool: { config: { connectionLimit: 7 } } } }, 7],
    ['in a cluster of mysql2', { options: { type: 'mysql', poolSize: 7 }, driver: { poolCluster: {} } }, 7],
    [
      'of the first server of a cluster',
      { options: { type: 'mysql', poolSize: 7, replication: { master: { poolSize: '4' } } }, driver: {} },
      4,
    ],
    ['that nobody gave a size', { driver: {} }, undefined],
  ])('says how large a pool %s is, and which one', (_what, parts, poolSize) => {
    const given = { ...dataSource, ...parts };
    const executor = fromTypeOrm(given);
    expect(executor.poolSize).toBe(poolSize);
    expect(executor.pool).toBeDefined();
    expect(fromTypeOrm(given).pool).toBe(executor.pool);
  });

  it.each<[what: string, handle: unknown, message: string]>([
    ['nothing', undefined, NO_MANAGER],
    ['the manager of no transaction', { dataSource }, NO_MANAGER],
    [
      'the manager of a transaction that is over',
      { dataSource, queryRunner: { isTransactionActive: false } },
      NO_MANAGER,
    ],
    [
      'the manager of another DataSource',
      { dataSource: { ...dataSource }, queryRunner: { isTransactionActive: true } },
      'The EntityManager is of another DataSource than fromTypeOrm() has: give one that belongs to the same.',
    ],
  ])('joins no transaction of %s', (_what, handle, message) => {
    expect(() => fromTypeOrm(dataSource).wrapTransaction(handle)).toThrow(message);
  });
});
