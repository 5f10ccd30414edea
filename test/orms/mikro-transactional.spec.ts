import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type EntityManager, type MikroORM, Transactional } from '@mikro-orm/core';
import { Injectable, Logger } from '@nestjs/common';
import { OnPayment } from 'nestjs-payments';
import { type PaymentsSandbox } from 'nestjs-payments/sandbox';
import { sqlStorage } from 'nestjs-payments/sql';
import { deliverEvent } from '../support/deliver-event.js';
import { type PaymentsApp, startPaymentsApp } from '../support/payments-app.js';
import { startSandbox } from '../support/sandbox.js';
import { describeWith, postgresService } from '../support/services.js';
import { CREDITS, type Credits } from './mikro-executor.js';
import { type MikroDatabase, openMikroOnPostgres } from './mikro-database.js';

const REFERENCE = 'order-1';

let ormOfTest: MikroORM;
let fails = false;

@Injectable()
class Accounts {
  /** Where the decorator looks. */
  readonly orm = ormOfTest;

  // It puts another function in place of the method, and copies no metadata.
  @Transactional()
  @OnPayment('payment.success')
  async credited(): Promise<void> {
    const { em } = this.orm;
    expect(em.isInTransaction()).toBe(true);
    const account = await em.findOneOrFail<Credits>(CREDITS, { reference: REFERENCE });
    account.times += 1;
    // The decorator flushes the rest at its end.
    await em.flush();
    if (fails) throw new Error('after the write');
  }
}

describeWith([postgresService], 'a handler below @Transactional() of MikroORM', () => {
  let database: MikroDatabase;
  let sandbox: PaymentsSandbox;
  let payments: PaymentsApp | undefined;

  beforeEach(async () => {
    vi.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
    database = await openMikroOnPostgres();
    ormOfTest = database.orm;
    const em = ormOfTest.em.fork();
    await em.execute('CREATE TABLE credits (reference VARCHAR(64) PRIMARY KEY, times INT NOT NULL)');
    await em.execute("INSERT INTO credits VALUES ('order-1', 0)");
    sandbox = await startSandbox({ clock: 'manual', seed: 1 });
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await payments?.app.close();
    await database.close();
  });

  const times = async (em: EntityManager): Promise<number> =>
    (await em.findOneOrFail<Credits>(CREDITS, { reference: REFERENCE })).times;

  it.each(['a transaction of its own', 'the transaction of the delivery'])(
    'writes once in %s',
    async (where) => {
      const { executor, schema } = database;
      const transactional = where === 'the transaction of the delivery';
      const storage = sqlStorage({ executor, transactional, ...(schema !== undefined && { schema }) });
      payments = await startPaymentsApp({ ...sandbox.moduleOptions(), storage }, [Accounts]);
      const deliver = (): Promise<number> => deliverEvent(payments!, sandbox, REFERENCE);
      fails = true;
      expect(await deliver()).toBe(500);
      expect(await times(ormOfTest.em.fork())).toBe(0);
      fails = false;
      expect([await deliver(), await deliver()]).toEqual([200, 200]);
      expect(await times(ormOfTest.em.fork())).toBe(1);
    },
  );
});
