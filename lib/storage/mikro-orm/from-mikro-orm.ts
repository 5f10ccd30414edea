import { PaymentsConfigError } from '../../errors/payments-errors.js';
import { fromKnex, guardTransaction, NESTED } from '../knex/from-knex.js';
import { type KnexInstance, type KnexTransaction } from '../knex/knex-instance.js';
import { dropWhenFree, takeFreeConnections } from '../knex/knex-lending.js';
import { CallbackGuard } from '../sql/callback-guard.js';
import { closeLeftOpen } from '../sql/own-statements.js';
import { type SqlExecutor, type SqlTransaction } from '../sql/sql-executor.js';
import { flushLast, guardManager } from './guarded-manager.js';
import { type MikroOrmEntityManager, type MikroOrmInstance } from './mikro-orm-instance.js';

/** What Knex calls the databases of these packages. */
const DIALECTS = ['postgresql', 'mysql'];
const PACKAGES = '@mikro-orm/postgresql, @mikro-orm/mysql or @mikro-orm/mariadb';

/**
 * Lets the package use the application's MikroORM 6: its pool, and in a handler an `EntityManager` with an identity map
 * of its own, whose `transactional()` makes a savepoint.
 *
 * What a handler has changed and not flushed is flushed when the handlers have ended, before their delivery is recorded
 * as done. `begin()`, `commit()` and `rollback()` are refused in a handler, also as SQL, and statements that still come
 * when the handlers have ended.
 *
 * @throws PaymentsConfigError if `orm` is no initialized `MikroORM`, or its database is not supported.
 *
 * @example
 * ```ts
 * const storage = sqlStorage({ executor: fromMikroOrm(mikroOrm), transactional: true });
 * ```
 *
 * @publicApi
 */
export function fromMikroOrm(orm: MikroOrmInstance): SqlExecutor {
  const knex = knexOf(orm);
  const executor = fromKnex(knex);
  const { dialect } = executor;
  takeFreeConnections(knex.client, dialect);
  return {
    ...executor,
    transaction: async (work, { isolationLevel } = {}) => {
      const guard = new CallbackGuard(dialect, NESTED);
      const begin = () =>
        orm.em.fork().transactional(async (manager) => {
          const runner = await guardTransaction(openIn(manager), guard);
          guardManager(manager, guard);
          const transaction = guard.transaction(runner, manager);
          const close = async (): Promise<void> => {
            await flushLast(manager, guard);
            await guard.close();
          };
          return guard.during(() => work({ ...transaction, close }));
        }, isolationLevel && { isolationLevel });
      return guard.own(() => closeLeftOpen(dropWhenFree, begin));
    },
    wrapTransaction: (handle) => executor.wrapTransaction(openOf(handle, orm)),
  };
}

function knexOf(orm: Partial<MikroOrmInstance> | null | undefined): KnexInstance {
  if (typeof orm?.em?.getConnection !== 'function' || typeof orm.em.transactional !== 'function') {
    throw new PaymentsConfigError(
      'fromMikroOrm(orm) needs an initialized MikroORM: inject MikroORM, or write await MikroORM.init({ … }).',
    );
  }
  const connection = orm.em.getConnection('write') as { readonly getKnex?: () => KnexInstance };
  if (typeof connection.getKnex !== 'function') {
    throw new PaymentsConfigError(
      `fromMikroOrm(orm) needs MikroORM 6 on PostgreSQL, MySQL or MariaDB: import it from ${PACKAGES}.`,
    );
  }
  const knex = connection.getKnex();
  const { dialect } = knex.client;
  if (DIALECTS.includes(dialect)) return knex;
  throw new PaymentsConfigError(
    `fromMikroOrm(orm) has no statements for the database ${dialect}: import MikroORM from ${PACKAGES}.`,
  );
}

function openIn(manager: MikroOrmEntityManager): KnexTransaction {
  const transaction = manager.getTransactionContext();
  if (transaction) return transaction as KnexTransaction;
  throw new PaymentsConfigError(
    'fromMikroOrm(orm) needs transactions: take disableTransactions out of the options of MikroORM.',
  );
}

/** The transaction that an `EntityManager` of the application is in. */
function openOf(handle: unknown, { em }: MikroOrmInstance): SqlTransaction['handle'] {
  const given = handle as Partial<MikroOrmEntityManager> | null | undefined;
  const open = given?.getTransactionContext?.() as Partial<KnexTransaction> | undefined;
  if (open?.isCompleted?.() !== false) {
    throw new PaymentsConfigError(
      'MikroORM needs the EntityManager of an open transaction here: write orm.em.transactional((em) => …) and give that em.',
    );
  }
  if (given?.getConnection?.('write') !== em.getConnection('write')) {
    throw new PaymentsConfigError(
      'The EntityManager is of another MikroORM than fromMikroOrm() has: give one that belongs to the same.',
    );
  }
  return open;
}
