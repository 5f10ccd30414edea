import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { once } from 'node:events';
import { type CustomTypesConfig, Pool, type PoolClient, Query, type QueryResult } from 'pg';
import { type InboxClaim, type PaymentsStorage } from 'nestjs-payments';
import { migratePayments, paymentsPool, postgresStorage, typeOrmDriver } from 'nestjs-payments/postgres';
import { claimed, inboxDelivery } from '../../../support/inbox-contract.js';
import { journalRecord } from '../../../support/journal-contract.js';
import { borrowPaymentsDatabase, type PaymentsDatabase } from '../../../support/payments-database.js';
import { describeWith, postgresService } from '../../../support/services.js';

const LEASE_MS = 60_000;
const INSERT = 'INSERT INTO orders VALUES ($1)';
const OVER = 'The webhook transaction is over';

describeWith([postgresService], 'the pool as handlers see it', () => {
  let database: PaymentsDatabase;
  let pool: Pool;
  let view: Pool;
  let storage: PaymentsStorage;
  let running: InboxClaim;

  beforeEach(async () => {
    database = await borrowPaymentsDatabase(postgresService.url);
    await database.pool.query('CREATE TABLE orders (reference text)');
    pool = database.connect({ max: 4 });
    view = paymentsPool(pool);
    storage = postgresStorage({ pool, schema: database.schema, transactional: true });
    // A claim that waits long for its first connection takes a second one, to look whether it has anything to do.
    await storage.journal.get(journalRecord('order-1'));
    running = await claim();
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await running.fail();
    await database.close();
  });

  const claim = async (reference = 'order-1'): Promise<InboxClaim> =>
    claimed(await storage.inbox.claim(inboxDelivery(reference), LEASE_MS));
  const inHandler = <T>(work: () => T): T => running.within!(work);
  const orders = async (): Promise<readonly string[]> => {
    const { rows } = await database.pool.query<{ reference: string }>(
      'SELECT reference FROM orders ORDER BY 1',
    );
    return rows.map(({ reference }) => reference);
  };
  const pidOf = async (asked: Pick<Pool, 'query'>): Promise<number | undefined> =>
    (await asked.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows[0]?.pid;
  const checkOut = (): Promise<PoolClient> => inHandler(() => view.connect());

  it('gives the connection of the delivery inside of a handler, and only there', async () => {
    const pid = await pidOf(running.transaction as PoolClient);
    expect(await inHandler(() => pidOf(view))).toBe(pid);
    expect(await pidOf(view)).not.toBe(pid);
    const other = paymentsPool(database.connect());
    expect(await inHandler(() => pidOf(other))).not.toBe(pid);
  });

  it('gives each of two deliveries its own', async () => {
    const second = await claim('order-2');
    const pids = await Promise.all([inHandler(() => pidOf(view)), second.within!(() => pidOf(view))]);
    expect(new Set(pids).size).toBe(2);
    await second.fail();
  });

  it('commits what was written through it with the delivery', async () => {
    await inHandler(() => view.query(INSERT, ['order-1']));
    expect(await orders()).toEqual([]);
    expect(await running.finish()).toBe(true);
    expect(await orders()).toEqual(['order-1']);
  });

  it('understands every form of connect() and query()', async () => {
    const seen = await inHandler(async () => {
      const results: unknown[] = [];
      const keep = (resolve: () => void) => (error: unknown, result: QueryResult<{ n: string }>) => {
        results.push(error ?? result.rows[0]?.n);
        resolve();
      };
      results.push((await view.query<{ n: string }>("SELECT '1' AS n")).rows[0]?.n);
      results.push((await view.query<{ n: string }>({ text: 'SELECT $1 AS n', values: ['2'] })).rows[0]?.n);
      results.push((await view.query({ text: 'SELECT $1 AS n', rowMode: 'array' }, ['3'])).rows[0]);
      await new Promise<void>((resolve) => {
        view.query("SELECT '4' AS n", keep(resolve));
      });
      await new Promise<void>((resolve) => {
        view.query('SELECT $1 AS n', ['5'], keep(resolve));
      });
      await new Promise<void>((resolve) => {
        view.connect((error, client, release) => {
          client?.query("SELECT '6' AS n", keep(resolve));
          release();
          expect(error).toBeUndefined();
        });
      });
      await new Promise<void>((resolve) => {
        view.query('SELECT broken', (error) => {
          results.push((error as { code?: string }).code);
          resolve();
        });
      });
      return results;
    });
    expect(seen).toEqual(['1', '2', ['3'], '4', '5', '6', '42703']);
  });

  it('runs a statement that submits itself, and the next one after it', async () => {
    const client = await checkOut();
    const query = client.query(new Query('SELECT generate_series(1, 3) AS n'));
    const rows: unknown[] = [];
    query.on('row', (row) => rows.push(row));
    const ended = once(query, 'end');
    await client.query(INSERT, ['order-1']);
    await ended;
    expect(rows).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
    const broken = client.query(new Query('SELECT broken'));
    expect(await once(broken, 'error').catch((error: unknown) => [error])).toMatchObject([{ code: '42703' }]);
  });

  it('refuses a statement that submits itself and would end the transaction', async () => {
    const client = await checkOut();
    const [error] = (await once(client.query(new Query('COMMIT')), 'error').catch((thrown: unknown) => [
      thrown,
    ])) as [Error];
    expect(error.message).toContain('as a text');
  });

  it('has each checkout released once, and closes none', async () => {
    const client = await checkOut();
    client.release();
    expect(() => {
      client.release();
    }).toThrow('already been released');
    await expect(client.end()).rejects.toThrow('take end() out');
    expect(await inHandler(() => pidOf(view))).toBeDefined();
  });

  it('rolls back what a checkout left open', async () => {
    const client = await checkOut();
    await client.query('BEGIN; BEGIN');
    await client.query(INSERT, ['half']);
    client.release();
    await inHandler(() => view.query(INSERT, ['whole']));
    expect(await running.finish()).toBe(true);
    expect(await orders()).toEqual(['whole']);
  });

  it('lets a further transaction wait for the first one, and other statements too', async () => {
    const [first, second] = [await checkOut(), await checkOut()];
    const order: string[] = [];
    const ask = async (client: Pick<PoolClient, 'query'>, text: string): Promise<void> => {
      await client.query(text);
      order.push(text);
    };
    await first.query('BEGIN');
    const beside = [ask(second, 'BEGIN'), inHandler(() => ask(view, 'SELECT 1'))];
    await ask(first, "INSERT INTO orders VALUES ('undone')");
    await ask(first, 'ROLLBACK');
    await Promise.all(beside);
    await ask(second, "INSERT INTO orders VALUES ('kept')");
    await ask(second, 'COMMIT');
    expect(order).toEqual([
      "INSERT INTO orders VALUES ('undone')",
      'ROLLBACK',
      'BEGIN',
      'SELECT 1',
      "INSERT INTO orders VALUES ('kept')",
      'COMMIT',
    ]);
    expect(await running.finish()).toBe(true);
    expect(await orders()).toEqual(['kept']);
  });

  it('lets statements join for which an open transaction waits', async () => {
    const first = await checkOut();
    await first.query('BEGIN');
    await inHandler(() => view.query(INSERT, ['joined']));
    const second = await checkOut();
    await second.query('BEGIN');
    await second.query(INSERT, ['inner']);
    await second.query('ROLLBACK');
    await first.query('COMMIT');
    expect(await running.finish()).toBe(true);
    expect(await orders()).toEqual(['joined']);
  });

  it('never commits if a transaction was rolled back that others had joined', async () => {
    const first = await checkOut();
    await first.query('BEGIN');
    await inHandler(() => view.query(INSERT, ['lost without a word']));
    await first.query('ROLLBACK');
    await expect(running.finish()).rejects.toThrow('were answered as done');
    expect(await orders()).toEqual([]);
  });

  it('never commits the first half of a transaction that was left running', async () => {
    const client = await checkOut();
    await client.query('BEGIN');
    await client.query(INSERT, ['half']);
    await expect(running.finish()).rejects.toThrow('in the middle of a nested transaction');
    await expect(client.query('COMMIT')).rejects.toThrow(OVER);
    expect(await orders()).toEqual([]);
  });

  it('refuses everything after the end, also on the lent connection, and leaves the next user of it alone', async () => {
    const client = await checkOut();
    expect(await running.finish()).toBe(true);
    await expect(client.query('SELECT 1')).rejects.toThrow(OVER);
    await expect(client.query('BEGIN')).rejects.toThrow(OVER);
    await expect((running.transaction as PoolClient).query('SELECT 1')).rejects.toThrow(OVER);
    await expect(inHandler(() => view.query('SELECT 1'))).rejects.toThrow(OVER);
    await expect(inHandler(() => view.connect())).rejects.toThrow(OVER);
    const error = await new Promise((resolve) => {
      inHandler(() => {
        view.connect(resolve);
      });
    });
    expect(String(error)).toContain(OVER);
    client.release();
    const next = await pool.connect();
    expect((await next.query('SELECT 1 AS n')).rows).toEqual([{ n: 1 }]);
    next.release();
  });

  it('refuses what waited when the handlers failed', async () => {
    const [first, second] = [await checkOut(), await checkOut()];
    await first.query('BEGIN');
    const waiting = expect(second.query('BEGIN')).rejects.toThrow(OVER);
    await running.fail();
    await waiting;
  });

  it('runs a text of several statements one by one', async () => {
    const client = await checkOut();
    const results = (await client.query(
      "BEGIN; INSERT INTO orders VALUES ('one'); COMMIT AND CHAIN; INSERT INTO orders VALUES ('two'); ROLLBACK",
    )) as unknown as QueryResult[];
    expect(results.map(({ command }) => command)).toEqual([
      'BEGIN',
      'INSERT',
      'COMMIT',
      'INSERT',
      'ROLLBACK',
    ]);
    expect(await running.finish()).toBe(true);
    expect(await orders()).toEqual(['one']);
  });

  it('leaves a text to the server that cannot have several statements', async () => {
    const client = await checkOut();
    await expect(client.query('SELECT $1::int; COMMIT', [1])).rejects.toMatchObject({ code: '42601' });
  });

  it('takes the isolation level from the first transaction of a handler', async () => {
    const client = await checkOut();
    const level = async (): Promise<unknown> =>
      (await client.query('SHOW transaction_isolation')).rows.map(
        (row) => Object.values(row as object)[0] as unknown,
      );
    await client.query('BEGIN ISOLATION LEVEL SERIALIZABLE READ ONLY');
    expect(await level()).toEqual(['serializable']);
    await expect(client.query(INSERT, ['order-1'])).rejects.toMatchObject({ code: '25006' });
    await client.query('ROLLBACK');
    await client.query('BEGIN');
    await client.query(INSERT, ['order-1']);
    await client.query('COMMIT');
    expect(await running.finish()).toBe(true);
    expect(await orders()).toEqual(['order-1']);
  });

  it('takes it too if it comes after BEGIN, and refuses one that comes too late', async () => {
    const client = await checkOut();
    await client.query('START TRANSACTION');
    await client.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ WRITE');
    expect((await client.query('SHOW transaction_isolation')).rows).toEqual([
      { transaction_isolation: 'repeatable read' },
    ]);
    await client.query('COMMIT');
    await client.query('BEGIN');
    await client.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ');
    await client.query('COMMIT');
    await client.query('SELECT 1');
    await expect(client.query('BEGIN ISOLATION LEVEL SERIALIZABLE')).rejects.toThrow(
      'default_transaction_isolation',
    );
    await expect(running.finish()).rejects.toThrow('cannot become SERIALIZABLE');
  });

  it('tells each checkout of the loss of the connection', async () => {
    const [first, second] = [await checkOut(), await checkOut()];
    const lost = vi.fn();
    first.on('error', lost);
    const pid = await pidOf(second);
    const ended = new Promise((resolve) => second.once('end', resolve));
    await database.pool.query('SELECT pg_terminate_backend($1)', [pid]);
    await ended;
    expect(lost).toHaveBeenCalled();
    await expect(inHandler(() => view.query('SELECT 1'))).rejects.toBeDefined();
  });

  it('keeps from the connection what an ORM writes into a checkout', async () => {
    const [first, second] = [await checkOut(), await checkOut()];
    Object.assign(first, { __knexTxId: 'trx1' });
    expect('__knexTxId' in second).toBe(false);
    expect(first).toHaveProperty('processID');
    expect(first.escapeIdentifier('a"b')).toBe('"a""b"');
  });

  it('prints no warning when many statements come at once', async () => {
    const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    await inHandler(() =>
      Promise.all(
        Array.from({ length: 30 }, async (_, index) => {
          const client = await view.connect();
          client.on('error', () => {});
          await client.query(INSERT, [String(index)]);
          client.release();
        }),
      ),
    );
    expect(warned).not.toHaveBeenCalled();
    expect(await running.finish()).toBe(true);
    expect(await orders()).toHaveLength(30);
  });

  it('is the pool itself everywhere else', async () => {
    expect(view).toBeInstanceOf(Pool);
    expect(Object.getPrototypeOf(view)).toBe(Object.getPrototypeOf(pool));
    const connected = vi.fn();
    expect(view.on('connect', connected)).toBe(view);
    expect(view.options.max).toBe(4);
    const client = await view.connect();
    expect(connected).toHaveBeenCalledTimes(1);
    expect([view.totalCount, view.idleCount, view.waitingCount]).toEqual([2, 0, 0]);
    const types: CustomTypesConfig = { getTypeParser: () => () => 'parsed' };
    expect((await client.query({ text: 'SELECT 1 AS n', types })).rows).toEqual([{ n: 'parsed' }]);
    await client.query('BEGIN');
    await client.query(INSERT, ['outside']);
    await client.query('COMMIT');
    client.release();
    expect(await orders()).toEqual(['outside']);
    expect(
      await new Promise((resolve) => {
        view.query('SELECT 1 AS n', (_, { rows }) => {
          resolve(rows);
        });
      }),
    ).toEqual([{ n: 1 }]);
    expect(view.constructor).toBe(pool.constructor);
    const other = paymentsPool(new Pool({ connectionString: postgresService.url }));
    await other.end();
    expect(other.ended).toBe(true);
    await expect(other.connect()).rejects.toThrow('after calling end');
  });

  it('is one view of one pool, however often it is made', async () => {
    const again = paymentsPool(paymentsPool(pool));
    const pid = await pidOf(running.transaction as PoolClient);
    expect(await inHandler(() => pidOf(again))).toBe(pid);
  });

  it('never writes the journal of another payment into the transaction of a handler', async () => {
    // A payment that a handler makes is sent at once: a rollback must not forget it.
    const onView = postgresStorage({ pool: view, schema: database.schema });
    await inHandler(() => onView.journal.insert(journalRecord('payout-1'), LEASE_MS));
    await running.fail();
    expect(await storage.journal.get(journalRecord('payout-1'))).toBeDefined();
    await migratePayments(view, { schema: database.schema });
  });

  it('is not ended by TypeORM, which believes that it made the pool', async () => {
    const { Pool: TypeOrmPool } = typeOrmDriver(pool) as { readonly Pool: new (options: object) => Pool };
    const made = new TypeOrmPool({});
    await made.end();
    await new Promise<void>((resolve) => {
      made.end(resolve);
    });
    expect(pool.ended).toBe(false);
    expect((await made.query('SELECT 1 AS n')).rows).toEqual([{ n: 1 }]);
  });

  it('forgets what a DataSource of TypeORM listened to when that ends, and nothing of another one', async () => {
    const { Pool: TypeOrmPool } = typeOrmDriver(pool) as { readonly Pool: new (options: object) => Pool };
    const [own, one, other] = [vi.fn(), vi.fn(), vi.fn()];
    pool.on('error', own);
    const [ended, kept] = [new TypeOrmPool({}), new TypeOrmPool({})];
    expect(ended.on('error', one)).toBe(ended);
    kept.on('error', other);
    await ended.end();
    pool.emit('error', new Error('a connection broke'));
    expect([own, one, other].map(({ mock }) => mock.calls.length)).toEqual([1, 0, 1]);
    pool.removeAllListeners('error');
    kept.on('error', other);
    await kept.end();
    expect(() => pool.emit('error', new Error('an idle connection broke later'))).not.toThrow();
  });

  it.each([[undefined], [{}], ['postgres://127.0.0.1/shop']])('refuses %j', (given) => {
    expect(() => paymentsPool(given as never)).toThrow('paymentsPool(pool) needs');
    expect(() => typeOrmDriver(given as never)).toThrow('typeOrmDriver(pool) needs');
  });
});
