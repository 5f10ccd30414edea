import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type EntityManager, type MikroORM } from '@mikro-orm/core';
import { Injectable, Logger } from '@nestjs/common';
import { OnPayment, type PaymentEventContext, type PaymentWebhookEvent } from 'nestjs-payments';
import { fromMikroOrm } from 'nestjs-payments/mikro-orm';
import { type PaymentsSandbox } from 'nestjs-payments/sandbox';
import { sqlStorage } from 'nestjs-payments/sql';
import { deliverEvent } from '../support/deliver-event.js';
import { type PaymentsApp, startPaymentsApp } from '../support/payments-app.js';
import { startSandbox } from '../support/sandbox.js';
import { describeWith, mysqlService, postgresService } from '../support/services.js';
import { CREDITS, type Credits } from './mikro-executor.js';
import { type MikroDatabase, openMikroOnMariaDb, openMikroOnPostgres } from './mikro-database.js';

const REFERENCE = 'order-1';
const DATABASES = [
  ['PostgreSQL', postgresService, openMikroOnPostgres],
  ['MariaDB', mysqlService, openMikroOnMariaDb],
] as const;

/** What the handler of a test does. */
let handle: (em: EntityManager) => unknown;

@Injectable()
class Accounts {
  @OnPayment('payment.success')
  async paid(
    _event: PaymentWebhookEvent,
    { transaction }: PaymentEventContext<EntityManager>,
  ): Promise<void> {
    await handle(transaction);
  }
}

