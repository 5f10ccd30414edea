import { type PaymentsDatabase } from '../support/payments-database.js';
import { type ApplicationTransaction } from 'nestjs-payments/testing';
import { type Service, mysqlService, postgresService } from '../support/services.js';
import { mysqlAccounts, postgresAccounts } from './accounts.js';
import { type OpenExecutor, type OrmExecutor } from './executors.js';
import { type HandlerWay } from './handler-cases.js';
import { borrowMysql, openMysql } from './mysql-database.js';
import { borrowPostgres } from './postgres-database.js';
import { type ExecutorDatabase } from './executor-contracts.js';

/** The package's tables, and an ORM on a pool of the application's own. */
export interface OrmDatabase extends ExecutorDatabase, OpenExecutor {}

/** A database server that the ORMs can use. */
export interface OrmServer {
  readonly name: string;
  readonly service: Service;
  readonly open: (orm: OrmExecutor<object>, poolSize?: number) => Promise<OrmDatabase>;
  /** It may be the database of an earlier test. */
  readonly borrow: (orm: OrmExecutor<object>) => Promise<OrmDatabase>;
  /** The same with accounts that handlers credit. */
  readonly openWay: (orm: OrmExecutor<object>, poolSize: number) => Promise<HandlerWay<object>>;
}

async function onPostgres(
  orm: OrmExecutor<object>,
  max = 10,
): Promise<OrmDatabase & Pick<PaymentsDatabase, 'pool'>> {
  const database = await borrowPostgres();
  // Not all of what was opened: it may have a close() that its type does not show, and that is not the database's.
  const { executor, transaction } = orm.openPostgres(database.openPool({ max }));
  return { ...database, executor, transaction, begin: () => held({ transaction }) };
}

async function onMysql(orm: OrmExecutor<object>, poolSize = 10, open = openMysql) {
  const database = await open();
  const { executor, transaction, close } = orm.openMysql(database.url, poolSize);
  database.onClose(close);
  return {
    ...database,
    executor: database.inTime(executor),
    transaction,
    begin: () => held({ transaction }),
  };
}

export const ON_POSTGRES: OrmServer = {
  name: 'PostgreSQL',
  service: postgresService,
  open: onPostgres,
  borrow: onPostgres,
  openWay: async (orm, poolSize) => {
    const database = await onPostgres(orm, poolSize);
    return { ...database, ...orm, ...(await postgresAccounts(database.pool, orm.send)) };
  },
};
export const ON_MARIADB: OrmServer = {
  name: 'MariaDB',
  service: mysqlService,
  open: onMysql,
  borrow: (orm) => onMysql(orm, 10, borrowMysql),
  openWay: async (orm, poolSize) => {
    const database = await onMysql(orm, poolSize, borrowMysql);
    return { ...database, ...orm, ...(await mysqlAccounts(database, orm.send)) };
  },
};
export const ORM_SERVERS = [ON_POSTGRES, ON_MARIADB];

/** Holds a transaction of a callback open until somebody asks for its end. */
function held({ transaction }: Pick<OpenExecutor, 'transaction'>): Promise<ApplicationTransaction> {
  return new Promise((resolve, reject) => {
    let end: (error?: Error) => void = () => undefined;
    const ended = Promise.resolve(
      transaction(
        (handle) =>
          new Promise<void>((commit, rollback) => {
            end = (error) => {
              if (error) rollback(error);
              else commit();
            };
            resolve({
              handle,
              commit: () => {
                end();
                return ended;
              },
              rollback: () => {
                end(new Error('rolled back'));
                return ended.catch(() => undefined);
              },
            });
          }),
      ),
    );
    ended.catch(reject);
  });
}
