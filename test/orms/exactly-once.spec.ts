import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Injectable, Logger } from '@nestjs/common';
import { OnPayment, type PaymentEventContext, type PaymentWebhookEvent } from 'nestjs-payments';
import { postgresStorage } from 'nestjs-payments/postgres';
import { type PaymentsSandbox } from 'nestjs-payments/sandbox';
import { Pool, type PoolClient } from 'pg';
import { deliverEvent } from '../support/deliver-event.js';
import { patientLibrary } from '../support/patient-library.js';
import { borrowPaymentsDatabase, type PaymentsDatabase } from '../support/payments-database.js';
import { type PaymentsApp, startPaymentsApp } from '../support/payments-app.js';
import { startSandbox } from '../support/sandbox.js';
import { describeWith, postgresService } from '../support/services.js';
import { type OpenOrm, ORMS } from './ways.js';

const POOL_SIZE = 10;

/** Resolves for all at once, when as many handlers have come. */
const comers: (() => void)[] = [];
function arrived(count: number): Promise<void> {
  return new Promise((resolve) => {
    comers.push(resolve);
    if (comers.length < count) return;
    for (const go of comers.splice(0)) go();
  });
}
const REFERENCE = 'order-1';

/** What the handler of a test does. */
let handle: (reference: string, client: PoolClient) => Promise<unknown>;

@Injectable()
class Accounts {
  @OnPayment('payment.success')
  async paid({ data }: PaymentWebhookEvent, { transaction }: PaymentEventContext): Promise<void> {
    await handle(data.reference, transaction as PoolClient);
  }
}

