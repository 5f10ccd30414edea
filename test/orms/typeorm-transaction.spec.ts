import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Injectable, Logger } from '@nestjs/common';
import { OnPayment, type PaymentEventContext, type PaymentWebhookEvent } from 'nestjs-payments';
import { type PaymentsSandbox } from 'nestjs-payments/sandbox';
import { sqlStorage } from 'nestjs-payments/sql';
import { fromTypeOrm } from 'nestjs-payments/typeorm';
import { type EntityManager } from 'typeorm';
import { type PaymentsApp, startPaymentsApp } from '../support/payments-app.js';
import { startSandbox } from '../support/sandbox.js';
import { deliverEvent } from '../support/deliver-event.js';
import { describeWith, postgresService } from '../support/services.js';
import { openTypeOrm, type TypeOrmDatabase, TYPEORMS } from './typeorm-database.js';

const POOL_SIZE = 5;
const REFERENCE = 'order-1';

/** What the handler of a test does. */
let handle: (reference: string, manager: EntityManager) => Promise<unknown>;

@Injectable()
class Accounts {
  @OnPayment('payment.success')
  async paid(
    { data }: PaymentWebhookEvent,
    { transaction }: PaymentEventContext<EntityManager>,
  ): Promise<void> {
    await handle(data.reference, transaction);
  }
}

