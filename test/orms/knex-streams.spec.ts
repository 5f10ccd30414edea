import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Readable } from 'node:stream';
import { type Knex } from 'knex';
import { describeWith } from '../support/services.js';
import { EXECUTORS } from './executors.js';
import { type HandlerWay } from './handler-cases.js';
import { ORM_SERVERS } from './orm-database.js';

/** More than a stream reads ahead. */
const ROWS = Array.from({ length: 300 }, (_, index) => `order-${String(index).padStart(3, '0')}`);
const KNEX = EXECUTORS.find(({ name }) => name === 'Knex')!;

for (const { name, service, openWay } of ORM_SERVERS) {
  describeWith([service], `a stream of Knex on ${name} in the transaction of a handler`, () => {
    let way: HandlerWay<object>;

    beforeEach(async () => {
      // What keeps the connection shows at once.
      way = await openWay(KNEX, 1);
      await way.open(ROWS);
    });
    afterEach(() => way.close());

    const handle = <T>(work: (trx: Knex) => Promise<T>): Promise<T> =>
      way.executor.transaction(({ handle: trx }) => work(trx as Knex));
    const rowsOf = (trx: Knex): Readable => trx('credits').select('reference').stream();
    const credited = async (): Promise<number> => (await way.times()).filter((times) => times > 0).length;
    const read = async (rows: Readable): Promise<readonly string[]> =>
      ((await rows.toArray()) as { readonly reference: string }[]).map(({ reference }) => reference);

    it('gives every row, and what the handler writes afterwards is committed', async () => {
      const references = await handle(async (trx) => {
        const found = await read(rowsOf(trx));
        await way.credit(trx, ROWS[0]!);
        return found;
      });
      expect([...references].sort()).toEqual(ROWS);
      expect(await credited()).toBe(1);
    });

    it('gives every row in a nested transaction', async () => {
      const references = await handle((trx) => trx.transaction((inner) => read(rowsOf(inner))));
      expect(references).toHaveLength(ROWS.length);
    });

    it('lets the handler continue if it stops reading early', async () => {
      await handle(async (trx) => {
        for await (const row of rowsOf(trx)) {
          expect(row).toHaveProperty('reference');
          break;
        }
        await way.credit(trx, ROWS[0]!);
      });
      expect(await credited()).toBe(1);
    });

    it('tells its reader the error of the database', async () => {
      const failed = handle(async (trx) => {
        await expect(read(trx('no_table').select('reference').stream())).rejects.toThrow('no_table');
        throw new Error('after the stream');
      });
      await expect(failed).rejects.toThrow('after the stream');
    });

    describe('that the package refuses', () => {
      it('tells its reader why, and nothing is committed', async () => {
        const failed = handle(async (trx) => {
          await way.credit(trx, ROWS[0]!);
          await expect(read(trx.raw('COMMIT').stream())).rejects.toThrow('out of the handler');
        });
        await expect(failed).rejects.toThrow('out of the handler');
        expect(await credited()).toBe(0);
      });

      it('tells its reader why beside a nested transaction that is open', async () => {
        const failed = handle(async (trx) => {
          const inner = await trx.transactionProvider()();
          await way.credit(inner, ROWS[0]!);
          await expect(read(rowsOf(trx))).rejects.toThrow('beside a nested transaction');
          await inner.commit();
        });
        await expect(failed).rejects.toThrow('beside a nested transaction');
        expect(await credited()).toBe(0);
      });
    });

    it('that nobody reads keeps the handler from being committed, and its connection serves the next one', async () => {
      const left = handle(async (trx) => {
        await way.credit(trx, ROWS[0]!);
        rowsOf(trx);
      });
      await expect(left).rejects.toThrow('a statement that a handler left running');
      expect(await credited()).toBe(0);
      await handle((trx) => way.credit(trx, ROWS[0]!));
      expect(await credited()).toBe(1);
    });
  });
}
