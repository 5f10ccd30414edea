import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { Injectable, Logger } from '@nestjs/common';
import {
  OnPayment,
  type PaymentEventContext,
  type PaymentsStorage,
  type PaymentWebhookEvent,
} from 'nestjs-payments';
import { type PaymentsSandbox } from 'nestjs-payments/sandbox';
import { migrateSqlStorage, type SqlExecutor, sqlStorage } from 'nestjs-payments/sql';
import { Pool } from 'pg';
import { conflictContract } from '../support/conflict-contract.js';
import { deliverEvent } from '../support/deliver-event.js';
import { enlistingHandlerContract } from '../support/enlisting-handler-contract.js';
import { inboxContract } from '../support/inbox-contract.js';
import { type ApplicationTransaction, joinedJournalContract } from '../support/joined-journal-contract.js';
import { journalContract } from '../support/journal-contract.js';
import { openPaymentsDatabase, type PaymentsDatabase } from '../support/payments-database.js';
import { type PaymentsApp, startPaymentsApp } from '../support/payments-app.js';
import { startSandbox } from '../support/sandbox.js';
import { describeWith, postgresService } from '../support/services.js';
import { EXECUTORS, type OpenExecutor, type OrmExecutor } from './executors.js';

const POOL_SIZE = 5;
const REFERENCE = 'order-1';

/** The package's tables, and an ORM on a pool of the application's own. */
interface OrmDatabase extends PaymentsDatabase {
  readonly executor: SqlExecutor;
  /** Begins a transaction of the application. */
  begin(): Promise<ApplicationTransaction>;
}

/** Holds a transaction of a callback open until somebody asks for its end. */
function held({ transaction }: Pick<OpenExecutor, 'transaction'>): Promise<ApplicationTransaction> {
  return new Promise((resolve, reject) => {
    let end: (error?: Error) => void = () => undefined;
    const ended = Promise.resolve(
      transaction(
        (handle) =>
          new Promise<void>((commit, rollback) => {
            end = (error) => {
              if (error) rollback(error);
              else commit();
            };
            resolve({
              handle,
              commit: () => {
                end();
                return ended;
              },
              rollback: () => {
                end(new Error('rolled back'));
                return ended.catch(() => undefined);
              },
            });
          }),
      ),
    );
    ended.catch(reject);
  });
}

async function openOrm({ open }: OrmExecutor, max = 10): Promise<OrmDatabase> {
  const database = await openPaymentsDatabase(postgresService.url);
  // The class of the pg that the ORMs have.
  const pool = new Pool({ ...database.pool.options, application_name: database.schema, max });
  pool.on('error', () => undefined);
  // The end of the spec kills connections that a test has left open: pg tells those who borrowed them, too.
  pool.on('connect', (client) => client.on('error', () => undefined));
  const orm = open(pool);
  return {
    ...database,
    executor: orm.executor,
    begin: () => held(orm),
    close: async () => {
      // Not awaited: a pool waits for connections whose claims a test left open.
      void pool.end();
      await database.pool.query(
        'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1',
        [database.schema],
      );
      await database.close();
    },
  };
}

describeWith([postgresService], 'sqlStorage() on PostgreSQL', () => {
  describe.each(EXECUTORS)('with $name', (orm) => {
    let database: OrmDatabase;
    const storage = (transactional = false): PaymentsStorage =>
      sqlStorage({ executor: database.executor, schema: database.schema, transactional });

    describe('as a plain storage', () => {
      beforeAll(async () => {
        database = await openOrm(orm);
      });
      afterEach(() => database.clear());
      afterAll(() => database.close());

      describe('its inbox', () => {
        inboxContract(() => ({ inbox: storage().inbox, pass: database.pass }));
      });
      describe('its conflicts', () => {
        conflictContract(() => ({ ...storage(), pass: database.pass }));
      });
      describe('its journal', () => {
        journalContract(() => ({ journal: storage().journal, pass: database.pass }));
      });

      describe('its journal inside of a transaction of the application', () => {
        joinedJournalContract(() => ({
          journal: storage().journal,
          pass: database.pass,
          begin: database.begin,
        }));
      });

      it('makes its tables', async () => {
        const schema = `${database.schema} 2`;
        await migrateSqlStorage(database.executor, { schema });
        const { rows } = await database.pool.query('SELECT to_regclass($1) IS NOT NULL AS made', [
          `"${schema}".payments_journal`,
        ]);
        expect(rows).toEqual([{ made: true }]);
        await database.pool.query(`DROP SCHEMA "${schema}" CASCADE`);
      });
    });

    describe('with the transaction of the handlers', () => {
      // Claims that a test leaves open hold their connections.
      beforeEach(async () => {
        database = await openOrm(orm);
      });
      afterEach(() => database.close());

      inboxContract(() => ({ inbox: storage(true).inbox, pass: database.pass }), {
        remembersHandlers: false,
      });
      conflictContract(() => ({ ...storage(true), pass: database.pass }));
      describe('a payment that a handler enlists', () => {
        enlistingHandlerContract(() => storage(true));
      });
    });
  });
});

