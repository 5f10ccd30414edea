import { eq, sql } from 'drizzle-orm';
import { int, mysqlTable, varchar } from 'drizzle-orm/mysql-core';
import { drizzle as drizzleOnMysql } from 'drizzle-orm/mysql2';
import { drizzle, type NodePgDatabase } from 'drizzle-orm/node-postgres';
import { integer, pgTable, text } from 'drizzle-orm/pg-core';
import knexPackage, { type Knex } from 'knex';
import { type ControlledTransaction, Kysely, MysqlDialect, PostgresDialect, sql as kyselySql } from 'kysely';
import { createPool as createCallbackPool } from 'mysql2';
import { createPool } from 'mysql2/promise';
import { fromDrizzle } from 'nestjs-payments/drizzle';
import { fromKnex } from 'nestjs-payments/knex';
import { fromKysely } from 'nestjs-payments/kysely';
import { type SqlExecutor } from 'nestjs-payments/sql';
import { type Pool } from 'pg';
import { type Ending, type HandlerWay } from './handler-cases.js';
import { MIKRO_ORM } from './mikro-executor.js';
import { PRISMA } from './prisma-way.js';
import { SEQUELIZE } from './sequelize-executor.js';

/** An ORM of the application, opened on a pool. */
export interface OpenExecutor {
  readonly executor: SqlExecutor;
  /** A transaction of the application, which ends as the work does. */
  readonly transaction: (work: (handle: unknown) => Promise<void>) => PromiseLike<unknown>;
}

/** An ORM that has a pool of its own. */
export interface OpenOwnExecutor extends OpenExecutor {
  readonly close: () => Promise<unknown>;
}

/** An ORM as the application has it, and what its users do in a handler. */
export interface OrmExecutor<Handle = never> extends Pick<
  HandlerWay<Handle>,
  'credit' | 'nested' | 'nestedByHand' | 'besideNested' | 'leaveOpen'
> {
  readonly name: string;
  readonly openPostgres: (pool: Pool) => OpenExecutor;
  readonly openMysql: (url: string, poolSize: number) => OpenOwnExecutor;
  /** Sends a statement in a transaction. */
  readonly send: (handle: Handle, text: string) => Promise<unknown>;
  /** What the package refuses. */
  readonly endings: readonly Ending<Handle>[];
}

const KNEX: OrmExecutor<Knex> = {
  name: 'Knex',
  openPostgres: (pool) => openKnex(knexPackage.knex({ client: 'pg', connectionPool: pool })),
  openMysql: (url, max) =>
    openKnex(knexPackage.knex({ client: 'mysql2', connection: url, pool: { min: 0, max } })),
  credit: async (trx, reference) => trx('credits').where({ reference }).increment('times', 1),
  nested: (trx, work) => trx.transaction(work),
  nestedByHand: async (trx, work) => {
    const inner = await trx.transactionProvider()();
    await work(inner);
    await inner.commit();
  },
  besideNested: 'waits',
  leaveOpen: (trx) =>
    new Promise((resolve) => {
      const neverEnds = trx.transaction(() => {
        resolve(undefined);
        return new Promise(() => undefined);
      });
      neverEnds.catch(() => undefined);
    }),
  send: async (trx, text) => trx.raw(text),
  endings: [
    ['COMMIT', async (trx) => trx.raw('COMMIT')],
    ['ROLLBACK in a nested transaction', (trx) => trx.transaction(async (inner) => inner.raw('ROLLBACK'))],
    ['COMMIT after another statement', async (trx) => trx.raw('SELECT 1; COMMIT')],
    ['commit()', async (trx) => (trx as Knex.Transaction).commit()],
    ['rollback()', async (trx) => (trx as Knex.Transaction).rollback()],
  ],
};

function openKnex(knex: Knex): OpenOwnExecutor {
  return {
    executor: fromKnex(knex),
    transaction: (work) => knex.transaction(work),
    close: () => knex.destroy(),
  };
}

