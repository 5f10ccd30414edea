import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type JournalStore } from 'nestjs-payments';
import { type SqlExecutor, sqlStorage } from 'nestjs-payments/sql';
import { journalRecord } from '../support/journal-contract.js';
import { openPaymentsDatabase, type PaymentsDatabase } from '../support/payments-database.js';
import { describeWith, postgresService } from '../support/services.js';
import { EXECUTORS, type OpenExecutor } from './executors.js';

const planned = journalRecord('order-1', { state: 'planned' });

/** Runs something right before the first statement of the journal that matches. */
function before(executor: SqlExecutor, pattern: RegExp, then: (handle: never) => unknown): SqlExecutor {
  let isDone = false;
  return {
    ...executor,
    wrapTransaction: (handle) => {
      const joined = executor.wrapTransaction(handle);
      const first = async (text: string): Promise<void> => {
        if (isDone || !pattern.test(text)) return;
        isDone = true;
        await then(handle as never);
      };
      return {
        ...joined,
        query: async (text, params) => {
          await first(text);
          return joined.query(text, params);
        },
        execute: async (text, params) => {
          await first(text);
          return joined.execute(text, params);
        },
      };
    },
  };
}

describeWith([postgresService], 'a payment that is enlisted in a transaction that ends meanwhile', () => {
  describe.each(EXECUTORS)('with $name', ({ open, end }) => {
    let database: PaymentsDatabase;
    let orm: OpenExecutor;

    beforeEach(async () => {
      database = await openPaymentsDatabase(postgresService.url);
      orm = open(database.pool);
    });
    afterEach(() => database.close());

    const journalOf = (executor = orm.executor): JournalStore =>
      sqlStorage({ executor, schema: database.schema }).journal;

    it.each([
      ['the check', /strpos/, 'No transaction is open'],
      ['the write', /INSERT/, 'The transaction ended before the payment was written in it'],
    ])('is not written if the rollback comes right before %s', async (_, pattern, message) => {
      let outcome: string | undefined;
      const { within } = journalOf(before(orm.executor, pattern, (handle) => end(handle, 'ROLLBACK')));
      const work = orm.transaction(async (handle) => {
        outcome = await within?.(handle)
          .then((joined) => joined.insert(planned, 0))
          .then(() => 'written', String);
      });
      await Promise.resolve(work).catch(() => undefined);
      expect(outcome).toContain(message);
      expect(await journalOf().get(planned)).toBeUndefined();
    });

    it('is refused when the transaction has ended', async () => {
      let kept: unknown;
      await orm.transaction((handle) => {
        kept = handle;
        return Promise.resolve();
      });
      const { within } = journalOf();
      const outcome = await database.pool.connect().then(async (client) => {
        // The connection is in a transaction of somebody else.
        await client.query('BEGIN');
        try {
          return await within?.(kept)
            .then((joined) => joined.insert(planned, 0))
            .then(() => 'written', String);
        } finally {
          await client.query('COMMIT');
          client.release();
        }
      });
      expect(outcome).not.toBe('written');
      expect(await journalOf().get(planned)).toBeUndefined();
    });
  });
});
