import { MARIADB, POSTGRES, REDIS } from '../shared/services.mjs';

const CONCURRENCIES = [1, 16, 64, 256];
const cellsOf = (processes, concurrencies) =>
  concurrencies.map((concurrency) => ({ processes, concurrency }));
const ONE = cellsOf(1, CONCURRENCIES);
const THREE = cellsOf(3, CONCURRENCIES);
const ORMS = [
  ['TypeORM', 'typeOrm'],
  ['Knex', 'knex'],
  ['Kysely', 'kysely'],
  ['Drizzle', 'drizzle'],
  ['MikroORM', 'mikroOrm'],
  ['Prisma', 'prisma'],
  ['Sequelize', 'sequelize'],
];
/** An ORM is measured for its own part, which more processes do not change. */
const executor = { file: 'executor', cells: [...ONE, ...cellsOf(3, [64])], seconds: 0.5 };

/**
 * The storages with these keys; all, unless some are named.
 *
 * @param keys Those of `--storages`.
 */
export function chosenStorages(of, keys) {
  return storagesOf(of).filter(({ key }) => keys === undefined || keys.includes(key));
}

/** Those among these keys that no figure has. */
export function unknownStorages(keys) {
  const known = storagesOf({ transactional: true }).map(({ key }) => key);
  return keys.filter((key) => !known.includes(key));
}

/**
 * What is measured. `key` chooses with `--storages`; `seconds` is how long one round of a cell takes about.
 *
 * @param transactional Whether PostgreSQL is measured with a transaction for handlers, too: payments have none.
 */
function storagesOf({ transactional }) {
  const postgres = { service: POSTGRES, file: 'postgres', cells: [...ONE, ...THREE], seconds: 1 };
  return [
    { key: 'memory', name: 'Memory', file: 'memory', cells: ONE, seconds: 1 },
    { key: 'redis', name: 'Redis', service: REDIS, file: 'redis', cells: [...ONE, ...THREE], seconds: 1 },
    { key: 'postgres', name: 'PostgreSQL', ...postgres },
    ...(transactional
      ? [{ key: 'transactional', name: 'PostgreSQL, transactional', ...postgres, transactional: true }]
      : []),
    { key: 'sqlite', name: 'SQLite', file: 'sqlite', cells: ONE, seconds: 1 },
    ...ORMS.map(([name, orm]) => ({
      key: orm.toLowerCase(),
      name: `${name} on PostgreSQL`,
      service: POSTGRES,
      orm,
      dialect: 'postgres',
      ...executor,
    })),
    {
      key: 'mysql2',
      name: 'mysql2 on MariaDB',
      service: MARIADB,
      orm: 'mysql2',
      dialect: 'mysql',
      ...executor,
    },
  ];
}
