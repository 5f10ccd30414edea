import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { once } from 'node:events';
import { type Pool, type PoolClient } from 'pg';
import { type InboxClaim, type InboxDelivery, type PaymentsStorage } from 'nestjs-payments';
import { postgresStorage } from 'nestjs-payments/postgres';
import { claimed, inboxDelivery } from '../../../support/inbox-contract.js';
import { journalRecord } from '../../../support/journal-contract.js';
import { borrowPaymentsDatabase, type PaymentsDatabase } from '../../../support/payments-database.js';
import { describeWith, postgresService } from '../../../support/services.js';

const LEASE_MS = 60_000;
/** When a delivery that waits looks whether it was handled before. */
const LOOK_AFTER_MS = 100;

describeWith([postgresService], 'a claim with the transaction of the handlers', () => {
  let database: PaymentsDatabase;
  let storage: PaymentsStorage;

  beforeEach(async () => {
    database = await borrowPaymentsDatabase(postgresService.url);
    const { pool, schema } = database;
    storage = postgresStorage({ pool, schema, transactional: true });
    await pool.query('CREATE TABLE orders (reference text UNIQUE DEFERRABLE INITIALLY DEFERRED)');
  });
  afterEach(async () => {
    vi.useRealTimers();
    await database.close();
  });

  const claim = async (leaseMs = LEASE_MS): Promise<InboxClaim> =>
    claimed(await storage.inbox.claim(inboxDelivery('order-1'), leaseMs));
  const clientOf = ({ transaction }: InboxClaim): PoolClient => transaction as PoolClient;
  const orders = async (): Promise<number> => (await database.pool.query('SELECT FROM orders')).rowCount ?? 0;
  /** Claims, and writes an order as a handler does. */
  const claimAndWrite = async (): Promise<InboxClaim> => {
    const running = await claim();
    await clientOf(running).query("INSERT INTO orders VALUES ('order-1')");
    return running;
  };
  /** All work is rolled back, and the next delivery may run at once. */
  const expectNothing = async (): Promise<void> => {
    expect(await orders()).toBe(0);
    const next = await claim();
    expect(next.attempt).toBe(2);
    expect(await next.finish()).toBe(true);
  };

  it('commits what the handler wrote, the journal and its own record together', async () => {
    await storage.journal.insert(journalRecord('order-1'), LEASE_MS);
    const running = await claimAndWrite();
    const existing = await running.journal?.get(journalRecord('order-1'));
    await running.journal?.replace(
      existing?.version ?? 0,
      journalRecord('order-1', { state: 'settled', outcome: 'success' }),
      0,
    );
    expect(await orders()).toBe(0);
    expect((await storage.journal.get(journalRecord('order-1')))?.record.state).toBe('in-flight');
    expect((await storage.inbox.claim(inboxDelivery('order-1'), LEASE_MS)).result).toBe('busy');
    expect(await running.finish()).toBe(true);
    expect(await orders()).toBe(1);
    expect((await storage.journal.get(journalRecord('order-1')))?.record.state).toBe('settled');
    expect(await storage.inbox.claim(inboxDelivery('order-1'), LEASE_MS)).toEqual({ result: 'done' });
  });

  it('commits what an ORM commits by itself only with the record of the delivery', async () => {
    const running = await claimAndWrite();
    // What transaction() of an ORM sends on a connection that it is given.
    await clientOf(running).query('BEGIN');
    await clientOf(running).query("INSERT INTO orders VALUES ('order-1 of the ORM')");
    expect(await clientOf(running).query('COMMIT')).toMatchObject({ command: 'COMMIT' });
    expect(await orders()).toBe(0);
    await running.fail();
    await expectNothing();
  });

  it('undoes nothing that went through another connection of the pool', async () => {
    const running = await claimAndWrite();
    await database.pool.query("INSERT INTO orders VALUES ('order-1 of a repository')");
    await running.fail();
    expect(await orders()).toBe(1);
  });

  /** Waits in vain, while two deliveries hold the two connections that deliveries may hold. */
  const waitInVain = async (pool: Pool, delivery: InboxDelivery): Promise<void> => {
    vi.useFakeTimers({
      toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance'],
    });
    const looked = once(pool, 'release');
    const refused = expect(storage.inbox.claim(delivery, LEASE_MS)).rejects.toThrow(
      'waiting for one of the 2 connections',
    );
    await vi.advanceTimersByTimeAsync(LOOK_AFTER_MS);
    await looked;
    await new Promise(setImmediate);
    await vi.advanceTimersByTimeAsync(4_000);
    await refused;
    vi.useRealTimers();
  };

  it('needs a connection for every delivery that is being handled, and takes half of the pool at most', async () => {
    const pool = database.connect({ max: 4 });
    storage = postgresStorage({ pool, schema: database.schema, transactional: true });
    const first = await claim();
    const second = claimed(await storage.inbox.claim(inboxDelivery('order-2'), LEASE_MS));
    await waitInVain(pool, inboxDelivery('order-3'));
    // Another storage on the same pool.
    storage = postgresStorage({ pool, schema: database.schema, transactional: true });
    const looked = once(pool, 'release');
    const next = storage.inbox.claim(inboxDelivery('order-3'), LEASE_MS);
    await looked;
    expect(await storage.journal.get(journalRecord('order-1'))).toBeUndefined();
    expect(pool.totalCount - pool.idleCount).toBe(2);
    expect([await first.finish(), await second.finish()]).toEqual([true, true]);
    const third = claimed(await next);
    expect(third.attempt).toBe(1);
    expect(await third.finish()).toBe(true);
  });

  it('waits on if it cannot look whether it was handled, and keeps no connection', async () => {
    const pool = database.connect({ max: 4 });
    storage = postgresStorage({ pool, schema: database.schema, transactional: true });
    const first = await claim();
    const second = claimed(await storage.inbox.claim(inboxDelivery('order-2'), LEASE_MS));
    const lent = [await pool.connect(), await pool.connect()];
    // Not before all connections are open: that may take longer.
    pool.options.connectionTimeoutMillis = 200;
    const failed = vi.spyOn(pool, 'connect');
    const waiting = storage.inbox.claim(inboxDelivery('order-3'), LEASE_MS);
    await expect.poll(() => failed.mock.results.length).toBe(1);
    await expect(failed.mock.results[0]?.value).rejects.toThrow('timeout');
    pool.options.connectionTimeoutMillis = 0;
    for (const client of lent) client.release();
    expect([await first.finish(), await second.finish()]).toEqual([true, true]);
    expect(await claimed(await waiting).finish()).toBe(true);
    for (const order of ['order-4', 'order-5', 'order-6']) {
      expect(await claimed(await storage.inbox.claim(inboxDelivery(order), LEASE_MS)).finish()).toBe(true);
    }
    expect(pool.totalCount - pool.idleCount).toBe(0);
  });

  it('answers a repetition of what was handled, and replaces nothing, while others hold all of their connections', async () => {
    const pool = database.connect({ max: 4 });
    storage = postgresStorage({ pool, schema: database.schema, transactional: true });
    const handled = inboxDelivery('order-3', { providerReference: 'p1' });
    const withoutProvider = inboxDelivery('order-3');
    expect(await claimed(await storage.inbox.claim(handled, LEASE_MS)).finish()).toBe(true);
    const others = [await claim(), claimed(await storage.inbox.claim(inboxDelivery('order-2'), LEASE_MS))];
    expect(await storage.inbox.claim(handled, LEASE_MS)).toEqual({ result: 'done' });
    expect(await storage.inbox.claim(withoutProvider, LEASE_MS)).toEqual({ result: 'done' });
    await waitInVain(pool, { ...handled, fingerprint: 'f2', replaces: 'any' });
    await waitInVain(pool, { ...handled, providerReference: 'p2' });
    expect(await storage.inbox.claim(handled, LEASE_MS)).toEqual({ result: 'done' });
    expect(await Promise.all(others.map((other) => other.finish()))).toEqual([true, true]);
    const other = await storage.inbox.claim({ ...handled, fingerprint: 'f2' }, LEASE_MS);
    expect(other.result).toBe('conflict');
  });

  it('lets a handler cause another delivery, such as a release, also where only one may hold a connection', async () => {
    const pool = database.connect({ max: 2 });
    storage = postgresStorage({ pool, schema: database.schema, transactional: true });
    const running = await claim();
    const caused = await running.within?.(() => storage.inbox.claim(inboxDelivery('order-2'), LEASE_MS));
    expect(await claimed(caused!).finish()).toBe(true);
    expect(await running.finish()).toBe(true);
  });

  it('lets nothing write any more that still runs in a handler which failed', async () => {
    const running = await claimAndWrite();
    const client = clientOf(running);
    const writeOn = (): Promise<unknown> => client.query("INSERT INTO orders VALUES ('order-1')");
    const failing = running.fail();
    await expect(writeOn()).rejects.toThrow('The webhook transaction is over');
    await failing;
    await expect(writeOn()).rejects.toThrow('The webhook transaction is over');
    await expectNothing();
  });

  it('undoes everything if a handler failed', async () => {
    await storage.journal.insert(journalRecord('order-1'), LEASE_MS);
    const running = await claimAndWrite();
    const existing = await running.journal?.get(journalRecord('order-1'));
    await running.journal?.remove(journalRecord('order-1'), existing?.version ?? 0);
    await running.fail();
    expect(await storage.journal.get(journalRecord('order-1'))).toBeDefined();
    await expectNothing();
  });

  it('remembers no handler: what it wrote is undone with the rest', async () => {
    const running = await claim();
    expect(await running.mark('Orders.paid')).toBe(true);
    await running.fail();
    const next = await claim();
    expect(next.finished).toEqual([]);
    await next.finish();
    expect(await next.mark('Orders.paid')).toBe(false);
  });

  it('never lets a worker commit whose lease was taken over', async () => {
    const late = await claimAndWrite();
    await database.pass(LEASE_MS + 1);
    const heir = await claim();
    expect(await late.finish()).toBe(false);
    expect(await orders()).toBe(0);
    expect(await heir.finish()).toBe(true);
  });

  it('throws if a lost worker cannot even learn that somebody else has the claim', async () => {
    const late = await claimAndWrite();
    await database.pass(LEASE_MS + 1);
    const heir = await claim();
    const connect = vi.spyOn(database.pool, 'connect').mockImplementation(() => {
      throw new Error('away');
    });
    await expect(late.finish()).rejects.toMatchObject({ name: 'PaymentsStorageError' });
    connect.mockRestore();
    expect(await orders()).toBe(0);
    expect(await heir.finish()).toBe(true);
  });

  it('reports work as not finished whose handler continued after a failed statement', async () => {
    const running = await claimAndWrite();
    await expect(clientOf(running).query('SELECT 1 / 0')).rejects.toMatchObject({ code: '22012' });
    await expect(running.finish()).rejects.toThrow('SAVEPOINT');
    await expectNothing();
  });

  it('reports work as not finished whose COMMIT finds a broken constraint', async () => {
    const running = await claimAndWrite();
    await clientOf(running).query("INSERT INTO orders VALUES ('order-1')");
    await expect(running.finish()).rejects.toThrow('23505');
    await expectNothing();
  });

  it('reports work as not finished if a statement failed that the handler did not wait for', async () => {
    const running = await claimAndWrite();
    const failing = clientOf(running).query('SELECT 1 / 0');
    const finishing = running.finish();
    await expect(failing).rejects.toMatchObject({ code: '22012' });
    await expect(finishing).rejects.toThrow('SAVEPOINT');
    await expectNothing();
  });

  it.each([
    ['COMMIT'],
    ['ROLLBACK'],
    ['COMMIT; BEGIN'],
    ['ROLLBACK; BEGIN'],
    ['/* by hand */ end -- now'],
    ['ABORT WORK'],
    ["PREPARE TRANSACTION 'later'"],
    ["INSERT INTO orders VALUES ('of the handler'); COMMIT"],
  ])('refuses %s of a handler before it reaches the database, and then commits nothing', async (text) => {
    const running = await claimAndWrite();
    await expect(clientOf(running).query(text)).rejects.toMatchObject({ name: 'PaymentsStorageError' });
    // Even if the handler hides the error.
    await expect(running.finish()).rejects.toThrow('out of the handler');
    await expectNothing();
  });

  it('lets a handler undo a part of its work', async () => {
    const running = await claimAndWrite();
    await clientOf(running).query("SAVEPOINT part; INSERT INTO orders VALUES ('other'); ROLLBACK TO part");
    expect(await running.finish()).toBe(true);
    expect(await orders()).toBe(1);
  });

  it('does not let a handler give the connection to somebody else', async () => {
    const running = await claimAndWrite();
    expect(() => {
      clientOf(running).release();
    }).toThrow('take release() out');
    expect(await running.finish()).toBe(true);
    expect(database.pool.idleCount).toBe(database.pool.totalCount);
  });

  it('survives the loss of its connection, and gives the entry back', async () => {
    const running = await claimAndWrite();
    const gone = ended(clientOf(running));
    await terminate(clientOf(running));
    await gone;
    await running.fail();
    await expectNothing();
  });

  it('reports work as not finished whose connection was lost before the end', async () => {
    const running = await claimAndWrite();
    const gone = ended(clientOf(running));
    await terminate(clientOf(running));
    await gone;
    await expect(running.finish()).rejects.toMatchObject({ name: 'PaymentsStorageError' });
    await expectNothing();
  });

  it('looks again if the answer to COMMIT is lost, and finds the work done', async () => {
    const running = await claimAndWrite();
    // What the package itself sends does not go through the view that handlers have.
    const client = Object.getPrototypeOf(clientOf(running)) as PoolClient;
    const ask = client.query.bind(client) as (...args: unknown[]) => Promise<unknown>;
    let lost = false;
    Object.assign(client, {
      query: async (...args: unknown[]) => {
        const answer = await ask(...args);
        if (!String(args[0]).endsWith('COMMIT')) return answer;
        lost = true;
        client.emit('error', new Error('lost'));
        throw new Error('lost');
      },
    });
    expect(await running.finish()).toBe(true);
    expect(lost).toBe(true);
    expect(await running.finish()).toBe(true);
    expect(await storage.inbox.claim(inboxDelivery('order-1'), LEASE_MS)).toEqual({ result: 'done' });
    expect(await orders()).toBe(1);
  });

  it('takes the connection from a handler that outlives its lease', async () => {
    const hung = await claim(50);
    await ended(clientOf(hung));
    await expect.poll(() => database.pool.totalCount).toBe(0);
    await expect(clientOf(hung).query('SELECT 1')).rejects.toBeDefined();
    expect(await hung.mark('Orders.paid')).toBe(false);
    expect(await hung.finish()).toBe(false);
  });

  it('has the server end a transaction that is idle for longer than the lease, and only that one', async () => {
    const show = 'SHOW idle_in_transaction_session_timeout';
    const before = await database.pool.query(show);
    const running = await claim();
    expect((await clientOf(running).query(show)).rows).toEqual([
      { idle_in_transaction_session_timeout: '1min' },
    ]);
    await running.finish();
    expect((await database.pool.query(show)).rows).toEqual(before.rows);
  });

  it('claims nothing if the pool has no connection left', async () => {
    const pool = database.connect({ max: 1 });
    const small = postgresStorage({ pool, schema: database.schema, transactional: true });
    const lent = await pool.connect();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
    const second = small.inbox.claim(inboxDelivery('order-2'), LEASE_MS);
    vi.advanceTimersByTime(4_100);
    vi.useRealTimers();
    await expect(second).rejects.toThrow('free connection');
    lent.release();
    // The connection that came too late was given back, and so was the turn, and order-2 is claimed for the first time.
    const again = claimed(await small.inbox.claim(inboxDelivery('order-2'), LEASE_MS));
    expect(again.attempt).toBe(1);
  });

  it('bears duplicates in the middle of a handler that wants SERIALIZABLE', async () => {
    const running = await claim();
    await clientOf(running).query('SET TRANSACTION ISOLATION LEVEL SERIALIZABLE');
    await clientOf(running).query("INSERT INTO orders VALUES ('order-1')");
    expect((await storage.inbox.claim(inboxDelivery('order-1'), LEASE_MS)).result).toBe('busy');
    expect(await running.finish()).toBe(true);
  });

  /** Resolves when the connection has ended, with an error or without. */
  function ended(client: PoolClient): Promise<void> {
    return new Promise((resolve) => {
      client.once('end', resolve);
    });
  }

  async function terminate(client: PoolClient): Promise<void> {
    const { rows } = await client.query<{ readonly pid: number }>('SELECT pg_backend_pid() AS pid');
    await database.pool.query('SELECT pg_terminate_backend($1)', [rows[0]?.pid]);
  }
});
