import { once } from 'node:events';
import { Logger } from '@nestjs/common';
import { type Pool, type PoolClient, type PoolConfig } from 'pg';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type PaymentsStorage } from 'nestjs-payments';
import { migratePayments, postgresStorage, type PostgresStorageOptions } from 'nestjs-payments/postgres';
import { claimed, inboxDelivery } from '../../../support/inbox-contract.js';
import { journalRecord } from '../../../support/journal-contract.js';
import { patientLibrary } from '../../../support/patient-library.js';
import { borrowPaymentsDatabase, type PaymentsDatabase } from '../../../support/payments-database.js';
import { describeWith, postgresService } from '../../../support/services.js';

const LEASE_MS = 60_000;
const QUERY_TIMEOUT_MS = 100;

describeWith([postgresService], 'a connection that comes back to the pool in an open transaction', () => {
  let database: PaymentsDatabase;
  let pool: Pool;
  const warn = vi.spyOn(Logger.prototype, 'warn').mockReturnValue(undefined);

  const connect = (config: PoolConfig = {}): Pool => {
    const made = database.connect({ max: 1, ...config });
    made.on('connect', (client) => client.on('error', () => undefined));
    return made;
  };
  const storage = (options: Partial<PostgresStorageOptions> = {}): PaymentsStorage =>
    postgresStorage({ pool, schema: database.schema, preparedStatements: false, ...options });
  const counted = async (table: string): Promise<number> => {
    const { rows } = await database.pool.query<{ readonly n: number }>(
      `SELECT count(*)::int AS n FROM ${table}`,
    );
    return rows[0]!.n;
  };
  /** What code of an application does that forgets its transaction. */
  const forget = async (...clients: readonly PoolClient[]): Promise<void> => {
    for (const client of clients) await client.query(`BEGIN; INSERT INTO refunds VALUES ('undone')`);
    for (const client of clients) client.release();
  };
  /** The pattern of the documents of `pg`, on a pool whose ROLLBACK is dropped behind the slow statement. */
  const work = async (): Promise<void> => {
    const client = await pool.connect();
    try {
      await client.query('BEGIN');
      await client.query(`INSERT INTO refunds VALUES ('undone')`);
      await client.query(`SELECT pg_sleep(${(QUERY_TIMEOUT_MS * 4) / 1_000})`);
    } catch (error) {
      await client.query('ROLLBACK').catch(() => undefined);
      throw error;
    } finally {
      client.release();
    }
  };
  const ofOldPg = (made: Pool): void => {
    made.on('connect', (client) => Object.assign(client, { getTransactionStatus: undefined }));
  };

  beforeEach(async () => {
    database = await borrowPaymentsDatabase(postgresService.url);
    await database.pool.query('CREATE TABLE refunds (text text)');
    pool = connect();
    warn.mockClear();
  });
  afterEach(() => database.close());

  it.each([false, true])(
    'is closed, and the payment is written on another one, with an old pg: %s',
    async (isOld) => {
      if (isOld) ofOldPg(pool);
      const { journal } = storage();
      await forget(await pool.connect());
      expect((await journal.insert(journalRecord('order-1'), LEASE_MS)).inserted).toBe(true);
      expect(await counted('payments_journal')).toBe(1);
      expect(await counted('refunds')).toBe(0);
    },
  );

  it('is closed after a ROLLBACK that query_timeout dropped, while the slow statement still runs', async () => {
    pool = connect({ query_timeout: QUERY_TIMEOUT_MS });
    const { journal } = storage();
    await journal.get(journalRecord('order-1'));
    await expect(work()).rejects.toThrow('timeout');
    expect((await journal.insert(journalRecord('order-1'), LEASE_MS)).inserted).toBe(true);
    expect(await counted('payments_journal')).toBe(1);
    expect(await counted('refunds')).toBe(0);
  });

  it('is said in the log once, however many there are', async () => {
    pool = connect({ max: 3 });
    const { journal } = storage();
    await forget(await pool.connect(), await pool.connect(), await pool.connect());
    await journal.insert(journalRecord('order-1'), LEASE_MS);
    await forget(await pool.connect());
    await journal.insert(journalRecord('order-2'), LEASE_MS);
    expect(await counted('payments_journal')).toBe(2);
    expect(warn.mock.calls).toEqual([[expect.stringContaining('client.release(true)')]]);
  });

  it.each([false, true])('never has a delivery commit it, with an old pg: %s', async (isOld) => {
    if (isOld) ofOldPg(pool);
    const { inbox } = storage({ transactional: true });
    await forget(await pool.connect());
    const claim = claimed(await inbox.claim(inboxDelivery('order-1'), LEASE_MS));
    expect(await counted('payments_inbox')).toBe(1);
    expect(await claim.finish()).toBe(true);
    expect(await counted('refunds')).toBe(0);
  });

  it('never has a migration commit it', async () => {
    await forget(await pool.connect());
    await migratePayments(pool, { schema: database.schema });
    expect(await counted('refunds')).toBe(0);
  });

  it('never has an operation of several statements commit it', async () => {
    const { journal } = storage();
    await journal.insert(journalRecord('order-1'), LEASE_MS);
    await forget(await pool.connect());
    await journal.dailyCaps!.insert(journalRecord('order-2'), LEASE_MS, { cents: 1_000 });
    expect(await counted('refunds')).toBe(0);
  });

  it('never has an operation commit it that begins behind a statement which still runs', async () => {
    const { journal } = storage();
    await journal.insert(journalRecord('order-1'), LEASE_MS);
    const client = await pool.connect();
    const given = client.query(`BEGIN; INSERT INTO refunds VALUES ('undone'); SELECT pg_sleep(0.05)`);
    client.release();
    await journal.dailyCaps!.insert(journalRecord('order-2'), LEASE_MS, { cents: 1_000 });
    await given;
    expect(await counted('refunds')).toBe(0);
  });

  /** Code that keeps a client, and begins a transaction on it while the package has it. */
  const beginLate = async (options: Partial<PostgresStorageOptions>): Promise<PaymentsStorage> => {
    const kept = await pool.connect();
    kept.release();
    const made = storage(options);
    for (let times = 0; times < 25; times += 1) {
      await made.journal.insert(journalRecord('order-x'), LEASE_MS);
    }
    await database.clear();
    const query = kept.query.bind(kept) as (...given: unknown[]) => unknown;
    let hasBegun = false;
    const beginFirst = (...given: unknown[]): unknown => {
      if (!hasBegun) void query(`BEGIN; INSERT INTO refunds VALUES ('undone')`);
      hasBegun = true;
      return query(...given);
    };
    Object.assign(kept, { query: beginFirst });
    return made;
  };

  it.each([
    ['alone', 1],
    ['together', 8],
  ])('refuses what was written there %s, and writes it with the next try', async (_how, count) => {
    const { journal } = await beginLate({ preparedStatements: true });
    const insert = (): Promise<unknown>[] =>
      Array.from({ length: count }, (_, index) => journal.insert(journalRecord(`order-${index}`), LEASE_MS));
    for (const result of await Promise.allSettled(insert())) {
      expect(result).toMatchObject({
        status: 'rejected',
        reason: {
          name: 'PaymentsStorageError',
          message: expect.stringContaining('nothing was written') as unknown,
        },
      });
    }
    expect(await counted('payments_journal')).toBe(0);
    await Promise.all(insert());
    expect(await counted('payments_journal')).toBe(count);
    expect(await counted('refunds')).toBe(0);
  });

  it('refuses a delivery that was claimed there, and commits nothing', async () => {
    const { inbox } = await beginLate({ transactional: true });
    await expect(inbox.claim(inboxDelivery('order-1'), LEASE_MS)).rejects.toThrow('nothing was written');
    expect(await counted('refunds')).toBe(0);
    expect((await inbox.claim(inboxDelivery('order-1'), LEASE_MS)).result).toBe('claimed');
  });

  it('waits for what a pool sends on each new connection', async () => {
    const settled: unknown[] = [];
    pool.on('connect', (client) => {
      settled.push(client.query(`SET lock_timeout = '3s'`));
    });
    const { journal } = storage();
    expect((await journal.insert(journalRecord('order-1'), LEASE_MS)).inserted).toBe(true);
    expect(settled).toHaveLength(1);
    expect(warn).not.toHaveBeenCalled();
  });

  describe('on a new connection each time', () => {
    patientLibrary();

    it('refuses a pool whose connections all begin with a transaction', async () => {
      pool = connect({ onConnect: (client) => void client.query('BEGIN') });
      const closed = once(pool, 'remove');
      await expect(storage().journal.get(journalRecord('order-1'))).rejects.toThrow(
        '100 connections in a row',
      );
      await closed;
    });
  });
});
