import { type Client } from '#prisma';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type InboxClaim, type PaymentsStorage } from 'nestjs-payments';
import { type SqlExecutor, sqlStorage } from 'nestjs-payments/sql';
import { fromTypeOrm } from 'nestjs-payments/typeorm';
import { claimed, inboxDelivery } from '../support/inbox-contract.js';
import { patientLibrary } from '../support/patient-library.js';
import { describeWith, mysqlService, postgresService } from '../support/services.js';
import { EXECUTORS } from './executors.js';
import { openMysql, openTypeOrmOnMysql } from './mysql-database.js';
import { ORM_SERVERS } from './orm-database.js';
import { openPrisma, openPrismaOnMysql, PRISMA } from './prisma-way.js';
import { type ExecutorDatabase } from './executor-contracts.js';
import { openTypeOrm, TYPEORMS } from './typeorm-database.js';
import { beginOn } from './typeorm-way.js';

/** Long enough for a write on most machines. */
const HUNG_MS = 1_500;
const WITHIN = { timeout: 20_000 };
const LEASE_MS = 60_000;
/** As many may hold a connection at once, and no more: half of the pool. */
const DELIVERIES = 3;
const POOL_SIZE = 2 * DELIVERIES;

type Send = (transaction: unknown, text: string) => Promise<unknown>;

const ofPrisma: Send = (transaction, text) => PRISMA.send(transaction as Client, text);
const ofTypeOrm: Send = (transaction, text) => (transaction as Runner).query(text);
const ofMysql2 = ofTypeOrm;

/** An `EntityManager`, or a connection. */
interface Runner {
  query(text: string): Promise<unknown>;
}

/** What holds for a claim whose end goes wrong, whatever the executor. */
function claimCases(open: (poolSize: number) => Promise<ExecutorDatabase>, send: Send): void {
  let database: ExecutorDatabase;
  /** What happens to the answer of a transaction's end. */
  let answerOf: <T>(ended: Promise<T>) => Promise<T>;
  let storage: PaymentsStorage;

  const start = async (poolSize: number): Promise<void> => {
    answerOf = (ended) => ended;
    database = await open(poolSize);
    const { executor, schema } = database;
    await executor.execute('CREATE TABLE orders (reference VARCHAR(64))');
    const watched: SqlExecutor = {
      ...executor,
      transaction: (work, options) => answerOf(executor.transaction(work, options)),
    };
    storage = sqlStorage({
      executor: watched,
      transactional: true,
      ...(schema !== undefined && { schema }),
    });
  };
  patientLibrary();
  beforeEach(() => start(POOL_SIZE));
  afterEach(async () => {
    vi.useRealTimers();
    await database.close();
  });

  const claim = async (leaseMs = LEASE_MS, reference = 'order-1'): Promise<InboxClaim> =>
    claimed(await storage.inbox.claim(inboxDelivery(reference), leaseMs));
  const write = ({ transaction }: InboxClaim): Promise<unknown> =>
    send(transaction, "INSERT INTO orders VALUES ('order-1')");
  const orders = async (): Promise<number> =>
    (await database.executor.query('SELECT reference FROM orders')).length;

  it('looks again if the answer to COMMIT is lost, and finds the work done', async () => {
    const lost = new Error('lost');
    answerOf = (ended) => ended.then(() => Promise.reject(lost));
    const running = await claim();
    await write(running);
    expect(await running.finish()).toBe(true);
    expect(await running.finish()).toBe(true);
    expect(await orders()).toBe(1);
    expect(await storage.inbox.claim(inboxDelivery('order-1'), LEASE_MS)).toEqual({ result: 'done' });
  });

  it('commits nothing if somebody else has the claim by then', async () => {
    const late = await claim();
    await write(late);
    await database.pass(LEASE_MS + 1);
    const heir = await claim();
    expect(await late.finish()).toBe(false);
    expect(await orders()).toBe(0);
    await write(heir);
    expect(await heir.finish()).toBe(true);
    expect(await orders()).toBe(1);
  });

  it('rolls back a handler that outlives its lease, and gives its connection back', async () => {
    const hung = await Promise.all(
      Array.from({ length: DELIVERIES }, (_, index) => claim(HUNG_MS, `hung-${index}`)),
    );
    // A machine so busy that the lease ends first refuses the write at once, which the rest of the test awaits.
    await Promise.allSettled(hung.map(write));
    await vi.waitFor(async () => {
      await expect(write(hung[0]!)).rejects.toThrow();
    }, WITHIN);
    expect(await hung[0]!.finish()).toBe(false);
    const next = await claim();
    await write(next);
    expect(await next.finish()).toBe(true);
    expect(await orders()).toBe(1);
  });

  it('answers a repetition of what was handled while others hold all of their connections', async () => {
    const handled = inboxDelivery('handled', { providerReference: 'p1' });
    expect(await claimed(await storage.inbox.claim(handled, LEASE_MS)).finish()).toBe(true);
    const others = await Promise.all(
      Array.from({ length: DELIVERIES }, (_, index) => claim(LEASE_MS, `other-${index}`)),
    );
    expect(await storage.inbox.claim(handled, LEASE_MS)).toEqual({ result: 'done' });
    expect(await storage.inbox.claim(inboxDelivery('handled'), LEASE_MS)).toEqual({ result: 'done' });
    await Promise.all(others.map((other) => other.finish()));
  });

  it('claims nothing that it cannot handle: the next delivery need not wait for the lease', async () => {
    const others = await Promise.all(
      Array.from({ length: DELIVERIES }, (_, index) => claim(LEASE_MS, `other-${index}`)),
    );
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    const refused = expect(claim()).rejects.toThrow('Timed out');
    await vi.advanceTimersByTimeAsync(4_000);
    await refused;
    vi.useRealTimers();
    await Promise.all(others.map((other) => other.finish()));
    await vi.waitFor(async () => {
      const next = await claim();
      expect(next.attempt).toBe(1);
      expect(await next.finish()).toBe(true);
    }, WITHIN);
  });

  it.each([1, POOL_SIZE])('handles many deliveries at the same time with a pool of %i', async (poolSize) => {
    await database.close();
    await start(poolSize);
    const references = Array.from({ length: 4 * DELIVERIES }, (_, index) => `many-${index}`);
    await Promise.all(
      references.map(async (reference) => {
        const running = await claim(LEASE_MS, reference);
        await write(running);
        expect(await running.finish()).toBe(true);
      }),
    );
    expect(await orders()).toBe(references.length);
  });
}

