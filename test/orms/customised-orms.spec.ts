import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PrismaClient } from '#prisma';
import { PrismaPg } from '@prisma/adapter-pg';
import { drizzle } from 'drizzle-orm/node-postgres';
import knexPackage from 'knex';
import { CamelCasePlugin, Kysely, ParseJSONResultsPlugin, PostgresDialect } from 'kysely';
import pg, { type Pool } from 'pg';
import sequelizePackage from 'sequelize';
import * as typeorm from 'typeorm';
import * as typeorm03 from 'typeorm-0.3';
import { fromDrizzle } from 'nestjs-payments/drizzle';
import { fromKnex } from 'nestjs-payments/knex';
import { fromKysely } from 'nestjs-payments/kysely';
import { fromMikroOrm } from 'nestjs-payments/mikro-orm';
import { postgresStorage } from 'nestjs-payments/postgres';
import { fromPrisma } from 'nestjs-payments/prisma';
import { fromSequelize } from 'nestjs-payments/sequelize';
import { sqlStorage } from 'nestjs-payments/sql';
import { fromTypeOrm } from 'nestjs-payments/typeorm';
import { describeWith, postgresService } from '../support/services.js';
import { parsedTypes as types } from '../support/parsed-types.js';
import { storyOf } from '../support/storage-story.js';
import { type OpenExecutor } from './executors.js';
import { openMikroOrm } from './mikro-executor.js';
import { borrowPostgres, type PostgresDatabase } from './postgres-database.js';
import { type TypeOrm } from './typeorm-database.js';

const ignored = (): void => undefined;

/** Rows as no statement gives them. */
function renamed(result: unknown): unknown {
  if (Array.isArray(result)) return result.map((row: unknown) => ({ renamed: row }));
  const { rows } = (result ?? {}) as { readonly rows?: unknown };
  return rows === undefined ? result : { ...(result as object), rows: renamed(rows) };
}

function openKnex(pool: Pool): OpenExecutor {
  const knex = knexPackage.knex({
    client: 'pg',
    connectionPool: pool,
    asyncStackTraces: true,
    compileSqlOnError: true,
    postProcessResponse: renamed,
    wrapIdentifier: (name: string, wrap: (text: string) => string) => wrap(name.toUpperCase()),
  });
  return { executor: fromKnex(knex), transaction: (work) => knex.transaction(work) };
}

function openKysely(pool: Pool): OpenExecutor {
  const renaming = {
    transformQuery: ({ node }: { readonly node: object }) => node,
    transformResult: ({ result }: { readonly result: object }) => Promise.resolve(renamed(result)),
  };
  const db = new Kysely({
    dialect: new PostgresDialect({ pool }),
    plugins: [new CamelCasePlugin(), new ParseJSONResultsPlugin(), renaming],
    log: ({
      query,
    }: {
      readonly query: { readonly sql: string; readonly query: { readonly kind: string } };
    }) => [query.sql.trim(), query.query.kind.trim()],
  });
  return {
    executor: { ...fromKysely(db), poolSize: 10 },
    transaction: (work) => db.transaction().execute(work),
  };
}

function openDrizzle(pool: Pool): OpenExecutor {
  const cache = {
    strategy: () => 'all',
    get: () => Promise.resolve([]),
    put: () => Promise.resolve(),
    onMutate: () => Promise.resolve(),
  };
  const db = drizzle({ client: pool, casing: 'snake_case', logger: { logQuery: ignored }, cache });
  return { executor: fromDrizzle(db), transaction: (work) => db.transaction(work) };
}

function openPrisma(pool: Pool): OpenExecutor {
  const limits = { maxWait: 1, timeout: 1 };
  const prisma = new PrismaClient({ adapter: new PrismaPg(pool), transactionOptions: limits }).$extends({
    query: {
      $allOperations: async (asked: { readonly args: unknown; query(args: unknown): Promise<unknown> }) =>
        renamed(await asked.query(asked.args)),
    },
  });
  return {
    executor: { ...fromPrisma(prisma), poolSize: 10 },
    transaction: (work) => prisma.$transaction(work, { maxWait: 30_000, timeout: 60_000 }),
  };
}

