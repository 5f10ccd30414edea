import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { migrateSqlStorage } from 'nestjs-payments/sql';
import { describeWith } from '../support/services.js';
import { handlerCases, POOL_SIZE } from './handler-cases.js';
import { EXECUTORS } from './executors.js';
import { ON_MARIADB, ON_POSTGRES, type OrmDatabase, ORM_SERVERS } from './orm-database.js';

for (const { name, service, open, openWay } of ORM_SERVERS) {
  describeWith([service], `an executor on ${name}`, () => {
    it.each(EXECUTORS)('says how large the pool of the application is: $name', async (orm) => {
      const { executor, close } = await open(orm, POOL_SIZE);
      expect(executor.poolSize).toBe(POOL_SIZE);
      await close();
    });
  });

  describeWith([service], `a handler that writes through context.transaction on ${name}`, () => {
    describe.each(EXECUTORS)('with $name', (orm) => {
      handlerCases(() => openWay(orm, POOL_SIZE), orm.endings);
    });
  });
}

describeWith([ON_POSTGRES.service], 'migrateSqlStorage() on PostgreSQL', () => {
  it.each(EXECUTORS)('makes the tables in a schema of their own with $name', async (orm) => {
    const { executor, schema, close } = await ON_POSTGRES.open(orm);
    const other = `${schema!} 2`;
    await migrateSqlStorage(executor, { schema: other });
    const made = await executor.query('SELECT to_regclass($1) IS NOT NULL AS made', [
      `"${other}".payments_journal`,
    ]);
    expect(made).toEqual([{ made: true }]);
    await executor.execute(`DROP SCHEMA "${other}" CASCADE`);
    await close();
  });
});

describeWith([ON_MARIADB.service], 'a connection to MariaDB after the transaction of a handler', () => {
  describe.each(EXECUTORS)('with $name', (orm) => {
    let database: OrmDatabase;

    beforeEach(async () => {
      database = await ON_MARIADB.open(orm, 1);
    });
    afterEach(() => database.close());

    // Texts, because drivers differ in how they read numbers.
    const STATE =
      'SELECT CONCAT(@@autocommit, @@tx_read_only) AS settings, CAST(CONNECTION_ID() AS CHAR) AS id';
    /** It commits every statement at once, and writes. */
    const USUAL = [{ settings: 'ONOFF' }];
    const state = (): Promise<readonly object[]> => database.executor.query(STATE);

    it.each([
      ['commits', undefined],
      ['fails', new Error('no')],
    ])('commits every statement at once again if it %s', async (_how, error) => {
      const before = await state();
      expect(before).toMatchObject(USUAL);
      let during: readonly object[] = [];
      const ended = database.executor.transaction(async ({ query }) => {
        during = await query(STATE);
        if (error) throw error;
      });
      await (error ? expect(ended).rejects.toThrow(error) : ended);
      // A deadlock would end the transaction: nothing after it may be committed at once.
      expect(during).not.toMatchObject(USUAL);
      expect(await state()).toEqual(before);
    });

    it('is replaced if nobody knows whether COMMIT was done', async () => {
      const [before] = await state();
      const ended = database.executor.transaction(async ({ query, handle, close }) => {
        await orm.send(handle as object, 'SELECT 1');
        await close?.();
        // As the server does when it stops.
        await query('KILL CONNECTION_ID()').catch(() => undefined);
      });
      await expect(ended).rejects.toThrow();
      await expect.poll(() => state().catch(() => []), { timeout: 10_000 }).toMatchObject(USUAL);
      expect(await state()).not.toEqual([before]);
    });
  });
});