interface Tables {
  readonly credits: { readonly reference: string; readonly times: number };
}

/** As Nest applications have it. */
class KyselyService extends Kysely<Tables> {
  constructor(dialect: object) {
    super({ dialect });
  }
}

const SAVEPOINT = 'before "it" `all`';

const KYSELY: OrmExecutor<ControlledTransaction<Tables>> = {
  name: 'Kysely',
  openPostgres: (pool) => openKysely(new PostgresDialect({ pool }), pool.options.max),
  openMysql: (uri, connectionLimit) =>
    openKysely(new MysqlDialect({ pool: createCallbackPool({ uri, connectionLimit }) }), connectionLimit),
  credit: (trx, reference) =>
    trx
      .updateTable('credits')
      .set((expression) => ({ times: expression('times', '+', 1) }))
      .where('reference', '=', reference)
      .execute(),
  nested: async (trx, work) => {
    await trx.savepoint(SAVEPOINT).execute();
    try {
      await work(trx);
      await trx.releaseSavepoint(SAVEPOINT).execute();
    } catch (error) {
      await trx.rollbackToSavepoint(SAVEPOINT).execute();
      throw error;
    }
  },
  send: (trx, text) => kyselySql.raw(text).execute(trx),
  endings: [
    ['COMMIT', (trx) => kyselySql.raw('COMMIT').execute(trx)],
    ['ROLLBACK', (trx) => kyselySql.raw('/* all */ ROLLBACK').execute(trx)],
    ['commit()', (trx) => trx.commit().execute()],
    ['rollback()', (trx) => trx.rollback().execute()],
  ],
};

/** Kysely does not say how large its pool is. */
function openKysely(dialect: object, poolSize: number): OpenOwnExecutor {
  const db = new KyselyService(dialect);
  return {
    executor: { ...fromKysely(db), poolSize },
    transaction: (work) => db.transaction().execute(work),
    close: () => db.destroy(),
  };
}

const credits = pgTable('credits', {
  reference: text('reference').primaryKey(),
  times: integer('times').notNull(),
});
const mysqlCredits = mysqlTable('credits', {
  reference: varchar('reference', { length: 64 }).primaryKey(),
  times: int('times').notNull(),
});

const DRIZZLE: OrmExecutor<NodePgDatabase> = {
  name: 'Drizzle',
  openPostgres: (pool) => {
    const db = drizzle({ client: pool });
    return { executor: fromDrizzle(db), transaction: (work) => db.transaction(work) };
  },
  openMysql: (uri, connectionLimit) => {
    const pool = createPool({ uri, connectionLimit });
    const db = drizzleOnMysql({ client: pool });
    return {
      executor: fromDrizzle(db),
      transaction: (work) => db.transaction(work),
      close: () => pool.end(),
    };
  },
  credit: async (tx, reference) => {
    const table = tx.constructor.name.startsWith('MySql') ? mysqlCredits : credits;
    return tx
      .update(table)
      .set({ times: sql`${table.times} + 1` })
      .where(eq(table.reference, reference));
  },
  nested: (tx, work) => tx.transaction(work),
  besideNested: 'is refused',
  leaveOpen: (tx) =>
    new Promise((resolve) => {
      const neverEnds = tx.transaction(() => {
        resolve(undefined);
        return new Promise(() => undefined);
      });
      neverEnds.catch(() => undefined);
    }),
  send: async (tx, statement) => tx.execute(statement),
  endings: [
    ['COMMIT', async (tx) => tx.execute(sql`COMMIT`)],
    ['ROLLBACK', async (tx) => tx.execute(sql`/* all */ ROLLBACK`)],
    ['COMMIT in a nested transaction', (tx) => tx.transaction(async (inner) => inner.execute(sql`COMMIT`))],
  ],
};

export const EXECUTORS = [
  KNEX,
  KYSELY,
  DRIZZLE,
  MIKRO_ORM,
  PRISMA,
  SEQUELIZE,
] as readonly OrmExecutor<object>[];
