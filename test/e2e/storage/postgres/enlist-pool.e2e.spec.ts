import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Logger } from '@nestjs/common';
import { type PaymentsStorage } from 'nestjs-payments';
import { postgresStorage } from 'nestjs-payments/postgres';
import { type SqlExecutor, type SqlRunner, sqlStorage } from 'nestjs-payments/sql';
import { type ClientBase, type Pool } from 'pg';
import { bankRequest } from '../../../support/gateway-answers.js';
import { borrowPaymentsDatabase, type PaymentsDatabase } from '../../../support/payments-database.js';
import { type PaymentsApp, startPaymentsApp } from '../../../support/payments-app.js';
import { describeWith, postgresService } from '../../../support/services.js';
import { scheme, secret } from '../../../support/webhook-app.js';

/** A pool of pg, as an executor that the application writes. */
function executorOn(pool: Pool): SqlExecutor {
  const runner = (on: Pool | ClientBase): SqlRunner => ({
    query: async <Row>(text: string, params: readonly unknown[] = []) =>
      (await on.query(text, [...params])).rows as Row[],
    execute: async (text, params = []) => ({
      affectedRows: (await on.query(text, [...params])).rowCount ?? 0,
    }),
  });
  return {
    ...runner(pool),
    dialect: 'postgres',
    transaction: () => Promise.reject(new Error('not needed')),
    wrapTransaction: (handle) => ({ ...runner(handle as ClientBase), handle }),
  };
}

const STORAGES: readonly (readonly [string, (pool: Pool, schema: string) => PaymentsStorage])[] = [
  ['postgresStorage', (pool, schema) => postgresStorage({ pool, schema })],
  ['sqlStorage', (pool, schema) => sqlStorage({ executor: executorOn(pool), schema })],
];

describeWith([postgresService], 'payments that are enlisted on a small pool', () => {
  let database: PaymentsDatabase;
  let app: PaymentsApp;
  let count: number;

  beforeEach(async () => {
    for (const level of ['log', 'warn', 'error'] as const)
      vi.spyOn(Logger.prototype, level).mockImplementation(() => {});
    count = 0;
    database = await borrowPaymentsDatabase(postgresService.url);
    // Found before the server's own function.
    await database.pool.query(`
      CREATE TABLE server (started timestamptz NOT NULL);
      INSERT INTO server VALUES ('2026-01-01');
      CREATE FUNCTION pg_postmaster_start_time() RETURNS timestamptz LANGUAGE sql
        AS 'SELECT started FROM "${database.schema}".server'`);
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await app.app.close();
    await database.close();
  });

  const start = async (storage: PaymentsStorage): Promise<void> => {
    app = await startPaymentsApp({
      baseUrl: 'http://127.0.0.1:1/api/v1',
      apiKey: 'pk_test_demo',
      apiSecret: 'sk_test_demo',
      webhooks: { scheme, secrets: [secret] },
      storage,
    });
  };
  const restart = (): Promise<unknown> => database.pool.query(`UPDATE server SET started = '2026-01-02'`);

  async function enlistOn(pool: Pool): Promise<string> {
    const client = await pool.connect();
    try {
      await client.query('BEGIN');
      const request = { ...bankRequest, reference: `order-${(count += 1)}` };
      const { state } = await app.disbursements.enlistBank(client, request);
      await client.query('COMMIT');
      return state;
    } finally {
      client.release();
    }
  }
  /** Each of them holds a connection and enlists, so the storage finds none free. */
  const work = (pool: Pool, workers: number): Promise<string[]> =>
    Promise.all(Array.from({ length: workers }, () => enlistOn(pool)));
  const planned = (times: number): string[] => Array<string>(times).fill('planned');

  describe.each(STORAGES)('of %s', (_name, storageOn) => {
    it.each([
      [3, 6],
      [1, 2],
    ])(
      '(of %i connections) are written by %i workers at once, as the first use of it',
      async (max, workers) => {
        const pool = database.connect({ max });
        await start(storageOn(pool, database.schema));
        expect(await work(pool, workers)).toEqual(planned(workers));
      },
    );

    it('are written by all workers after the server was started again', async () => {
      const pool = database.connect({ max: 3 });
      await start(storageOn(pool, database.schema));
      await enlistOn(pool);
      await restart();
      expect(await work(pool, 6)).toEqual(planned(6));
    });
  });

  it('of another pool of the same database are written, also after the server was started again', async () => {
    const others = database.connect({ max: 3 });
    await start(postgresStorage({ pool: database.connect({ max: 1 }), schema: database.schema }));
    expect(await work(others, 6)).toEqual(planned(6));
    await restart();
    expect(await work(others, 6)).toEqual(planned(6));
  });

  it('are refused on tables of a newer version, also if they are the first use of the pool', async () => {
    const pool = database.connect({ max: 1 });
    await start(postgresStorage({ pool, schema: database.schema }));
    await database.pool.query('INSERT INTO payments_migrations (version, compatible_from) VALUES (99, 99)');
    try {
      await expect(enlistOn(pool)).rejects.toMatchObject({
        name: 'PaymentsStorageError',
        message: expect.stringContaining('version 99 of the tables') as unknown,
      });
    } finally {
      await database.pool.query('DELETE FROM payments_migrations WHERE version = 99');
    }
  });
});
