import { AsyncResource } from 'node:async_hooks';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type InboxClaim, type PaymentsStorage } from 'nestjs-payments';
import { type SqliteDatabase } from 'nestjs-payments/sqlite';
import { claimed, inboxDelivery } from '../../../support/inbox-contract.js';
import { journalRecord, storedBy } from '../../../support/journal-contract.js';
import { describeWithSqlite, sqliteFile, type SqliteTestFile } from '../../../support/sqlite-file.js';

const LEASE_MS = 60_000;

describeWithSqlite('a claim with the transaction of the handlers in SQLite', () => {
  let file: SqliteTestFile;
  let storage: PaymentsStorage;
  let shop: SqliteDatabase;

  beforeEach(() => {
    file = sqliteFile();
    storage = file.open(true);
    shop = file.connect();
    shop.exec(`CREATE TABLE orders (reference TEXT PRIMARY KEY);
      CREATE TABLE items (reference TEXT REFERENCES orders DEFERRABLE INITIALLY DEFERRED)`);
  });
  afterEach(async () => {
    vi.useRealTimers();
    await file.close();
  });

  const claim = async (reference = 'order-1', leaseMs = LEASE_MS): Promise<InboxClaim> =>
    claimed(await storage.inbox.claim(inboxDelivery(reference), leaseMs));
  const databaseOf = ({ transaction }: InboxClaim): SqliteDatabase => transaction as SqliteDatabase;
  const orders = (): number => shop.prepare('SELECT * FROM orders').all().length;
  /** Claims, and writes an order as a handler does. */
  const claimAndWrite = async (reference = 'order-1', leaseMs = LEASE_MS): Promise<InboxClaim> => {
    const running = await claim(reference, leaseMs);
    databaseOf(running).prepare('INSERT INTO orders VALUES (?)').run(reference);
    return running;
  };
  /** Nothing of the work stands, and the next delivery may run at once. */
  const expectNothing = async (): Promise<void> => {
    expect(orders()).toBe(0);
    const next = await claim();
    expect(next.attempt).toBe(2);
    expect(await next.finish()).toBe(true);
  };

  it('commits what the handler wrote, the journal and its own record together', async () => {
    const { version } = storedBy(await storage.journal.insert(journalRecord('order-1'), LEASE_MS));
    const running = await claimAndWrite();
    const settled = journalRecord('order-1', { state: 'settled', outcome: 'success' });
    expect(await running.journal?.replace(version, settled, 0)).toBeDefined();
    expect(orders()).toBe(0);
    expect((await storage.journal.get(settled))?.record.state).toBe('in-flight');
    expect(await running.finish()).toBe(true);
    expect(orders()).toBe(1);
    expect((await storage.journal.get(settled))?.record.state).toBe('settled');
    expect(await storage.inbox.claim(inboxDelivery('order-1'), LEASE_MS)).toEqual({ result: 'done' });
  });

  it('is on the disk before its end is answered: the log is written and synchronised at each commit', async () => {
    const FULL = 2;
    const database = databaseOf(await claim());
    expect(database.prepare('PRAGMA journal_mode').get()).toMatchObject({ journal_mode: 'wal' });
    expect(database.prepare('PRAGMA synchronous').get()).toMatchObject({ synchronous: FULL });
  });

  it.each(['fail', 'withdraw'] as const)('undoes everything at %s', async (end) => {
    const running = await claimAndWrite();
    await running[end]();
    expect(orders()).toBe(0);
    expect((await claim()).attempt).toBe(end === 'fail' ? 2 : 1);
  });

  it('refuses a connection that a handler kept after its end', async () => {
    const running = await claimAndWrite();
    const kept = databaseOf(running);
    const prepared = kept.prepare("INSERT INTO orders VALUES ('late')");
    await running.fail();
    expect(() => {
      kept.exec("INSERT INTO orders VALUES ('late')");
    }).toThrow('not open');
    expect(() => prepared.run()).toThrow();
    await expectNothing();
  });

  it.each(['COMMIT', ' rollback', 'BEGIN', "INSERT INTO orders VALUES ('; x'); END", '/* so */ commit;'])(
    'refuses %j of a handler before it reaches the database',
    async (text) => {
      const running = await claimAndWrite();
      expect(() => {
        databaseOf(running).exec(text);
      }).toThrow('take BEGIN, COMMIT and ROLLBACK out of the handler');
      expect(() => databaseOf(running).prepare(text)).toThrow('take BEGIN');
      await running.fail();
      await expectNothing();
    },
  );

  it('lets a handler undo a part of its work, and write any text', async () => {
    const running = await claimAndWrite();
    databaseOf(running)
      .exec(`SAVEPOINT part; INSERT INTO orders VALUES ('other'); ROLLBACK TO part; RELEASE part;
      INSERT INTO orders VALUES ('; COMMIT -- it''s')`);
    expect(await running.finish()).toBe(true);
    expect(orders()).toBe(2);
  });

  it('reports work as not finished whose COMMIT finds a broken constraint', async () => {
    const running = await claim();
    databaseOf(running).exec("INSERT INTO items VALUES ('order-1')");
    await expect(running.finish()).rejects.toMatchObject({
      name: 'PaymentsStorageError',
      message: expect.stringContaining('constraint failed') as unknown,
    });
    await expectNothing();
  });

  it('says at once that a delivery is being handled, and lets another one wait for its turn', async () => {
    const running = await claimAndWrite();
    expect((await storage.inbox.claim(inboxDelivery('order-1'), LEASE_MS)).result).toBe('busy');
    const order: string[] = [];
    const second = claimAndWrite('order-2').then((other) => {
      order.push('second');
      return other.finish();
    });
    await storage.journal.get(journalRecord('order-1'));
    // The second one has asked for its turn by now.
    await new Promise(setImmediate);
    const third = storage.journal.insert(journalRecord('order-3'), LEASE_MS).then(() => order.push('third'));
    order.push('first');
    expect(await running.finish()).toBe(true);
    expect(await second).toBe(true);
    await third;
    expect(order).toEqual(['first', 'second', 'third']);
    expect(orders()).toBe(2);
  });

  it('refuses a payment that a handler makes in its transaction at once, and lets it pay afterwards', async () => {
    const running = await claimAndWrite();
    const pay = (): Promise<unknown> => storage.journal.insert(journalRecord('payout-1'), LEASE_MS);
    let payLater: () => Promise<unknown> = pay;
    const handling = running.within?.(async () => {
      payLater = AsyncResource.bind(pay);
      expect(await storage.journal.get(journalRecord('payout-1'))).toBeUndefined();
      await pay();
    });
    await expect(handling).rejects.toThrow('it is sent after the commit');
    expect(await running.finish()).toBe(true);
    expect(await payLater()).toMatchObject({ inserted: true });
  });

  it('refuses what waits too long for the end of a transaction', async () => {
    const running = await claimAndWrite();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const paying = storage.journal.insert(journalRecord('payout-1'), LEASE_MS);
    const refused = expect(paying).rejects.toThrow('a handler in a transaction must be short');
    await vi.advanceTimersByTimeAsync(4_000);
    await refused;
    vi.useRealTimers();
    expect(await running.finish()).toBe(true);
    expect(orders()).toBe(1);
    expect(await storage.journal.get(journalRecord('payout-1'))).toBeUndefined();
  });

  it('takes the transaction from a handler that outlives its lease', async () => {
    const hung = await claimAndWrite('order-1', 50);
    const other = await claim('order-2');
    expect(await hung.mark('Orders.paid')).toBe(false);
    expect(await hung.finish()).toBe(false);
    expect(orders()).toBe(0);
    await other.finish();
    file.pass(50);
    await expectNothing();
  });

  it('waits for a transaction of the application on its own connection', async () => {
    shop.exec("BEGIN IMMEDIATE; INSERT INTO orders VALUES ('own')");
    const claiming = claimAndWrite();
    const inserting = storage.journal.insert(journalRecord('order-1'), LEASE_MS);
    shop.exec('COMMIT');
    expect(await (await claiming).finish()).toBe(true);
    expect((await inserting).inserted).toBe(true);
    expect(orders()).toBe(2);
  });

  it('gives the entry back if its transaction cannot begin', async () => {
    const gone = vi.spyOn(process, 'getBuiltinModule').mockReturnValue(undefined);
    await expect(claim()).rejects.toMatchObject({ name: 'PaymentsConfigError' });
    gone.mockRestore();
    expect((await claim()).attempt).toBe(2);
  });

  it.each([
    ['is told', ''],
    ['begins another one', 'SAVEPOINT mine'],
  ])('reports work as not finished that SQLite rolled back, if the handler %s', async (_, then) => {
    const running = await claimAndWrite();
    const database = databaseOf(running);
    expect(() => {
      database.exec("INSERT OR ROLLBACK INTO orders VALUES ('order-1')");
    }).toThrow('UNIQUE');
    database.exec(then);
    await expect(running.finish()).rejects.toMatchObject({ name: 'PaymentsStorageError' });
    await expectNothing();
  });

  it.each(['finish', 'fail'] as const)(
    'keeps nobody from writing if a handler closed it before %s',
    async (end) => {
      const running = await claimAndWrite();
      const database = databaseOf(running) as SqliteDatabase & { close(): void };
      const { close } = Object.getPrototypeOf(database) as typeof database;
      close.call(database);
      await Promise.allSettled([running[end]()]);
      expect((await storage.journal.insert(journalRecord('order-2'), 0)).inserted).toBe(true);
      await expectNothing();
    },
  );

  it('keeps nobody from writing if its lease ended before it could begin', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const claiming = expect(storage.inbox.claim(inboxDelivery('order-1'), 50)).rejects.toThrow('is gone');
    while (shop.prepare('SELECT state FROM payments_inbox').all().length === 0) await Promise.resolve();
    shop.exec('BEGIN IMMEDIATE');
    await vi.advanceTimersByTimeAsync(50);
    shop.exec('COMMIT');
    await claiming;
    vi.useRealTimers();
    expect((await storage.journal.insert(journalRecord('order-2'), 0)).inserted).toBe(true);
    file.pass(50);
    await expectNothing();
  });
});
