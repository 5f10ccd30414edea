// Remembering in PostgreSQL.
import { type PaymentsStorage } from 'nestjs-payments';
import { migratePayments, postgresStorage, type PostgresStorageOptions } from 'nestjs-payments/postgres';
import { Client, type Pool } from 'pg';
import { type Equal, type Expect } from './expect.js';

export type Checks = [
  Expect<Equal<ReturnType<typeof postgresStorage>, PaymentsStorage>>,
  Expect<Equal<ReturnType<typeof migratePayments>, Promise<void>>>,
  Expect<Equal<PostgresStorageOptions['transactional'], boolean | undefined>>,
];

export async function storages(pool: Pool): Promise<readonly PaymentsStorage[]> {
  await migratePayments(pool);
  await migratePayments(pool, { schema: 'shop' });
  return [postgresStorage({ pool }), postgresStorage({ pool, transactional: true, schema: 'shop' })];
}

// @ts-expect-error -- the application says which database
postgresStorage({});
// @ts-expect-error -- a pool: one connection cannot be lent to several deliveries
postgresStorage({ pool: new Client() });
// @ts-expect-error -- a pool, not its address
void migratePayments('postgres://127.0.0.1/shop');
