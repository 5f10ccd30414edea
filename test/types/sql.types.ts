// Remembering in the application's own database.
import { type PaymentEventContext, type PaymentsStorage } from 'nestjs-payments';
import { type SqlExecutor, sqlStorage, type SqlStorageOptions } from 'nestjs-payments/sql';
import { type fromDrizzle } from 'nestjs-payments/drizzle';
import { type fromKnex } from 'nestjs-payments/knex';
import { type fromKysely } from 'nestjs-payments/kysely';
import { type fromMikroOrm } from 'nestjs-payments/mikro-orm';
import { type fromPrisma } from 'nestjs-payments/prisma';
import { type fromSequelize } from 'nestjs-payments/sequelize';
import { type fromTypeOrm } from 'nestjs-payments/typeorm';
import { type DataSource, type EntityManager } from 'typeorm';
import { type Equal, type Expect } from './expect.js';

/** What `@nestjs/store-kit` asks of an executor. */
interface StoreKitRunner {
  query<R extends object = Record<string, unknown>>(text: string, params?: readonly unknown[]): Promise<R[]>;
  execute?(text: string, params?: readonly unknown[]): Promise<{ affectedRows: number }>;
}
interface StoreKitExecutor extends StoreKitRunner {
  readonly dialect: 'postgres' | 'mysql';
  transaction<T>(
    work: (transaction: StoreKitRunner) => Promise<T>,
    options?: { isolationLevel?: 'read uncommitted' | 'read committed' | 'repeatable read' | 'serializable' },
  ): Promise<T>;
  wrapTransaction(transaction: unknown): StoreKitRunner;
}

declare const dataSource: DataSource;

export type Checks = [
  Expect<Equal<ReturnType<typeof fromTypeOrm>, SqlExecutor>>,
  Expect<DataSource extends Parameters<typeof fromTypeOrm>[0] ? true : false>,
  Expect<
    Equal<
      ReturnType<
        | typeof fromKnex
        | typeof fromKysely
        | typeof fromDrizzle
        | typeof fromMikroOrm
        | typeof fromSequelize
        | typeof fromPrisma
      >,
      SqlExecutor
    >
  >,
  Expect<Equal<ReturnType<typeof sqlStorage>, PaymentsStorage>>,
  Expect<Equal<SqlStorageOptions['transactional'], boolean | undefined>>,
  Expect<Equal<PaymentEventContext['transaction'], unknown>>,
  Expect<Equal<PaymentEventContext<EntityManager>['transaction'], EntityManager>>,
  Expect<SqlExecutor extends StoreKitExecutor ? true : false>,
];

// @ts-expect-error -- the application says what executes
sqlStorage({});
// @ts-expect-error -- an executor, not the data source itself
sqlStorage({ executor: dataSource });