describeWith([postgresService], "a handler that writes with an ORM on the application's pool", () => {
  let database: PaymentsDatabase;
  let pool: Pool;
  let sandbox: PaymentsSandbox;
  let payments: PaymentsApp;
  const errors = vi.fn<(message: string) => void>();

  patientLibrary();
  beforeEach(async () => {
    errors.mockClear();
    vi.spyOn(Logger.prototype, 'error').mockImplementation(errors);
    database = await borrowPaymentsDatabase(postgresService.url);
    await database.pool.query('CREATE TABLE credits (reference text PRIMARY KEY, times int NOT NULL)');
    // The class of the pg that the ORMs have: Prisma asks for it.
    pool = new Pool({ ...database.pool.options, max: POOL_SIZE });
    // The next test that borrows the database ends connections that are still closing.
    pool.on('error', () => undefined);
    sandbox = await startSandbox({ clock: 'manual', seed: 1 });
    const storage = postgresStorage({ pool, schema: database.schema, transactional: true });
    payments = await startPaymentsApp({ ...sandbox.moduleOptions(), storage }, [Accounts]);
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await payments.app.close();
    await pool.end();
    await database.close();
  });

  const deliver = (reference: string): Promise<number> => deliverEvent(payments, sandbox, reference);
  const open = (...references: readonly string[]): Promise<unknown> =>
    database.pool.query('INSERT INTO credits SELECT unnest($1::text[]), 0', [references]);
  async function times(): Promise<readonly number[]> {
    const { rows } = await database.pool.query<{ readonly times: number }>(
      'SELECT times FROM credits ORDER BY 1',
    );
    return rows.map((row) => row.times);
  }

  describe.each(ORMS)('%s', (_name, openOrm) => {
    let orm: OpenOrm;
    /** Prisma takes no connection: there the handler's own transaction shows the same. */
    const through: NonNullable<OpenOrm['creditThrough']> = (client, reference, then) =>
      orm.creditThrough
        ? orm.creditThrough(client, reference, then)
        : orm.creditInTransaction(reference, then);

    beforeEach(async () => {
      orm = await openOrm(pool, database.schema);
      await open(REFERENCE);
    });

    it.each<[how: string, write: (reference: string, client: PoolClient) => Promise<unknown>]>([
      ['injected', (reference) => orm.credit(reference)],
      ['injected, in a transaction of the ORM', (reference) => orm.creditInTransaction(reference)],
      [
        'on context.transaction, in a transaction of the ORM',
        (reference, client) => through(client, reference),
      ],
    ])(
      '%s: a handler that throws after its write counts once with the next delivery',
      async (_how, write) => {
        handle = async (reference, client) => {
          await write(reference, client);
          throw new Error('after the write');
        };
        expect([await deliver(REFERENCE), await deliver(REFERENCE)]).toEqual([500, 500]);
        expect(await times()).toEqual([0]);
        handle = write;
        expect([await deliver(REFERENCE), await deliver(REFERENCE)]).toEqual([200, 200]);
        expect(await times()).toEqual([1]);
      },
    );

    it.each<[how: string, write: (then: () => Promise<never>, client: PoolClient) => Promise<unknown>]>([
      ['injected', (then) => orm.creditInTransaction(REFERENCE, then)],
      ['on context.transaction', (then, client) => through(client, REFERENCE, then)],
    ])('%s: a transaction of the ORM that fails undoes its own writes alone', async (_how, write) => {
      handle = async (reference, client) => {
        await orm.credit(reference);
        await expect(write(() => Promise.reject(new Error('no')), client)).rejects.toThrow('no');
        await orm.credit(reference);
      };
      expect(await deliver(REFERENCE)).toBe(200);
      expect(await times()).toEqual([2]);
    });

    it('lets a service join that has a transaction of its own and is called inside of another', async () => {
      handle = (reference) =>
        orm.creditInTransaction(reference, async () => {
          await orm.credit(reference);
          await orm.creditInTransaction(reference);
          await orm.credit(reference);
        });
      expect(await deliver(REFERENCE)).toBe(200);
      expect(await times()).toEqual([4]);
    });

    it('runs transactions at the same time one after the other: what one undoes, the others keep', async () => {
      handle = async (reference) => {
        const results = await Promise.allSettled([
          orm.creditInTransaction(reference),
          orm.creditInTransaction(reference, () => Promise.reject(new Error('no'))),
          orm.credit(reference),
          orm.creditInTransaction(reference),
        ]);
        expect(results.map(({ status }) => status)).toEqual([
          'fulfilled',
          'rejected',
          'fulfilled',
          'fulfilled',
        ]);
      };
      expect(await deliver(REFERENCE)).toBe(200);
      expect(await times()).toEqual([3]);
    });

    it('refuses work that was left running, and commits nothing of it', async () => {
      let late: Promise<unknown> = Promise.resolve();
      let go: () => void = () => {};
      const gate = new Promise<void>((resolve) => (go = resolve));
      handle = (reference) => {
        late = gate.then(() => orm.credit(reference));
        return Promise.resolve();
      };
      expect(await deliver(REFERENCE)).toBe(200);
      // Drizzle puts the statement before the error.
      const refused = late.then(
        () => 'done',
        (error: unknown) => String((error as Error).cause ?? error),
      );
      go();
      expect(await refused).toContain('The webhook transaction is over');
      expect(await times()).toEqual([0]);
      await orm.credit(REFERENCE);
      expect(await times()).toEqual([1]);
    });

    it('answers a burst of three times the size of the pool with 200, each counted once', async () => {
      const references = Array.from(
        { length: 3 * POOL_SIZE },
        (_, index) => `burst-${String(index).padStart(2, '0')}`,
      );
      await open(...references);
      handle = async (reference) => {
        await orm.credit(reference);
        await orm.creditInTransaction(reference);
      };
      const answers = await Promise.all(references.map((reference) => deliver(reference)));
      expect(new Set(answers)).toEqual(new Set([200]));
      expect(errors.mock.calls).toEqual([]);
      const counted = (await times()).filter((n) => n === 2);
      expect(counted).toHaveLength(references.length);
    });

    it('reads in each of many handlers at the same time what that handler wrote', async () => {
      // As many as may hold a connection at once.
      const references = Array.from({ length: POOL_SIZE / 2 }, (_, index) => `read-${index}`);
      await open(...references);
      const read: unknown[] = [];
      handle = async (reference) => {
        await orm.credit(reference);
        await arrived(references.length);
        if (orm.timesOf) read.push(await orm.timesOf(reference));
      };
      const answers = await Promise.all(references.map((reference) => deliver(reference)));
      expect(answers).toEqual(references.map(() => 200));
      expect(read).toEqual(orm.timesOf ? references.map(() => 1) : []);
    });
  });
});
