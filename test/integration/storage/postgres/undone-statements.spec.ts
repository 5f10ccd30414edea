import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type Pool, type PoolClient } from 'pg';
import { type InboxClaim, type PaymentsStorage } from 'nestjs-payments';
import { paymentsPool, postgresStorage } from 'nestjs-payments/postgres';
import { claimed, inboxDelivery } from '../../../support/inbox-contract.js';
import { journalRecord } from '../../../support/journal-contract.js';
import { borrowPaymentsDatabase, type PaymentsDatabase } from '../../../support/payments-database.js';
import { describeWith, postgresService } from '../../../support/services.js';

const LEASE_MS = 60_000;
const INSERT = 'INSERT INTO orders VALUES ($1)';

describeWith([postgresService], 'statements of handlers that are undone, left running or called back', () => {
  let database: PaymentsDatabase;
  let pool: Pool;
  let view: Pool;
  let storage: PaymentsStorage;
  let running: InboxClaim;

  beforeEach(async () => {
    database = await borrowPaymentsDatabase(postgresService.url);
    await database.pool.query('CREATE TABLE orders (reference text)');
    pool = database.connect({ max: 2 });
    view = paymentsPool(pool);
    storage = postgresStorage({ pool, schema: database.schema, transactional: true });
    // A claim that waits long for its first connection takes a second one, to look whether it has anything to do.
    await storage.journal.get(journalRecord('order-1'));
    running = claimed(await storage.inbox.claim(inboxDelivery('order-1'), LEASE_MS));
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    vi.useRealTimers();
    await running.fail();
    await database.close();
  });
  const pidOf = async (asked: Pick<Pool, 'query'>): Promise<number | undefined> =>
    (await asked.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows[0]?.pid;
  const inHandler = <T>(work: () => T): T => running.within!(work);
  const checkOut = (): Promise<PoolClient> => inHandler(() => view.connect());
  const orders = async (): Promise<readonly string[]> =>
    (await database.pool.query<{ reference: string }>('SELECT reference FROM orders ORDER BY 1')).rows.map(
      ({ reference }) => reference,
    );

  it('never commits if a savepoint was undone in which statements of others had run', async () => {
    const first = await checkOut();
    await first.query('BEGIN');
    await first.query('SAVEPOINT typeorm_1');
    await inHandler(() => view.query(INSERT, ['answered as done']));
    await first.query('ROLLBACK TO SAVEPOINT typeorm_1');
    await first.query('COMMIT');
    await expect(running.finish()).rejects.toThrow('were answered as done');
    expect(await orders()).toEqual([]);
  });

  it('never commits if a savepoint outside of a transaction was undone in which statements of others had run', async () => {
    const client = running.transaction as PoolClient;
    await client.query('SAVEPOINT mine');
    await inHandler(() => view.query(INSERT, ['answered as done']));
    await client.query('ROLLBACK TO mine');
    await expect(running.finish()).rejects.toThrow('were answered as done');
  });

  it('never commits if the undone savepoint has the name of one that a nested transaction had made after it', async () => {
    const first = await checkOut();
    await first.query('SAVEPOINT part');
    await inHandler(() => view.query(INSERT, ['answered as done']));
    await first.query('BEGIN');
    await first.query('SAVEPOINT part');
    await first.query('COMMIT');
    await first.query('ROLLBACK TO part');
    await expect(running.finish()).rejects.toThrow('were answered as done');
  });

  it('ends a claim on the connection of its transaction, and takes no second one', async () => {
    const connect = vi.spyOn(pool, 'connect');
    await running.fail();
    expect(connect).not.toHaveBeenCalled();
    expect((await storage.inbox.claim(inboxDelivery('order-1'), LEASE_MS)).result).toBe('claimed');
  });

  it('leaves no listener on a connection that it gives back', async () => {
    const one = database.connect({ max: 1 });
    const { inbox } = postgresStorage({ pool: one, schema: database.schema, transactional: true });
    const listeners = async (): Promise<readonly number[]> => {
      const client = await one.connect();
      const counts = ['error', 'end'].map((event) => client.listenerCount(event));
      client.release();
      return counts;
    };
    const before = await listeners();
    await claimed(await inbox.claim(inboxDelivery('order-2'), LEASE_MS)).finish();
    expect(await listeners()).toEqual(before);
  });

  it('commits if what was undone is only its own', async () => {
    const first = await checkOut();
    await inHandler(() => view.query(INSERT, ['kept']));
    await first.query('BEGIN');
    await first.query('SAVEPOINT "Part ""1"');
    await first.query(INSERT, ['undone']);
    await first.query('ROLLBACK TO SAVEPOINT "Part ""1"');
    await first.query('RELEASE SAVEPOINT "Part ""1"');
    await inHandler(() => view.query(INSERT, ['kept too']));
    await first.query('SAVEPOINT Again');
    await first.query('ROLLBACK TO again');
    await first.query('COMMIT');
    expect(await running.finish()).toBe(true);
    expect(await orders()).toEqual(['kept', 'kept too']);
  });

  it('gives the connection up if a statement that nobody awaits keeps it', async () => {
    const lock = await database.pool.connect();
    await lock.query('SELECT pg_advisory_lock(1)');
    const client = await checkOut();
    const hanging = client.query('SELECT pg_advisory_lock(1)').catch(() => undefined);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const finishing = expect(running.finish()).rejects.toMatchObject({ name: 'PaymentsStorageError' });
    await vi.advanceTimersByTimeAsync(4_000);
    await vi.advanceTimersByTimeAsync(4_000);
    await finishing;
    vi.useRealTimers();
    expect(pool.totalCount - pool.idleCount).toBe(0);
    await hanging;
    lock.release(true);
  });

  it('keeps what callbacks outside of handlers do out of the transaction', async () => {
    const delivery = await pidOf(running.transaction as PoolClient);
    // All connections are taken: the next one is given in the code that releases one.
    const other = await view.connect();
    const pid = new Promise((resolve, reject) => {
      view.connect((error, _client, release) => {
        release();
        if (error) reject(error);
        else resolve(pidOf(view));
      });
    });
    inHandler(() => {
      other.release();
    });
    expect(await pid).not.toBe(delivery);
  });
});
