import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type JournalStore } from 'nestjs-payments';
import { type SqlDialect, type SqlExecutor, sqlStorage } from 'nestjs-payments/sql';
import { journalRecord } from '../support/journal-contract.js';
import { describeWith } from '../support/services.js';
import { EXECUTORS } from './executors.js';
import { type OrmDatabase, ORM_SERVERS } from './orm-database.js';

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

/** What the journal sends first in a transaction of the application. */
const CHECKS: Readonly<Record<SqlDialect, RegExp>> = { postgres: /strpos/, mysql: /^SAVEPOINT/ };

for (const { name, service, open } of ORM_SERVERS) {
  describeWith(
    [service],
    `a payment that is enlisted in a transaction that ends meanwhile on ${name}`,
    () => {
      describe.each(EXECUTORS)('with $name', (orm) => {
        let database: OrmDatabase;

        beforeEach(async () => {
          database = await open(orm);
        });
        afterEach(() => database.close());

        const journalOf = (executor = database.executor): JournalStore => {
          const { schema } = database;
          return sqlStorage({ executor, ...(schema !== undefined && { schema }) }).journal;
        };

        it.each([
          ['the check', undefined, 'No transaction is open'],
          ['the write', /INSERT/, 'The transaction ended before the payment was written in it'],
        ])('is not written if the rollback comes right before %s', async (_, write, message) => {
          let outcome: string | undefined;
          const { executor, transaction } = database;
          const pattern = write ?? CHECKS[executor.dialect];
          const ending = before(executor, pattern, (handle) => orm.send(handle, 'ROLLBACK'));
          const { within } = journalOf(ending);
          const work = transaction(async (handle) => {
            outcome = await within?.(handle)
              .then((joined) => joined.insert(planned, 0))
              .then(() => 'written', String);
          });
          await Promise.resolve(work).catch(() => undefined);
          expect(outcome).toContain(message);
          expect(await journalOf().get(planned)).toBeUndefined();
        });

        it('is refused when the transaction has ended, though its connection is in another one', async () => {
          let kept: unknown;
          await database.transaction((handle) => {
            kept = handle;
            return Promise.resolve();
          });
          const { within } = journalOf();
          let outcome: string | undefined;
          // Every connection that was used is in a transaction of somebody else.
          await database.transaction(
            () =>
              database.transaction(async () => {
                outcome = await within?.(kept)
                  .then((joined) => joined.insert(planned, 0))
                  .then(() => 'written', String);
              }) as Promise<void>,
          );
          expect(outcome).toMatch(/PaymentsConfigError: .*(?:an open transaction|has ended)/);
          expect(await journalOf().get(planned)).toBeUndefined();
        });
      });
    },
  );
}