for (const { name, service, open } of ORM_SERVERS) {
  describeWith([service], `a claim in ${name} through an executor`, () => {
    // Prisma stands below, with time limits of its own that are too short.
    describe.each(EXECUTORS.filter((orm) => orm !== PRISMA))('of $name', (orm) => {
      claimCases(
        (poolSize) => open(orm, poolSize),
        (transaction, text) => orm.send(transaction as object, text),
      );
    });
  });
}

describeWith([postgresService], 'a claim in PostgreSQL through an executor', () => {
  describe('of Prisma', () => {
    claimCases(openPrisma, ofPrisma);
  });
  describe.each(TYPEORMS)('of TypeORM %s', (_version, packed) => {
    claimCases(async (poolSize) => {
      const database = await openTypeOrm(packed, [], poolSize);
      const { dataSource } = database;
      return { ...database, executor: fromTypeOrm(dataSource), begin: () => beginOn(dataSource) };
    }, ofTypeOrm);
  });
});

describeWith([postgresService], 'a pool whose transactions are SERIALIZABLE', () => {
  it.each<[orm: string, send: Send, open: (settings: string) => Promise<ExecutorDatabase>]>([
    [
      'TypeORM',
      ofTypeOrm,
      async (settings) => {
        const database = await openTypeOrm(TYPEORMS[0]![1], [], POOL_SIZE, settings);
        const { dataSource } = database;
        return { ...database, executor: fromTypeOrm(dataSource), begin: () => beginOn(dataSource) };
      },
    ],
    ['Prisma', ofPrisma, (settings) => openPrisma(POOL_SIZE, settings)],
  ])('ends one of two deliveries that read what the other writes: %s', async (_orm, send, open) => {
    const { executor, schema, close } = await open('-c default_transaction_isolation=serializable');
    await executor.execute('CREATE TABLE orders (reference VARCHAR(64))');
    const { inbox } = sqlStorage({ executor, schema: schema!, transactional: true });
    const claim = async (reference: string): Promise<InboxClaim> =>
      claimed(await inbox.claim(inboxDelivery(reference), LEASE_MS));
    const write = ({ transaction }: InboxClaim): Promise<unknown> =>
      send(transaction, 'INSERT INTO orders SELECT count(*)::text FROM orders');
    const [one, other] = [await claim('order-1'), await claim('order-2')];
    await write(one);
    await write(other);
    expect(await one.finish()).toBe(true);
    await expect(other.finish()).rejects.toThrow('40001');
    const again = await claim('order-2');
    await write(again);
    expect(await again.finish()).toBe(true);
    expect(await executor.query('SELECT reference FROM orders ORDER BY 1')).toEqual([
      { reference: '0' },
      { reference: '1' },
    ]);
    await close();
  });
});

describeWith([mysqlService], 'a claim in MariaDB through an executor', () => {
  describe('of mysql2', () => {
    claimCases(openMysql, ofMysql2);
  });
  describe('of Prisma', () => {
    claimCases(openPrismaOnMysql, ofPrisma);
  });
  describe('of TypeORM', () => {
    claimCases((poolSize) => openTypeOrmOnMysql(TYPEORMS[0]![1], [], poolSize), ofTypeOrm);
  });
});