describeWith([postgresService], "a handler that writes with TypeORM's EntityManager on PostgreSQL", () => {
  describe.each(TYPEORMS)('of TypeORM %s', (_version, packed) => {
    const credits = new packed.EntitySchema({
      name: 'credits',
      columns: { reference: { type: 'text', primary: true }, times: { type: 'int' } },
    });
    let database: TypeOrmDatabase;
    let sandbox: PaymentsSandbox;
    let payments: PaymentsApp;
    const errors = vi.fn<(message: string) => void>();

    beforeEach(async () => {
      errors.mockClear();
      vi.spyOn(Logger.prototype, 'error').mockImplementation(errors);
      database = await openTypeOrm(packed, [credits], POOL_SIZE);
      await database.pool.query('CREATE TABLE credits (reference text PRIMARY KEY, times int NOT NULL)');
      sandbox = await startSandbox({ clock: 'manual', seed: 1 });
      const executor = fromTypeOrm(database.dataSource);
      const storage = sqlStorage({ executor, schema: database.schema, transactional: true });
      payments = await startPaymentsApp({ ...sandbox.moduleOptions(), storage }, [Accounts]);
    });
    afterEach(async () => {
      vi.restoreAllMocks();
      await payments.app.close();
      await database.close();
    });

    const deliver = (reference = REFERENCE): Promise<number> => deliverEvent(payments, sandbox, reference);
    const credit = (manager: EntityManager, reference = REFERENCE): Promise<unknown> =>
      manager.increment(credits, { reference }, 'times', 1);
    const open = (...references: readonly string[]): Promise<unknown> =>
      database.pool.query('INSERT INTO credits SELECT unnest($1::text[]), 0', [references]);
    async function times(): Promise<readonly number[]> {
      const { rows } = await database.pool.query<{ readonly times: number }>('SELECT times FROM credits');
      return rows.map((row) => row.times);
    }

    it.each<[how: string, write: (reference: string, manager: EntityManager) => Promise<unknown>]>([
      ['by itself', (reference, manager) => credit(manager, reference)],
      [
        'in a transaction of its own',
        (reference, manager) => manager.transaction((nested) => credit(nested, reference)),
      ],
    ])('counts once what it writes %s, though it throws after its write at first', async (_how, write) => {
      await open(REFERENCE);
      handle = async (reference, manager) => {
        await write(reference, manager);
        throw new Error('after the write');
      };
      expect([await deliver(), await deliver()]).toEqual([500, 500]);
      expect(await times()).toEqual([0]);
      handle = write;
      expect([await deliver(), await deliver()]).toEqual([200, 200]);
      expect(await times()).toEqual([1]);
    });

    it('undoes a nested transaction that fails, and nothing else', async () => {
      await open(REFERENCE);
      handle = async (_, manager) => {
        await credit(manager);
        const failing = manager.transaction(async (nested) => {
          await credit(nested);
          throw new Error('no');
        });
        await expect(failing).rejects.toThrow('no');
        await credit(manager);
      };
      expect(await deliver()).toBe(200);
      expect(await times()).toEqual([2]);
    });

    it('answers a burst of three times the size of the pool with 200, each counted once', async () => {
      const references = Array.from({ length: 3 * POOL_SIZE }, (_, index) => `burst-${index}`);
      await open(...references);
      handle = (reference, manager) => credit(manager, reference);
      const answers = await Promise.all(references.map((reference) => deliver(reference)));
      expect(new Set(answers)).toEqual(new Set([200]));
      expect(errors.mock.calls).toEqual([]);
      expect(await times()).toEqual(references.map(() => 1));
    });

    it('commits nothing if it hides the error of a statement', async () => {
      await open(REFERENCE);
      handle = async (_, manager) => {
        await credit(manager);
        await manager.query('SELECT 1 / 0').catch(() => undefined);
      };
      expect(await deliver()).toBe(503);
      expect(errors.mock.calls.join()).toContain('25P02');
      handle = (_, manager) => credit(manager);
      expect(await deliver()).toBe(200);
      expect(await times()).toEqual([1]);
    });

    it.each<[what: string, end: (manager: EntityManager) => Promise<unknown>]>([
      ['COMMIT', (manager) => manager.query('COMMIT')],
      ['ROLLBACK', (manager) => manager.query('/* all */ ROLLBACK')],
      ['COMMIT after another statement', (manager) => manager.query('SELECT 1; COMMIT')],
      ['commitTransaction()', (manager) => manager.queryRunner!.commitTransaction()],
      ['release()', (manager) => manager.queryRunner!.release()],
    ])('cannot end the transaction by %s', async (_what, end) => {
      await open(REFERENCE);
      handle = async (_, manager) => {
        await credit(manager);
        // Even if the handler hides the error.
        await expect(end(manager)).rejects.toThrow('out of the handler');
      };
      expect([await deliver(), await deliver()]).toEqual([503, 503]);
      expect(errors.mock.calls.join()).toContain('out of the handler');
      expect(await times()).toEqual([0]);
    });

    it('commits nothing if it leaves a nested transaction open, and its connection serves the next one', async () => {
      await open(REFERENCE);
      handle = async (_, manager) => {
        await credit(manager);
        await manager.queryRunner!.startTransaction();
      };
      for (let delivery = 0; delivery <= POOL_SIZE; delivery += 1) expect(await deliver()).toBe(503);
      expect(await times()).toEqual([0]);
      handle = (_, manager) => credit(manager);
      expect(await deliver()).toBe(200);
      expect(await times()).toEqual([1]);
    });

    it.each([
      ['it succeeds', false, 200],
      ['it throws', true, 500],
    ])('leaves no work behind that writes later if %s', async (_how, fails, status) => {
      await open(REFERENCE);
      let refusal: Promise<unknown> = Promise.resolve();
      handle = (_, manager) => {
        // One statement after the other, until one is refused: none may come between the end and the release.
        const goOn = async (): Promise<never> => {
          for (;;) await credit(manager);
        };
        refusal = goOn().catch(String);
        return fails ? Promise.reject(new Error('no')) : Promise.resolve();
      };
      expect(await deliver()).toBe(status);
      expect(await refusal).toContain('is over');
      const after = await times();
      if (fails) expect(after).toEqual([0]);
      handle = () => Promise.resolve();
      expect(await deliver()).toBe(200);
      expect(await times()).toEqual(after);
    });
  });
});