/** What the handler of a test does. */
let handle: (reference: string, transaction: never) => Promise<unknown>;

@Injectable()
class Accounts {
  @OnPayment('payment.success')
  async paid({ data }: PaymentWebhookEvent, { transaction }: PaymentEventContext<never>): Promise<void> {
    await handle(data.reference, transaction);
  }
}

describeWith([postgresService], 'a handler that writes through context.transaction on PostgreSQL', () => {
  describe.each(EXECUTORS)('with $name', (orm) => {
    const { credit, nested, nestedByHand, besideNested, fail, ends, leaveOpen } = orm;
    let database: OrmDatabase;
    let sandbox: PaymentsSandbox;
    let payments: PaymentsApp;
    const errors = vi.fn<(message: string) => void>();

    beforeEach(async () => {
      errors.mockClear();
      vi.spyOn(Logger.prototype, 'error').mockImplementation(errors);
      database = await openOrm(orm, POOL_SIZE);
      await database.pool.query('CREATE TABLE credits (reference text PRIMARY KEY, times int NOT NULL)');
      sandbox = await startSandbox({ clock: 'manual', seed: 1 });
      const { executor, schema } = database;
      const storage = sqlStorage({ executor, schema, transactional: true });
      payments = await startPaymentsApp({ ...sandbox.moduleOptions(), storage }, [Accounts]);
      await open(REFERENCE);
    });
    afterEach(async () => {
      vi.restoreAllMocks();
      await payments.app.close();
      await database.close();
    });

    const deliver = (reference = REFERENCE): Promise<number> => deliverEvent(payments, sandbox, reference);
    const open = (...references: readonly string[]): Promise<unknown> =>
      database.pool.query('INSERT INTO credits SELECT unnest($1::text[]), 0', [references]);
    async function times(): Promise<readonly number[]> {
      const { rows } = await database.pool.query<{ readonly times: number }>(
        'SELECT times FROM credits ORDER BY reference',
      );
      return rows.map((row) => row.times);
    }

    it.each<[how: string, write: OrmExecutor['credit']]>([
      ['by itself', credit],
      ['in a nested transaction', (transaction, reference) => nested(transaction, reference)],
    ])('counts once what it writes %s, though it throws after its write at first', async (_how, write) => {
      handle = async (reference, transaction) => {
        await write(transaction, reference);
        throw new Error('after the write');
      };
      expect([await deliver(), await deliver()]).toEqual([500, 500]);
      expect(await times()).toEqual([0]);
      handle = (reference, transaction) => write(transaction, reference);
      expect([await deliver(), await deliver()]).toEqual([200, 200]);
      expect(await times()).toEqual([1]);
    });

    it('undoes a nested transaction that fails, and nothing else', async () => {
      handle = async (reference, transaction) => {
        await credit(transaction, reference);
        const failing = nested(transaction, reference, () => Promise.reject(new Error('no')));
        await expect(failing).rejects.toThrow('no');
        await credit(transaction, reference);
      };
      expect(await deliver()).toBe(200);
      expect(await times()).toEqual([2]);
    });

    it('keeps what nested transactions write one after the other, inside of another one, and by hand', async () => {
      handle = async (reference, transaction) => {
        await nested(transaction, reference, async (inner) => {
          const failing = nested(inner, reference, () => Promise.reject(new Error('no')));
          await expect(failing).rejects.toThrow('no');
          await credit(inner, reference);
          // Also through the handle outside of it.
          await credit(transaction, reference);
        });
        await nested(transaction, reference);
        await nestedByHand?.(transaction, reference);
      };
      expect(await deliver()).toBe(200);
      expect(await times()).toEqual([nestedByHand ? 5 : 4]);
    });

    it.skipIf(!besideNested)('commits nothing if it writes beside an open nested transaction', async () => {
      handle = async (reference, transaction) => {
        let fails: () => void = () => undefined;
        const failing = new Promise<never>((_, reject) => {
          fails = () => {
            reject(new Error('the optional part fails'));
          };
        });
        let optional: Promise<unknown> = Promise.resolve();
        await new Promise<void>((resolve) => {
          optional = nested(transaction, reference, () => {
            resolve();
            return failing;
          });
        });
        // Even if the handler hides the error.
        const refused = await credit(transaction, reference).catch((error: unknown) => error);
        expect(String((refused as Error).cause ?? refused)).toContain('await the nested transaction first');
        fails();
        await expect(optional).rejects.toThrow('the optional part fails');
      };
      expect(await deliver()).toBe(503);
      expect(errors.mock.calls.join()).toContain('await the nested transaction first');
      expect(await times()).toEqual([0]);
      handle = (reference, transaction) => credit(transaction, reference);
      expect(await deliver()).toBe(200);
      expect(await times()).toEqual([1]);
    });

    it.skipIf(!besideNested)(
      'loses no write of a nested transaction beside another one that fails',
      async () => {
        handle = async (reference, transaction) => {
          let isOpen: () => void = () => undefined;
          const opened = new Promise<void>((resolve) => (isOpen = resolve));
          let fails: () => void = () => undefined;
          const failing = new Promise<never>((_, reject) => {
            fails = () => {
              reject(new Error('no'));
            };
          });
          const first = nested(transaction, reference, () => {
            isOpen();
            return failing;
          });
          await opened;
          const second = nested(transaction, reference);
          // The second one has asked for its savepoint by then.
          await Promise.all([
            database.pool.query('SELECT 1'),
            besideNested === 'is refused' && second.catch(() => 0),
          ]);
          fails();
          const how = (await Promise.allSettled([first, second])).map(({ status }) => status);
          expect(how).toEqual(['rejected', besideNested === 'waits' ? 'fulfilled' : 'rejected']);
        };
        expect(await deliver()).toBe(besideNested === 'waits' ? 200 : 503);
        expect(await times()).toEqual([besideNested === 'waits' ? 1 : 0]);
      },
    );

    it('answers a burst of three times the size of the pool with 200, each counted once', async () => {
      const references = Array.from({ length: 3 * POOL_SIZE }, (_, index) => `burst-${index}`);
      await open(...references);
      handle = (reference, transaction) => credit(transaction, reference);
      const answers = await Promise.all(references.map((reference) => deliver(reference)));
      expect(new Set(answers)).toEqual(new Set([200]));
      expect(errors.mock.calls).toEqual([]);
      expect(await times()).toEqual([...references.map(() => 1), 0]);
    });

    it('commits nothing if it hides the error of a statement', async () => {
      handle = async (reference, transaction) => {
        await credit(transaction, reference);
        await fail(transaction).catch(() => undefined);
      };
      expect(await deliver()).toBe(503);
      expect(errors.mock.calls.join()).toContain('25P02');
      handle = (reference, transaction) => credit(transaction, reference);
      expect(await deliver()).toBe(200);
      expect(await times()).toEqual([1]);
    });

    it.each(ends)('cannot end the transaction by %s', async (_what, end) => {
      handle = async (reference, transaction) => {
        await credit(transaction, reference);
        // Even if the handler hides the error.
        const refused = await end(transaction).catch((error: unknown) => error);
        expect(String((refused as Error).cause ?? refused)).toContain('out of the handler');
      };
      for (let delivery = 0; delivery <= POOL_SIZE; delivery += 1) expect(await deliver()).toBe(503);
      expect(errors.mock.calls.join()).toContain('out of the handler');
      expect(await times()).toEqual([0]);
      handle = (reference, transaction) => credit(transaction, reference);
      for (let delivery = 0; delivery <= POOL_SIZE; delivery += 1) expect(await deliver()).toBe(200);
      expect(await times()).toEqual([1]);
    });

    it.skipIf(!leaveOpen)('commits nothing if it leaves a nested transaction open', async () => {
      handle = async (reference, transaction) => {
        await credit(transaction, reference);
        leaveOpen?.(transaction);
        // The savepoint is made before this statement, or it is refused.
        await credit(transaction, reference).catch(() => undefined);
      };
      for (let delivery = 0; delivery <= POOL_SIZE; delivery += 1) expect(await deliver()).toBe(503);
      expect(await times()).toEqual([0]);
      handle = (reference, transaction) => credit(transaction, reference);
      expect(await deliver()).toBe(200);
      expect(await times()).toEqual([1]);
    });

    it.each([
      ['it succeeds', false, 200],
      ['it throws', true, 500],
    ])('leaves no work behind that writes later if %s', async (_how, fails, status) => {
      let refusal: Promise<unknown> = Promise.resolve();
      handle = (reference, transaction) => {
        // One statement after the other, until one is refused: none may come between the end and the release.
        const goOn = async (): Promise<never> => {
          for (;;) await credit(transaction, reference);
        };
        refusal = goOn().catch((error: unknown) => String((error as Error).cause ?? error));
        return fails ? Promise.reject(new Error('no')) : Promise.resolve();
      };
      expect(await deliver()).toBe(status);
      expect(await refusal).toMatch(/is over|already complete/);
      const after = await times();
      if (fails) expect(after).toEqual([0]);
      handle = () => Promise.resolve();
      expect(await deliver()).toBe(200);
      expect(await times()).toEqual(after);
    });
  });
});