function openSequelize({ options }: Pool): OpenExecutor {
  const { connectionString = '', application_name, options: settings } = options;
  class ParsingClient extends pg.Client {
    constructor(config: object) {
      super({ ...config, types });
      this.on('error', ignored);
    }
  }
  const sequelize = new sequelizePackage.Sequelize(connectionString, {
    logging: ignored,
    benchmark: true,
    quoteIdentifiers: false,
    timezone: '+05:45',
    typeValidation: true,
    isolationLevel: 'REPEATABLE READ',
    define: { underscored: true, paranoid: true },
    query: { raw: true, nest: true, plain: true },
    dialectOptions: { options: settings, application_name },
    dialectModule: { ...pg, Client: ParsingClient },
  });
  return { executor: fromSequelize(sequelize), transaction: (work) => sequelize.transaction(work) };
}

function openMikro(pool: Pool): OpenExecutor {
  const { application_name, options: settings } = pool.options;
  const orm = openMikroOrm(pool, {
    forceUtcTimezone: true,
    schema: 'elsewhere',
    filters: { own: { cond: { reference: 'none' }, default: true } },
    resultCache: { global: 60_000 },
    disableIdentityMap: true,
    driverOptions: {
      connection: { options: settings, application_name, types },
      postProcessResponse: renamed,
    },
  });
  return { executor: fromMikroOrm(orm), transaction: (work) => orm.em.fork().transactional(work) };
}

function openTypeOrm(packed: TypeOrm): (pool: Pool) => Promise<OpenExecutor> {
  return async ({ options }) => {
    const { connectionString: url, application_name, options: settings } = options;
    const log = ['logQuery', 'logQueryError', 'logQuerySlow', 'logSchemaBuild', 'logMigration', 'log'];
    const source = await new packed.DataSource({
      type: 'postgres',
      replication: { master: { url }, slaves: [{ url }] },
      entityPrefix: 'shop_',
      schema: 'elsewhere',
      cache: { alwaysEnabled: true },
      logging: 'all',
      logger: Object.fromEntries(log.map((name) => [name, ignored])),
      maxQueryExecutionTime: 1,
      extra: { options: settings, application_name, types },
    }).initialize();
    return { executor: fromTypeOrm(source), transaction: (work) => source.transaction(work) };
  };
}

const CUSTOMISED: readonly (readonly [
  name: string,
  open: (pool: Pool) => OpenExecutor | Promise<OpenExecutor>,
])[] = [
  ['Knex', openKnex],
  ['Kysely', openKysely],
  ['Drizzle', openDrizzle],
  ['Prisma', openPrisma],
  ['Sequelize', openSequelize],
  ['MikroORM', openMikro],
  ['TypeORM 1', openTypeOrm(typeorm)],
  ['TypeORM 0.3', openTypeOrm(typeorm03)],
];

describeWith([postgresService], 'an ORM that the application has customised', () => {
  let database: PostgresDatabase;

  beforeEach(async () => {
    database = await borrowPostgres();
  });
  afterEach(() => database.close());

  it('enlists no payment if it has changed the encoding of texts', async () => {
    const { executor, transaction } = openKnex(database.openPool({}));
    const { journal } = sqlStorage({ executor, schema: database.schema });
    await transaction(async (given: unknown) => {
      await (given as { raw(text: string): Promise<unknown> }).raw("SET LOCAL client_encoding = 'LATIN1'");
      await expect(journal.within?.(given)).rejects.toThrow('client_encoding LATIN1');
    });
  });

  describe.each(CUSTOMISED)('%s', (_name, open) => {
    it.each([
      ['plainly', false],
      ['with transactions', true],
    ])('gives the storage what a pool gives, if it is used %s', async (_how, transactional) => {
      const { pool, schema } = database;
      const ofPool = async (work: (handle: unknown) => Promise<void>): Promise<void> => {
        const { handle, commit } = await database.begin();
        await work(handle);
        await commit();
      };
      const storage = postgresStorage({ pool, schema, transactional });
      const usual = await storyOf({ ...storage, transaction: ofPool }, 'shop');
      await database.clear();
      const { executor, transaction } = await open(database.openPool({ types }));
      const customised = sqlStorage({ executor, schema, transactional });
      expect(await storyOf({ ...customised, transaction }, 'shop')).toEqual(usual);
    });
  });
});
