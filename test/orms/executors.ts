import { eq, sql } from 'drizzle-orm';
import { drizzle, type NodePgDatabase } from 'drizzle-orm/node-postgres';
import { integer, pgTable, text } from 'drizzle-orm/pg-core';
import knexPackage, { type Knex } from 'knex';
import { type ControlledTransaction, Kysely, PostgresDialect, sql as kyselySql } from 'kysely';
import { fromDrizzle } from 'nestjs-payments/drizzle';
import { fromKnex } from 'nestjs-payments/knex';
import { fromKysely } from 'nestjs-payments/kysely';
import { type SqlExecutor } from 'nestjs-payments/sql';
import { type Pool } from 'pg';

/** What ends a transaction, or tries to. */
type End = readonly [what: string, end: (transaction: never) => Promise<unknown>];

/** An ORM of the application, opened on a pool. */
export interface OpenExecutor {
  readonly executor: SqlExecutor;
  /** A transaction of the application, which ends as the work does. */
  readonly transaction: (work: (handle: unknown) => Promise<void>) => PromiseLike<unknown>;
}

/** An ORM as the application has it, and what its users do in a handler. */
export interface OrmExecutor {
  readonly name: string;
  readonly open: (pool: Pool) => OpenExecutor;
  /** Adds one to what an account was credited. */
  readonly credit: (transaction: never, reference: string) => Promise<unknown>;
  /** The same in a nested transaction, in which `then` runs afterwards. */
  readonly nested: (
    transaction: never,
    reference: string,
    then?: (inner: never) => Promise<unknown>,
  ) => Promise<unknown>;
  /** The same with a handle that the code outside gets, which commits it. */
  readonly nestedByHand?: (transaction: never, reference: string) => Promise<unknown>;
  /** What becomes of a nested transaction beside another one that is open. */
  readonly besideNested?: 'waits' | 'is refused';
  /** Sends a statement in a transaction of the application. */
  readonly end: (transaction: never, text: string) => Promise<unknown>;
  /** A statement that fails. */
  readonly fail: (transaction: never) => Promise<unknown>;
  /** What the package refuses. */
  readonly ends: readonly End[];
  /** What is left open when the handler returns, if the ORM knows nested transactions. */
  readonly leaveOpen?: (transaction: never) => void;
}

const credits = pgTable('credits', {
  reference: text('reference').primaryKey(),
  times: integer('times').notNull(),
});
const nothing = (_inner: never): Promise<void> => Promise.resolve();

function creditWithKnex(trx: Knex, reference: string): Promise<unknown> {
  return trx('credits').where({ reference }).increment('times', 1);
}

const KNEX: OrmExecutor = {
  name: 'Knex',
  open: (pool) => {
    const knex = knexPackage.knex({ client: 'pg', connectionPool: pool });
    return { executor: fromKnex(knex), transaction: (work) => knex.transaction(work) };
  },
  credit: async (trx: Knex, reference) => creditWithKnex(trx, reference),
  nested: (trx: Knex, reference, then = nothing) =>
    trx.transaction(async (inner) => {
      await creditWithKnex(inner, reference);
      await then(inner as never);
    }),
  nestedByHand: async (trx: Knex, reference) => {
    const inner = await trx.transactionProvider()();
    await creditWithKnex(inner, reference);
    await inner.commit();
  },
  besideNested: 'waits',
  end: async (trx: Knex, text) => trx.raw(text),
  fail: async (trx: Knex) => trx.raw('SELECT 1 / 0'),
  ends: [
    ['COMMIT', async (trx: Knex) => trx.raw('COMMIT')],
    [
      'ROLLBACK in a nested transaction',
      (trx: Knex) => trx.transaction(async (inner) => inner.raw('ROLLBACK')),
    ],
    ['COMMIT after another statement', async (trx: Knex) => trx.raw('SELECT 1; COMMIT')],
    ['commit()', async (trx: Knex.Transaction) => trx.commit()],
    ['rollback()', async (trx: Knex.Transaction) => trx.rollback()],
  ],
  leaveOpen: (trx: Knex) => {
    trx.transaction(() => new Promise(() => undefined)).catch(() => undefined);
  },
};

type Tables = { readonly credits: { readonly reference: string; readonly times: number } };
type Trx = ControlledTransaction<Tables>;

function creditWithKysely(trx: Kysely<Tables>, reference: string): Promise<unknown> {
  return trx
    .updateTable('credits')
    .set((expression) => ({ times: expression('times', '+', 1) }))
    .where('reference', '=', reference)
    .execute();
}

/** As Nest applications have it. */
class KyselyService extends Kysely<Tables> {
  constructor(pool: Pool) {
    super({ dialect: new PostgresDialect({ pool }) });
  }
}

const KYSELY: OrmExecutor = {
  name: 'Kysely',
  open: (pool) => {
    const db = new KyselyService(pool);
    return { executor: fromKysely(db), transaction: (work) => db.transaction().execute(work) };
  },
  credit: (trx: Trx, reference) => creditWithKysely(trx, reference),
  nested: async (trx: Trx, reference, then = nothing) => {
    await trx.savepoint('before "it"').execute();
    try {
      await creditWithKysely(trx, reference);
      await then(trx as never);
      await trx.releaseSavepoint('before "it"').execute();
    } catch (error) {
      await trx.rollbackToSavepoint('before "it"').execute();
      throw error;
    }
  },
  end: (trx: Trx, text) => kyselySql.raw(text).execute(trx),
  fail: (trx: Trx) => kyselySql.raw('SELECT 1 / 0').execute(trx),
  ends: [
    ['COMMIT', (trx: Trx) => kyselySql.raw('COMMIT').execute(trx)],
    ['ROLLBACK', (trx: Trx) => kyselySql.raw('/* all */ ROLLBACK').execute(trx)],
    ['commit()', (trx: Trx) => trx.commit().execute()],
    ['rollback()', (trx: Trx) => trx.rollback().execute()],
  ],
};

function creditWithDrizzle(tx: NodePgDatabase, reference: string): Promise<unknown> {
  return tx
    .update(credits)
    .set({ times: sql`${credits.times} + 1` })
    .where(eq(credits.reference, reference));
}

const DRIZZLE: OrmExecutor = {
  name: 'Drizzle',
  open: (pool) => {
    const db = drizzle({ client: pool });
    return { executor: fromDrizzle(db), transaction: (work) => db.transaction(work) };
  },
  credit: async (tx: NodePgDatabase, reference) => creditWithDrizzle(tx, reference),
  nested: (tx: NodePgDatabase, reference, then = nothing) =>
    tx.transaction(async (inner) => {
      await creditWithDrizzle(inner, reference);
      await then(inner as never);
    }),
  besideNested: 'is refused',
  end: async (tx: NodePgDatabase, text) => tx.execute(text),
  fail: async (tx: NodePgDatabase) => tx.execute(sql`SELECT 1 / 0`),
  ends: [
    ['COMMIT', async (tx: NodePgDatabase) => tx.execute(sql`COMMIT`)],
    ['ROLLBACK', async (tx: NodePgDatabase) => tx.execute(sql`/* all */ ROLLBACK`)],
    [
      'COMMIT in a nested transaction',
      (tx: NodePgDatabase) => tx.transaction(async (inner) => inner.execute(sql`COMMIT`)),
    ],
  ],
  leaveOpen: (tx: NodePgDatabase) => {
    tx.transaction(() => new Promise(() => undefined)).catch(() => undefined);
  },
};

export const EXECUTORS: readonly OrmExecutor[] = [KNEX, KYSELY, DRIZZLE];
