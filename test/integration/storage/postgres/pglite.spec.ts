import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type PoolClient } from 'pg';
import { type PaymentsStorage } from 'nestjs-payments';
import { postgresStorage } from 'nestjs-payments/postgres';
import { claimed, inboxDelivery } from '../../../support/inbox-contract.js';
import { openPaymentsDatabase, type PaymentsDatabase } from '../../../support/payments-database.js';
import { type PgliteServer, startPglite } from '../../../support/pglite-server.js';
import { storageContracts } from '../../../support/storage-contracts.js';

const BOOT_MS = 60_000;
const LEASE_MS = 60_000;

describe('postgresStorage() on an embedded PostgreSQL with one connection', () => {
  let server: PgliteServer | undefined;
  let database: PaymentsDatabase;
  const storage = (transactional = false): PaymentsStorage => {
    const { pool, schema } = database;
    return postgresStorage({ pool, schema, transactional });
  };

  beforeAll(async () => {
    server = await startPglite();
    database = await openPaymentsDatabase(server.url, { max: 1 });
  }, BOOT_MS);
  afterEach(() => database.clear());
  afterAll(async () => {
    // The schema goes with the engine.
    await server?.close();
  });

  storageContracts(() => ({ ...storage(), pass: database.pass }));

  it('commits the transaction of the handlers with its record, and nothing if there is no record', async () => {
    const { inbox } = storage(true);
    await database.pool.query('CREATE TABLE orders (reference text)');
    for (const [finished, statement] of [
      [false, "INSERT INTO orders VALUES ('order-1'); UPDATE payments_inbox SET fence = fence + 1"],
      [true, "INSERT INTO orders VALUES ('order-1')"],
    ] as const) {
      const running = claimed(await inbox.claim(inboxDelivery('order-1'), LEASE_MS));
      await (running.transaction as PoolClient).query(statement);
      expect(await running.finish().catch(() => false)).toBe(finished);
      expect((await database.pool.query('SELECT FROM orders')).rowCount).toBe(finished ? 1 : 0);
    }
    expect(await inbox.claim(inboxDelivery('order-1'), LEASE_MS)).toEqual({ result: 'done' });
  });
});
