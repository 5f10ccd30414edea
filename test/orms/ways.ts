import { join } from 'node:path';
import { type Client, PrismaClient } from '#prisma';
import { MikroORM, raw } from '@mikro-orm/postgresql';
import { PrismaPg } from '@prisma/adapter-pg';
import { eq, sql } from 'drizzle-orm';
import { drizzle, type NodePgDatabase } from 'drizzle-orm/node-postgres';
import { integer, pgTable, text } from 'drizzle-orm/pg-core';
import knexPackage from 'knex';
import { Kysely, PostgresDialect } from 'kysely';
import { typeOrmDriver, paymentsPool } from 'nestjs-payments/postgres';
import { type Pool, type PoolClient } from 'pg';
import { type DataSource, type EntityManager } from 'typeorm';
import * as typeorm from 'typeorm';
import * as typeorm03 from 'typeorm-0.3';
import { type Credits, CREDITS } from './mikro-executor.js';
import { fileOfOrmPage } from './page-file.js';

/** Adds one to what an account was credited. */
export type Credit = (reference: string) => Promise<unknown>;

/** An ORM on the application's pool, as its users write with it. */
export interface OpenOrm {
  readonly credit: Credit;
  /** How often an account was credited, as the code that asks sees it. */
  readonly timesOf?: (reference: string) => Promise<number | undefined>;
  /** In a transaction of the ORM's own, which `then` may break. */
  readonly creditInTransaction: (reference: string, then?: Credit) => Promise<unknown>;
  /** The same on a connection that the ORM is given; not every ORM takes one. */
  readonly creditThrough?: (client: PoolClient, reference: string, then?: Credit) => Promise<unknown>;
}

const nothing: Credit = () => Promise.resolve();

async function openTypeOrm(packed: typeof typeorm | typeof typeorm03, pool: Pool): Promise<OpenOrm> {
  const credits = new packed.EntitySchema({
    name: 'credits',
    columns: { reference: { type: 'text', primary: true }, times: { type: 'int' } },
  });
  const options = { type: 'postgres', driver: typeOrmDriver(pool), entities: [credits] };
  const source: DataSource = await new packed.DataSource(options).initialize();
  const repository = source.getRepository(credits);
  const add = (manager: EntityManager, reference: string): Promise<unknown> =>
    manager.increment(credits, { reference }, 'times', 1);
  return {
    credit: (reference) => repository.increment({ reference }, 'times', 1),
    creditInTransaction: (reference, then = nothing) =>
      source.transaction(async (manager) => {
        await add(manager, reference);
        await then(reference);
      }),
    creditThrough: async (client, reference, then = nothing) => {
      const runner = source.createQueryRunner();
      runner.databaseConnection = client;
      await runner.startTransaction();
      try {
        await add(runner.manager, reference);
        await then(reference);
        await runner.commitTransaction();
      } catch (error) {
        await runner.rollbackTransaction();
        throw error;
      }
    },
  };
}

function openDrizzle(pool: Pool): OpenOrm {
  const credits = pgTable('credits', {
    reference: text('reference').primaryKey(),
    times: integer('times').notNull(),
  });
  const open = (client: unknown): OpenOrm['creditInTransaction'] & { readonly credit: Credit } => {
    const db = drizzle(client);
    const add = (on: NodePgDatabase, reference: string): Promise<unknown> =>
      on
        .update(credits)
        .set({ times: sql`${credits.times} + 1` })
        .where(eq(credits.reference, reference));
    const transaction = (reference: string, then = nothing): Promise<unknown> =>
      db.transaction(async (tx) => {
        await add(tx, reference);
        await then(reference);
      });
    return Object.assign(transaction, { credit: (reference: string) => add(db, reference) });
  };
  const onPool = open(paymentsPool(pool));
  return {
    credit: onPool.credit,
    creditInTransaction: onPool,
    creditThrough: (client, reference, then) => open(client)(reference, then),
  };
}

