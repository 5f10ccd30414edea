import { Injectable, Logger } from '@nestjs/common';
import { OnPayment, type PaymentEventContext, type PaymentWebhookEvent } from 'nestjs-payments';
import { type PaymentsSandbox } from 'nestjs-payments/sandbox';
import { sqlStorage } from 'nestjs-payments/sql';
import { fromTypeOrm } from 'nestjs-payments/typeorm';
import { type EntityManager } from 'typeorm';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { deliverEvent } from '../support/deliver-event.js';
import { type PaymentsApp, startPaymentsApp } from '../support/payments-app.js';
import { startSandbox } from '../support/sandbox.js';
import { describeWith, postgresService } from '../support/services.js';
import { openTypeOrm, type TypeOrmDatabase, TYPEORMS } from './typeorm-database.js';
import { creditsEntity } from './typeorm-way.js';

interface SubscriberEvent {
  readonly manager: EntityManager;
}
type Subscriber = (event: SubscriberEvent) => unknown;

const fail: Subscriber = () => {
  throw new Error('of a subscriber');
};
/** Whether the handler throws after its write. */
let handlerFails = false;
/** How often the handler has run. */
let runs = 0;

describeWith([postgresService], 'a webhook transaction whose TypeORM has subscribers', () => {
  describe.each(TYPEORMS)('of TypeORM %s', (_version, packed) => {
    const credits = creditsEntity(packed);
    let database: TypeOrmDatabase;
    let sandbox: PaymentsSandbox;
    let payments: PaymentsApp;
    let subscriber: Record<string, Subscriber>;

    @Injectable()
    class Accounts {
      @OnPayment('payment.success')
      async paid(
        { data: { reference } }: PaymentWebhookEvent,
        { transaction }: PaymentEventContext<EntityManager>,
      ): Promise<void> {
        runs += 1;
        await transaction.insert(credits, { reference, times: 1 });
        if (handlerFails) throw new Error('of the handler');
      }
    }

    beforeEach(async () => {
      for (const level of ['log', 'warn', 'error'] as const)
        vi.spyOn(Logger.prototype, level).mockImplementation(() => {});
      handlerFails = false;
      runs = 0;
      subscriber = {};
      database = await openTypeOrm(packed, [credits]);
      const { dataSource, schema, pool } = database;
      await pool.query('CREATE TABLE credits (reference text PRIMARY KEY, times int NOT NULL)');
      (dataSource as unknown as { readonly subscribers: unknown[] }).subscribers.push(subscriber);
      sandbox = await startSandbox({ clock: 'manual', seed: 1 });
      const storage = sqlStorage({ executor: fromTypeOrm(dataSource), schema, transactional: true });
      payments = await startPaymentsApp({ ...sandbox.moduleOptions(), storage }, [Accounts]);
    });
    afterEach(async () => {
      vi.restoreAllMocks();
      await payments.app.close();
      await database.close();
    });

    const deliver = (): Promise<number> => deliverEvent(payments, sandbox, 'order-1');
    const references = async (): Promise<readonly string[]> => {
      const { rows } = await database.pool.query<{ readonly reference: string }>(
        'SELECT reference FROM credits ORDER BY 1',
      );
      return rows.map(({ reference }) => reference);
    };
    const written: Subscriber = ({ manager }) => manager.insert(credits, { reference: 'more', times: 1 });
    const swallowed: Subscriber = ({ manager }) => manager.query('SELECT 1 / 0').catch(() => undefined);
    const notAwaited: Subscriber = (event) => void swallowed(event);
    const goesOn: Subscriber = (event) => {
      const first = event.manager.query('SELECT 1');
      void first.then(() => swallowed(event));
    };
    const goesOnMeanwhile: Subscriber = (event) => {
      setImmediate(() => swallowed(event));
      void event.manager.query('SELECT pg_sleep(0.05)');
    };

    it.each<[what: string, subscriber: Subscriber]>([
      ['throws', fail],
      ['writes, which comes too late', written],
    ])('is done and answered so if afterTransactionCommit %s', async (_, afterTransactionCommit) => {
      Object.assign(subscriber, { afterTransactionCommit });
      expect([await deliver(), await deliver()]).toEqual([200, 200]);
      expect([runs, await references()]).toEqual([1, ['order-1']]);
    });

    it('commits what beforeTransactionCommit writes through the manager of its event', async () => {
      Object.assign(subscriber, { beforeTransactionCommit: written });
      expect([await deliver(), await deliver()]).toEqual([200, 200]);
      expect([runs, await references()]).toEqual([1, ['more', 'order-1']]);
    });

    it.each<[what: string, subscriber: Record<string, Subscriber>]>([
      ['beforeTransactionCommit throws', { beforeTransactionCommit: fail }],
      ['beforeTransactionCommit hides that a statement failed', { beforeTransactionCommit: swallowed }],
      [
        'beforeTransactionCommit does not await a statement that fails',
        { beforeTransactionCommit: notAwaited },
      ],
      [
        'beforeTransactionCommit does not await what continues with a statement that fails',
        { beforeTransactionCommit: goesOn },
      ],
      [
        'beforeTransactionCommit begins a statement that fails while another one runs',
        { beforeTransactionCommit: goesOnMeanwhile },
      ],
      ['afterInsert throws', { afterInsert: fail }],
    ])('is undone, and handled again by the next delivery, if %s', async (_, failing) => {
      Object.assign(subscriber, failing);
      expect(await deliver()).toBeGreaterThanOrEqual(500);
      expect(await references()).toEqual([]);
      for (const name of Object.keys(failing)) Reflect.deleteProperty(subscriber, name);
      expect([await deliver(), await deliver()]).toEqual([200, 200]);
      expect([runs, await references()]).toEqual([2, ['order-1']]);
    });

    it.each(['beforeTransactionRollback', 'afterTransactionRollback'])(
      'is rolled back, and its connection is good for the next one, if %s throws',
      async (name) => {
        subscriber[name] = fail;
        handlerFails = true;
        expect(await deliver()).toBe(500);
        handlerFails = false;
        expect([await references(), await deliver(), await references()]).toEqual([[], 200, ['order-1']]);
      },
    );
  });
});
