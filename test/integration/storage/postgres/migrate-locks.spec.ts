import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { randomBytes } from 'node:crypto';
import { Pool, type PoolClient } from 'pg';
import { migratePayments, postgresStorage } from 'nestjs-payments/postgres';
import { journalRecord } from '../../../support/journal-contract.js';
import { createOtherDatabase, type OtherDatabase } from '../../../support/other-database.js';
import { describeWith, postgresService } from '../../../support/services.js';
import { makeSecondVersion, migrateWithWaits } from '../../../support/table-migrations.js';
import { watchedPool } from '../../../support/watched-pool.js';

describeWith([postgresService], 'a migration while a transaction of the application holds a table', () => {
  let database: OtherDatabase;
  let pool: Pool;
  let schema: string;
  let holder: PoolClient;

  beforeAll(async () => {
    database = await createOtherDatabase(postgresService.url);
  });
  afterAll(() => database.drop());
  beforeEach(async () => {
    schema = `locked_${randomBytes(6).toString('hex')}`;
    pool = new Pool({ connectionString: database.url });
    pool.on('error', () => undefined);
    await makeSecondVersion(pool, schema);
    // A report, a backup or a forgotten psql: it reads one row of the table that version 3 changes.
    holder = await pool.connect();
    await holder.query(`BEGIN; SELECT FROM ${schema}.payments_inbox`);
  });
  afterEach(async () => {
    holder.release(true);
    await pool.query(`DROP SCHEMA ${schema} CASCADE`);
    await pool.end();
  });

  const versions = async (): Promise<unknown[]> =>
    (await pool.query(`SELECT version FROM ${schema}.payments_migrations ORDER BY 1`)).rows.map(
      ({ version }: { readonly version: unknown }) => version,
    );
  /** Resolves once somebody waits for the table. */
  const isWaitedFor = async (): Promise<void> => {
    const waiting = `SELECT FROM pg_locks WHERE NOT granted AND relation = '${schema}.payments_inbox'::regclass`;
    while ((await pool.query(waiting)).rowCount === 0);
  };

  it('lets the traffic through that waits behind it, and ends once the transaction has', async () => {
    const migrating = migratePayments(pool, { schema });
    await isWaitedFor();
    // Behind a migration that waits without a limit, this would wait until the holder ends.
    await pool.query(`SELECT FROM ${schema}.payments_inbox`);
    expect(await versions()).toEqual([1, 2]);
    await holder.query('COMMIT');
    await migrating;
    const { journal } = postgresStorage({ pool, schema });
    expect((await journal.insert(journalRecord('order-1'), 0)).inserted).toBe(true);
  });

  it('gives up after a while, says so, and has changed nothing', async () => {
    const migrating = migrateWithWaits(pool, schema, { lockTimeout: '50ms', pausesMs: [1, 1] });
    await expect(migrating).rejects.toMatchObject({
      name: 'PaymentsStorageError',
      message: expect.stringMatching(
        /nothing was changed: .* through 3 tries of 50ms\. End the long transactions/,
      ) as unknown,
    });
    expect(await versions()).toEqual([1, 2]);
    await pool.query(`INSERT INTO ${schema}.payments_inbox
      VALUES ('a', 'sandbox', 'k', 'r', 'e', 'f', 'open', 1, 1, '{}', now(), now())`);
  });

  it('tries again if both waited for each other', async () => {
    const { pool: watched, asked } = watchedPool(pool);
    let deadlocks = 1;
    const deadlocked = {
      connect: async () => {
        const client = await watched.connect();
        const { query } = client;
        return {
          ...client,
          query: (text: string, values?: unknown[]) =>
            text.includes('CREATE INDEX') && deadlocks-- > 0
              ? Promise.reject(Object.assign(new Error('deadlock detected'), { code: '40P01' }))
              : query(text, values),
        };
      },
    };
    await holder.query('COMMIT');
    await migrateWithWaits(deadlocked, schema, { lockTimeout: '3s', pausesMs: [1] });
    expect(asked.filter(({ text }) => text.includes('ADD COLUMN provider_reference'))).toHaveLength(2);
    expect(await versions()).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  });

  it('waits three seconds at a time for a table, and for no lock that it cannot get', async () => {
    await holder.query('COMMIT');
    const { pool: watched, asked } = watchedPool(pool);
    await migratePayments(watched, { schema });
    expect(asked.slice(0, 3).map(({ text }) => text.trim())).toEqual([
      expect.stringContaining('BEGIN'),
      expect.stringMatching(
        /'lock_timeout', '3s', true[^]*'idle_in_transaction_session_timeout', '60s', true/,
      ),
      expect.stringContaining('pg_try_advisory_xact_lock'),
    ]);
  });
});