function openKysely(pool: Pool): OpenOrm {
  const open = (from: unknown): Kysely<{ readonly credits: object }> =>
    new Kysely({ dialect: new PostgresDialect({ pool: from }) });
  const db = open(paymentsPool(pool));
  const add = (on: typeof db, reference: string): Promise<unknown> =>
    on
      .updateTable('credits')
      .set((expression) => ({ times: expression('times', '+', 1) }))
      .where('reference', '=', reference)
      .execute();
  const inTransaction = (on: typeof db, reference: string, then = nothing): Promise<unknown> =>
    on.transaction().execute(async (trx) => {
      await add(trx, reference);
      await then(reference);
    });
  return {
    credit: (reference) => add(db, reference),
    creditInTransaction: (reference, then) => inTransaction(db, reference, then),
    creditThrough: (client, reference, then) => {
      // Kysely takes a pool: one that lends the given connection again and again.
      const connect = (): Promise<unknown> =>
        Promise.resolve(Object.assign(Object.create(client), { release: () => {} }));
      return inTransaction(open({ connect, end: () => Promise.resolve() }), reference, then);
    },
  };
}

function openKnex(pool: Pool): OpenOrm {
  const knex = knexPackage.knex({ client: 'pg', connectionPool: paymentsPool(pool) });
  const add = (on: typeof knex, reference: string): Promise<unknown> =>
    on('credits').where({ reference }).increment('times', 1);
  const inTransaction = (reference: string, then = nothing, config = {}): Promise<unknown> =>
    knex.transaction(async (trx) => {
      await add(trx, reference);
      await then(reference);
    }, config);
  return {
    // A query of Knex runs when it is awaited.
    credit: async (reference) => add(knex, reference),
    creditInTransaction: (reference, then) => inTransaction(reference, then),
    creditThrough: (connection, reference, then) => inTransaction(reference, then, { connection }),
  };
}

function openPrisma(pool: Pool, schema: string): OpenOrm {
  const prisma = new PrismaClient({ adapter: new PrismaPg(paymentsPool(pool), { schema }) });
  const add = (on: Client, reference: string): Promise<unknown> =>
    on.credit.update({ where: { reference }, data: { times: { increment: 1 } } });
  return {
    credit: async (reference) => add(prisma, reference),
    // Not findUnique(): Prisma merges those of one tick into one query, which runs for the handler that asked first.
    timesOf: async (reference) => (await prisma.credit.findFirst({ where: { reference } }))?.times,
    creditInTransaction: (reference, then) =>
      then
        ? prisma.$transaction(async (tx) => {
            await add(tx, reference);
            await then(reference);
          })
        : prisma.$transaction([add(prisma, reference)]),
  };
}

/** A file of the documents. */
interface MikroPage {
  readonly knexOnView: (pool: Pool) => object;
}

async function openMikroOrm(pool: Pool): Promise<OpenOrm> {
  const folder = join(process.cwd(), 'test', 'orms', 'dist', 'ways');
  const { knexOnView } = await fileOfOrmPage<MikroPage>(
    'knex-on-view.ts',
    folder,
    (code) => code,
    'docs/storage.md',
  );
  const orm = MikroORM.initSync({ dbName: 'test', entities: [CREDITS], driverOptions: knexOnView(pool) });
  return {
    credit: (reference) => orm.em.fork().nativeUpdate(CREDITS, { reference }, { times: raw('times + 1') }),
    timesOf: async (reference) => (await orm.em.fork().findOneOrFail<Credits>(CREDITS, { reference })).times,
    creditInTransaction: (reference, then = nothing) =>
      orm.em.fork().transactional(async (em) => {
        const credits = await em.findOneOrFail<Credits>(CREDITS, { reference });
        credits.times += 1;
        await em.flush();
        await then(reference);
      }),
  };
}

/** Every ORM that the specs use, opened on a pool of the application. */
export const ORMS: readonly (readonly [
  name: string,
  open: (pool: Pool, schema: string) => OpenOrm | Promise<OpenOrm>,
])[] = [
  ['TypeORM 1', (pool) => openTypeOrm(typeorm, pool)],
  ['TypeORM 0.3', (pool) => openTypeOrm(typeorm03, pool)],
  ['Drizzle', openDrizzle],
  ['Kysely', openKysely],
  ['Knex', openKnex],
  ['Prisma 7', openPrisma],
  ['MikroORM 6', openMikroOrm],
];
