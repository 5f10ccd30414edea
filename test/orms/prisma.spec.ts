import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Client } from '#prisma';
import { Injectable, Logger } from '@nestjs/common';
import { OnPayment, type PaymentEventContext, type PaymentWebhookEvent } from 'nestjs-payments';
import { fromPrisma } from 'nestjs-payments/prisma';
import { type PaymentsSandbox } from 'nestjs-payments/sandbox';
import { type SqlExecutor, sqlStorage } from 'nestjs-payments/sql';
import { deliverEvent } from '../support/deliver-event.js';
import { enlistingHandlerContract } from '../support/enlisting-handler-contract.js';
import { journalRecord } from '../support/journal-contract.js';
import { type PaymentsApp, startPaymentsApp } from '../support/payments-app.js';
import { startSandbox } from '../support/sandbox.js';
import { describeWith, mysqlService, postgresService } from '../support/services.js';
import { openPrisma, openPrismaOnMysql, type PrismaOnPostgres } from './prisma-way.js';

const REFERENCE = 'order-1';
const OTHER_CONNECTION = 'on another connection';

function credit(tx: Client): Promise<unknown> {
  return tx.credit.update({ where: { reference: REFERENCE }, data: { times: { increment: 1 } } });
}

describeWith([postgresService], 'a handler with the client of a transaction of Prisma', () => {
  let database: PrismaOnPostgres;
  let sandbox: PaymentsSandbox;
  let payments: PaymentsApp;
  const errors = vi.fn<(message: string) => void>();
  /** What the handler of a test does. */
  let handle: (tx: Client) => Promise<unknown>;

  @Injectable()
  class Accounts {
    @OnPayment('payment.success')
    async paid(_event: PaymentWebhookEvent, { transaction }: PaymentEventContext<Client>): Promise<void> {
      await handle(transaction);
    }
  }

  async function start(executor: SqlExecutor): Promise<void> {
    const { schema } = database;
    const storage = sqlStorage({ executor, schema, transactional: true });
    payments = await startPaymentsApp({ ...sandbox.moduleOptions(), storage }, [Accounts]);
  }

  beforeEach(async () => {
    errors.mockClear();
    vi.spyOn(Logger.prototype, 'error').mockImplementation(errors);
    database = await openPrisma(2);
    await database.pool.query(`CREATE TABLE credits (reference text PRIMARY KEY, times int NOT NULL);
      INSERT INTO credits VALUES ('${REFERENCE}', 0)`);
    sandbox = await startSandbox({ clock: 'manual', seed: 1 });
    await start(database.executor);
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await payments.app.close();
    await database.close();
  });

  const deliver = (): Promise<number> => deliverEvent(payments, sandbox, REFERENCE);
  async function times(): Promise<number | undefined> {
    const { rows } = await database.pool.query<{ readonly times: number }>('SELECT times FROM credits');
    return rows[0]?.times;
  }

  it.each<[what: string, send: (tx: Client) => Promise<unknown>]>([
    ['of its own', (tx) => tx.$transaction([credit(tx)])],
    ['of the injected client', (tx) => database.prisma.$transaction([credit(tx)])],
    [
      'of the injected client, beside calls of that one',
      (tx) => database.prisma.$transaction([database.prisma.effect.create({ data: {} }), credit(tx)]),
    ],
    ['of SQL', (tx) => database.prisma.$transaction([tx.$executeRaw`UPDATE credits SET times = 9`])],
  ])('commits nothing if it puts its calls into an array %s, which runs elsewhere', async (_what, send) => {
    handle = async (tx) => {
      await credit(tx);
      await expect(send(tx)).rejects.toThrow(OTHER_CONNECTION);
    };
    expect(await deliver()).toBe(503);
    expect(errors.mock.calls.join()).toContain(OTHER_CONNECTION);
    expect(await times()).toBe(0);
    handle = credit;
    expect(await deliver()).toBe(200);
    expect(await times()).toBe(1);
  });

  it('does not hold what the injected client writes, alone or in an array', async () => {
    handle = async () => {
      await credit(database.prisma);
      await database.prisma.$transaction([credit(database.prisma)]);
      throw new Error('after the writes');
    };
    expect(await deliver()).toBe(500);
    expect(await times()).toBe(2);
  });

  it('may take longer than Prisma gives to other transactions', async () => {
    handle = async (tx) => {
      await tx.$queryRaw`SELECT pg_sleep(0.05)::text`;
      await credit(tx);
    };
    expect(await deliver()).toBe(200);
    expect(await times()).toBe(1);
  });

  it('commits nothing if Prisma itself ends the transaction', async () => {
    handle = async (tx) => {
      await credit(tx);
      await database.prisma.$disconnect();
      await expect(credit(tx)).rejects.toMatchObject({ code: 'P2028' });
    };
    expect(await deliver()).toBe(503);
    expect(await times()).toBe(0);
    handle = credit;
    expect(await deliver()).toBe(200);
    expect(await times()).toBe(1);
  });

  it('commits nothing if its connection is lost at COMMIT', async () => {
    await database.pool.query(`CREATE FUNCTION lose() RETURNS trigger LANGUAGE plpgsql
        AS 'BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END';
      CREATE CONSTRAINT TRIGGER lost AFTER UPDATE ON credits DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION lose()`);
    handle = credit;
    expect(await deliver()).toBe(503);
    expect(await times()).toBe(0);
    await database.pool.query('DROP TRIGGER lost ON credits');
    // Prisma gives the lost connection back, and the next statement may have met it: then the lease has to end.
    await database.pass(24 * 3_600_000);
    expect(await deliver()).toBe(200);
    expect(await times()).toBe(1);
  });

  it('commits nothing if a constraint fails at COMMIT, and says which code', async () => {
    await database.pool.query('ALTER TABLE credits ADD UNIQUE (times) DEFERRABLE INITIALLY DEFERRED');
    handle = async (tx) => {
      await credit(tx);
      await tx.credit.create({ data: { reference: 'order-2', times: 1 } });
    };
    expect(await deliver()).toBe(503);
    expect(errors.mock.calls.join()).toContain('23505');
    expect(await times()).toBe(0);
  });

  it('has the extensions of the application, whose calls are guarded too', async () => {
    interface Extended extends Client {
      readonly credit: Client['credit'] & { commit(): Promise<unknown>; add(): Promise<unknown> };
    }
    const calls: string[] = [];
    const extended = database.prisma.$extends({
      query: {
        $allOperations: ({
          operation,
          args,
          query,
        }: {
          operation: string;
          args: unknown;
          query(args: unknown): unknown;
        }) => {
          calls.push(operation);
          return query(args);
        },
      },
      model: {
        credit: {
          add(this: { readonly update: Client['credit']['update'] }) {
            return this.update({ where: { reference: REFERENCE }, data: { times: { increment: 1 } } });
          },
          commit(this: { readonly $parent: Client }) {
            return this.$parent.$executeRawUnsafe('COMMIT');
          },
        },
      },
    });
    await payments.app.close();
    await start(fromPrisma(extended));
    handle = (tx) => (tx as Extended).credit.add();
    expect(await deliver()).toBe(200);
    expect(await times()).toBe(1);
    expect(calls).toContain('update');
    sandbox = await startSandbox({ clock: 'manual', seed: 2 });
    await payments.app.close();
    await start(fromPrisma(extended));
    handle = async (tx) => {
      await (tx as Extended).credit.add();
      await expect((tx as Extended).credit.commit()).rejects.toThrow('out of the handler');
    };
    expect(await deliverEvent(payments, sandbox, 'order-2')).toBe(503);
    expect(await times()).toBe(1);
  });

  it('sends what the package writes outside of transactions past the extensions of the application', async () => {
    const replica = (): never => {
      throw new Error('a replica');
    };
    const extended = database.prisma.$extends({ query: { $allOperations: replica } });
    const { journal } = sqlStorage({ executor: fromPrisma(extended), schema: database.schema });
    expect(await journal.insert(journalRecord(REFERENCE), 0)).toMatchObject({ inserted: true });
  });

  describe('that enlists a payment', () => {
    enlistingHandlerContract(() => {
      const { executor, schema } = database;
      return sqlStorage({ executor, schema, transactional: true });
    });
  });

  it('says when a payment is enlisted in a transaction that has ended', async () => {
    const { executor, schema, prisma } = database;
    const { journal } = sqlStorage({ executor, schema });
    const planned = journalRecord(REFERENCE, { state: 'planned' });
    let kept: Client | undefined;
    const joined = await prisma.$transaction(
      async (tx) => {
        kept = tx;
        return journal.within?.(tx);
      },
      { maxWait: 30_000, timeout: 30_000 },
    );
    const says = { name: 'PaymentsConfigError', message: expect.stringContaining('has ended') as unknown };
    await expect(journal.within?.(kept)).rejects.toMatchObject(says);
    await expect(joined?.insert(planned, 0)).rejects.toMatchObject(says);
    expect(await journal.get(planned)).toBeUndefined();
  });
});

describeWith([mysqlService], 'a transaction of Prisma on MariaDB', () => {
  it('rejects what Prisma drops because another call of the same tick failed', async () => {
    const { executor, close } = await openPrismaOnMysql(1);
    await executor.execute('CREATE TABLE credits (reference VARCHAR(64) PRIMARY KEY, times INT NOT NULL)');
    await executor.execute("INSERT INTO credits VALUES ('order-1', 0)");
    const answers = await executor.transaction(({ handle }) => {
      const tx = handle as Client;
      return Promise.allSettled([tx.$executeRaw`SELECT nothing`, credit(tx)]);
    });
    expect(answers).toMatchObject([
      { status: 'rejected', reason: { code: 'P2010' } },
      {
        status: 'rejected',
        reason: { message: expect.stringContaining('Prisma did not run this') as unknown },
      },
    ]);
    expect(await executor.query('SELECT times FROM credits')).toEqual([{ times: 0 }]);
    await close();
  });
});
