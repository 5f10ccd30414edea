import { PrismaClient } from '#prisma';
import { type Client, PrismaClient as MysqlClient } from '#prisma-mysql';
import { PrismaMariaDb } from '@prisma/adapter-mariadb';
import { PrismaPg } from '@prisma/adapter-pg';
import { fromPrisma } from 'nestjs-payments/prisma';
import { type ApplicationTransaction } from 'nestjs-payments/testing';
import { type PaymentsDatabase } from '../support/payments-database.js';
import { type OpenOwnExecutor, type OrmExecutor } from './executors.js';
import { type MysqlDatabase, openMysql } from './mysql-database.js';
import { borrowPostgres } from './postgres-database.js';
import { type ExecutorDatabase } from './executor-contracts.js';

/** A transaction of a spec may take longer than the five seconds of Prisma. */
const LONG = { maxWait: 30_000, timeout: 60_000 };

/** Begins a transaction of the application, which is open until somebody asks for its end. */
export function beginWith(prisma: PrismaClient): Promise<ApplicationTransaction> {
  return new Promise((resolve, reject) => {
    const ended = prisma.$transaction(
      (tx) =>
        new Promise<void>((commit, rollback) => {
          resolve({
            handle: tx,
            commit: () => {
              commit();
              return ended;
            },
            rollback: () => {
              rollback(new Error('rolled back'));
              return ended.catch(() => undefined);
            },
          });
        }),
      LONG,
    );
    ended.catch(reject);
  });
}

/** The package's tables on PostgreSQL, used through a client of Prisma with a pool of its own. */
export interface PrismaOnPostgres extends ExecutorDatabase, Pick<PaymentsDatabase, 'pool' | 'schema'> {
  readonly schema: string;
  readonly prisma: PrismaClient;
}

/** @param settings What the server is told about every connection. */
export async function openPrisma(poolSize = 10, settings = ''): Promise<PrismaOnPostgres> {
  const database = await borrowPostgres();
  const { schema, pool } = database;
  const lent = database.openPool({ options: `${pool.options.options} ${settings}`, max: poolSize });
  const prisma = new PrismaClient({
    adapter: new PrismaPg(lent, { schema }),
    // The package must not care.
    transactionOptions: { maxWait: 1, timeout: 1 },
  });
  return {
    ...database,
    prisma,
    executor: { ...fromPrisma(prisma), poolSize },
    begin: () => beginWith(prisma),
  };
}

/** A database of its own on MariaDB with the package's tables, used through a client of Prisma. */
export async function openPrismaOnMysql(
  poolSize = 10,
): Promise<MysqlDatabase & { readonly prisma: PrismaClient }> {
  const database = await openMysql();
  const prisma = openMysqlClient(database.url, poolSize);
  return {
    ...database,
    prisma,
    executor: database.inTime({ ...fromPrisma(prisma), poolSize }),
    begin: () => beginWith(prisma),
    close: async () => {
      await database.close();
      // Not awaited: a pool waits for connections whose claims a test left open.
      void prisma.$disconnect().catch(() => undefined);
    },
  };
}

/** Prisma does not say how large its pool is. */
function open(prisma: PrismaClient, poolSize: number): OpenOwnExecutor {
  return {
    executor: { ...fromPrisma(prisma), poolSize },
    transaction: (work) => prisma.$transaction(work, LONG),
    close: () => prisma.$disconnect(),
  };
}

function openMysqlClient(url: string, poolSize: number): PrismaClient {
  return new MysqlClient({ adapter: new PrismaMariaDb(`${url}?connectionLimit=${poolSize}`) });
}

export const PRISMA: OrmExecutor<Client> = {
  name: 'Prisma',
  openPostgres: (pool) => {
    // The specs give their connections the name of their schema.
    const schema = pool.options.application_name ?? '';
    return open(new PrismaClient({ adapter: new PrismaPg(pool, { schema }) }), pool.options.max);
  },
  openMysql: (url, poolSize) => open(openMysqlClient(url, poolSize), poolSize),
  credit: async (tx, reference) =>
    tx.credit.update({ where: { reference }, data: { times: { increment: 1 } } }),
  nested: (tx, work) => tx.$transaction(work),
  besideNested: 'is refused',
  leaveOpen: (tx) =>
    new Promise((resolve) => {
      const neverEnds = tx.$transaction(() => {
        resolve(undefined);
        return new Promise(() => undefined);
      });
      neverEnds.catch(() => undefined);
    }),
  send: async (tx, text) => tx.$executeRawUnsafe(text),
  endings: [
    ['COMMIT', (tx) => tx.$executeRawUnsafe('COMMIT')],
    ['ROLLBACK', (tx) => tx.$executeRaw`/* all */ ROLLBACK`],
    ['COMMIT that is asked for rows', (tx) => tx.$queryRaw`COMMIT`],
    ['COMMIT as a text that is asked for rows', (tx) => tx.$queryRawUnsafe('COMMIT')],
    ['COMMIT in a nested transaction', (tx) => tx.$transaction((inner) => inner.$executeRawUnsafe('COMMIT'))],
  ],
};
