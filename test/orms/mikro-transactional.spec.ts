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
/** What throws: the handler, or the one after it. */
let failing: 'credited' | 'told' | undefined;

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
    if (failing === 'credited') throw new Error('after the write');
  }

  @OnPayment('payment.success')
  told(): void {
    if (failing === 'told') throw new Error('after the other handler');
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

  async function start(transactional: boolean): Promise<() => Promise<number>> {
    const { executor, schema } = database;
    const storage = sqlStorage({ executor, transactional, ...(schema !== undefined && { schema }) });
    payments = await startPaymentsApp({ ...sandbox.moduleOptions(), storage }, [Accounts]);
    return () => deliverEvent(payments!, sandbox, REFERENCE);
  }

  it.each([false, true])(
    'writes once, in the transaction of the decorator (transactional: %j)',
    async (mode) => {
      const deliver = await start(mode);
      failing = 'credited';
      expect(await deliver()).toBe(500);
      expect(await times(ormOfTest.em.fork())).toBe(0);
      failing = undefined;
      expect([await deliver(), await deliver()]).toEqual([200, 200]);
      expect(await times(ormOfTest.em.fork())).toBe(1);
    },
  );

  it.each([
    [false, 'is remembered, so it does not run again', 1],
    [true, 'committed by itself, and runs again', 2],
  ])('if a later handler throws (transactional: %j), it %s', async (mode, _what, expected) => {
    const deliver = await start(mode);
    failing = 'told';
    expect(await deliver()).toBe(500);
    expect(await times(ormOfTest.em.fork())).toBe(1);
    failing = undefined;
    expect(await deliver()).toBe(200);
    expect(await times(ormOfTest.em.fork())).toBe(expected);
  });
});
