import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Transaction } from 'sequelize';
import { describeWith } from '../support/services.js';
import { type HandlerWay } from './handler-cases.js';
import { ORM_SERVERS } from './orm-database.js';
import { SEQUELIZE } from './sequelize-executor.js';

for (const { name, service, openWay } of ORM_SERVERS) {
  describeWith([service], `findOrCreate of Sequelize in a handler on ${name}`, () => {
    let way: HandlerWay<object>;

    beforeEach(async () => {
      way = await openWay(SEQUELIZE as never, 2);
    });
    afterEach(() => way.close());

    const creditsOf = ({ sequelize }: Transaction) => sequelize.models['credits']!;
    const findOrCreate = async (transaction: Transaction, reference: string): Promise<boolean> => {
      const [, isNew] = await creditsOf(transaction).findOrCreate({
        where: { reference },
        defaults: { times: 1 },
        transaction,
      });
      return isNew;
    };
    const run = <T>(work: (transaction: Transaction) => Promise<T>): Promise<T> =>
      way.executor.transaction(({ handle }) => work(handle as Transaction));

    it('creates a row and finds it, and what is written around it and beside it is committed with it', async () => {
      const found = await run(async (transaction) => [
        await findOrCreate(transaction, 'first'),
        await findOrCreate(transaction, 'first'),
        await SEQUELIZE.credit(transaction, 'first'),
        ...(await Promise.all(['second', 'third'].map((one) => findOrCreate(transaction, one)))),
      ]);
      expect(found.filter((one) => typeof one === 'boolean')).toEqual([true, false, true, true]);
      expect([...(await way.times())].sort()).toEqual([1, 1, 2]);
    });

    it('is undone with the delivery, and with a savepoint around it', async () => {
      const failed = run(async (transaction) => {
        await findOrCreate(transaction, 'first');
        throw new Error('no');
      });
      await expect(failed).rejects.toThrow('no');
      expect(await way.times()).toEqual([]);
      await run(async (transaction) => {
        await findOrCreate(transaction, 'kept');
        const undone = way.nested(transaction, async () => {
          await findOrCreate(transaction, 'undone');
          throw new Error('no');
        });
        await expect(undone).rejects.toThrow('no');
      });
      expect(await way.times()).toEqual([1]);
    });

    it('has nothing committed if its own savepoint is rolled back, ended or nested into by a hook', async () => {
      const ends: readonly (readonly [end: (inner: Transaction) => Promise<unknown>, says: string])[] = [
        [(inner) => inner.rollback(), 'ended while a handler ran'],
        [(inner) => inner.commit(), 'out of the handler'],
        [(inner) => inner.sequelize.transaction({ transaction: inner }), 'out of the handler'],
        [(inner) => way.spoil(inner).then(undefined, () => inner.rollback()), 'ended while a handler ran'],
      ];
      for (const [end, says] of ends) {
        const ended = run(async (transaction) => {
          const credits = creditsOf(transaction);
          credits.addHook('beforeCreate', 'end', (_row, { transaction: inner }) =>
            end(inner).then(undefined, () => undefined),
          );
          await findOrCreate(transaction, 'first').catch(() => undefined);
          credits.removeHook('beforeCreate', 'end');
        });
        await expect(ended).rejects.toThrow(says);
        expect(await way.times()).toEqual([]);
      }
    });
  });
}