describe.each(DATABASES)('a handler with the EntityManager of MikroORM on %s', (_name, service, open) => {
  describeWith([service], 'that changes entities', () => {
    let database: MikroDatabase;
    let orm: MikroORM;
    let sandbox: PaymentsSandbox;
    let payments: PaymentsApp;
    const errors = vi.fn<(message: string) => void>();

    beforeEach(async () => {
      errors.mockClear();
      vi.spyOn(Logger.prototype, 'error').mockImplementation(errors);
      database = await open();
      ({ orm } = database);
      await orm.em
        .fork()
        .execute('CREATE TABLE credits (reference VARCHAR(64) PRIMARY KEY, times INT NOT NULL)');
      await orm.em.fork().execute("INSERT INTO credits VALUES ('order-1', 0)");
      sandbox = await startSandbox({ clock: 'manual', seed: 1 });
      const { executor, schema } = database;
      const storage = sqlStorage({ executor, transactional: true, ...(schema !== undefined && { schema }) });
      payments = await startPaymentsApp({ ...sandbox.moduleOptions(), storage }, [Accounts]);
    });
    afterEach(async () => {
      vi.restoreAllMocks();
      await payments.app.close();
      await database.close();
    });

    const deliver = (): Promise<number> => deliverEvent(payments, sandbox, REFERENCE);
    const add = async (em: EntityManager): Promise<void> => {
      const account = await em.findOneOrFail<Credits>(CREDITS, { reference: REFERENCE });
      account.times += 1;
    };
    const times = async (): Promise<number> =>
      (await orm.em.fork().findOneOrFail<Credits>(CREDITS, { reference: REFERENCE })).times;

    it.each<[how: string, change: (em: EntityManager) => Promise<unknown>]>([
      ['does not flush', add],
      [
        'flushes',
        async (em) => {
          await add(em);
          await em.flush();
        },
      ],
      ['does not flush in a nested transaction', (em) => em.transactional(add)],
      ['uses the global EntityManager in a nested transaction', (em) => em.transactional(() => add(orm.em))],
      [
        'uses the EntityManager outside in a nested transaction',
        async (em) =>
          em.transactional(async () => {
            await add(em);
            await em.flush();
          }),
      ],
    ])(
      'has its changes counted once if it %s, though it throws after them at first',
      async (_how, change) => {
        handle = async (em) => {
          await change(em);
          throw new Error('after the write');
        };
        expect([await deliver(), await deliver()]).toEqual([500, 500]);
        expect(await times()).toBe(0);
        handle = change;
        expect([await deliver(), await deliver()]).toEqual([200, 200]);
        expect(errors.mock.calls.join()).not.toContain('PaymentsStorageError');
        expect(await times()).toBe(1);
      },
    );

    it('is answered 503 if its changes cannot be flushed, and nothing is committed', async () => {
      handle = async (em) => {
        await add(em);
        await em.flush();
        em.persist(em.create(CREDITS, { reference: 'order-2', times: null }));
      };
      expect(await deliver()).toBe(503);
      expect(await times()).toBe(0);
      handle = add;
      expect(await deliver()).toBe(200);
      expect(await times()).toBe(1);
    });

    it('writes nothing more by what it changes when it has ended', async () => {
      let later: EntityManager | undefined;
      handle = async (em) => {
        later = em;
        await add(em);
      };
      expect(await deliver()).toBe(200);
      const account = await orm.em.fork().findOneOrFail<Credits>(CREDITS, { reference: REFERENCE });
      expect(account.times).toBe(1);
      later!.persist(later!.create(CREDITS, { reference: 'order-2', times: 1 }));
      await expect(later!.flush()).rejects.toThrow('is over');
      await expect(later!.execute('SELECT 1')).rejects.toThrow();
      const rows = await orm.em.fork().execute('SELECT reference FROM credits');
      expect(rows).toEqual([{ reference: REFERENCE }]);
    });

    it('is answered 503 if a subscriber writes right before COMMIT, after the record of the delivery', async () => {
      const seen: string[] = [];
      let write: (em: EntityManager) => unknown = (em) => em.execute('UPDATE credits SET times = 7');
      orm.em.getEventManager().registerSubscriber({
        beforeTransactionCommit: async ({ em }) => {
          await write(em);
        },
        afterTransactionCommit: () => {
          seen.push('committed');
        },
      });
      handle = add;
      expect(await deliver()).toBe(503);
      write = (em) => em.flush();
      expect(await deliver()).toBe(503);
      expect(await times()).toBe(0);
      expect(seen).toEqual([]);
      write = () => undefined;
      expect(await deliver()).toBe(200);
      expect(await times()).toBe(1);
      expect(seen).toEqual(['committed']);
    });

    it('has an identity map of its own', async () => {
      const seen = new Set<unknown>();
      handle = async (em) => {
        const [one, other] = [
          await em.findOneOrFail<Credits>(CREDITS, { reference: REFERENCE }),
          await em.findOneOrFail<Credits>(CREDITS, { reference: REFERENCE }),
        ];
        expect(one).toBe(other);
        expect(em.global).toBe(false);
        seen.add(one);
        throw new Error('again');
      };
      expect([await deliver(), await deliver()]).toEqual([500, 500]);
      expect(seen.size).toBe(2);
    });

    it('is undone if a fork that keeps the transaction begins another one beside it', async () => {
      handle = async (em) => {
        await add(em);
        const fork = em.fork({ keepTransactionContext: true });
        await fork.transactional(add, { propagation: 'requires_new' }).catch(() => undefined);
      };
      expect(await deliver()).toBe(503);
      expect(await times()).toBe(0);
    });

    it('takes nothing more from a handler before the delivery is recorded', async () => {
      await database.executor.transaction(async ({ handle: lent, close, query }) => {
        await close?.();
        await expect((lent as EntityManager).execute('SELECT 1')).rejects.toThrow('is over');
        expect(await query('SELECT 1 AS one')).toHaveLength(1);
      });
    });

    it('may write in a transaction of its own through a fork', async () => {
      handle = async (em) => {
        await em.fork().transactional(add);
        throw new Error('after the write');
      };
      expect(await deliver()).toBe(500);
      expect(await times()).toBe(1);
    });
  });
});

describe.each(DATABASES)('fromMikroOrm() on %s', (_name, service, open) => {
  describeWith([service], 'with another EntityManager or option', () => {
    let database: MikroDatabase;

    beforeEach(async () => {
      database = await open();
    });
    afterEach(() => database.close());

    it('says which EntityManager it needs to enlist a payment', async () => {
      const { orm, executor } = database;
      expect(() => executor.wrapTransaction(orm.em)).toThrow('open transaction');
      expect(() => executor.wrapTransaction(orm.em.fork())).toThrow('open transaction');
      const ended = await orm.em.fork().transactional((em) => em);
      expect(() => executor.wrapTransaction(ended)).toThrow('open transaction');
      const other = await open();
      await other.orm.em.fork().transactional((em) => {
        expect(() => executor.wrapTransaction(em)).toThrow('another MikroORM');
      });
      await other.close();
    });

    it('says that it needs transactions if MikroORM begins none', async () => {
      const { orm } = await open({ disableTransactions: true });
      await expect(fromMikroOrm(orm).transaction(() => Promise.resolve())).rejects.toThrow(
        'take disableTransactions out',
      );
    });
  });
});
