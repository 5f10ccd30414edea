import { Logger } from '@nestjs/common';
import { setImmediate } from 'node:timers/promises';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import {
  type CloseOptions,
  csvStatement,
  type DayClose,
  Reconciliation,
  ReconciliationModule,
  type Statement,
} from 'nestjs-payments/reconciliation';
import { memoryStorage, PaymentsModule } from 'nestjs-payments';
import { Test } from '@nestjs/testing';
import { Readable } from 'node:stream';
import { reconciliationOfSpecs } from '../../support/reconciliation-of-specs.js';
import { collected, HOUR, type ReconciliationApp, ZONE } from '../../support/reconciliation-place.js';

const BY = { by: 'accountant' };

describe('a close that is refused', () => {
  const place = reconciliationOfSpecs();
  let shop: ReconciliationApp;
  let yesterday: string;

  beforeEach(async () => {
    yesterday = await place.nextDay(8);
    shop = await place.startWithWebhooks();
    await collected(shop, place.sandbox, 'order-1', '50000');
    await place.nextDay(1);
  });

  /** Everything that reconciliation has written but readings and its lease. */
  const written = async (): Promise<readonly unknown[]> => {
    const { rows } = await place.database.pool.query<{ kind: string }>(
      "SELECT kind, id FROM payments_reconciliation WHERE kind NOT IN ('balance', 'run')",
    );
    return rows;
  };
  const failing = (after: number, rows: Statement): Statement => ({
    name: 'cut.csv',
    async *rows() {
      let read = 0;
      for await (const row of rows.rows()) {
        yield row;
        read += 1;
        if (read === after) throw new Error('the disk is gone');
      }
    },
  });

  it('names a day that is not over', async () => {
    await expect(shop.reconciliation.close({ day: place.today(), ...BY })).rejects.toMatchObject({
      code: 'DAY_NOT_OVER',
    });
    expect(await written()).toEqual([]);
  });

  it.each([
    ['before it looks at the day', { day: 'yesterday', ...BY }],
    ['because of the day', undefined],
    ['without a name', { day: '2026-11-20' }],
  ])('closes the stream of its statement, %s', async (_, refused) => {
    const stream = Readable.from([]);
    const options = refused ?? { day: place.today(), ...BY };
    await expect(
      shop.reconciliation.close({ ...(options as CloseOptions), statement: csvStatement({ stream }) }),
    ).rejects.toThrow();
    expect(stream.destroyed).toBe(true);
  });

  it('names the day that comes next', async () => {
    await shop.reconciliation.close({ day: yesterday, ...BY });
    await place.nextDay(0);
    await place.nextDay(0);
    const day = new Date(Date.parse(yesterday) + 48 * HOUR).toISOString().slice(0, 10);
    await expect(shop.reconciliation.close({ day, ...BY })).rejects.toMatchObject({ code: 'DAY_NOT_NEXT' });
  });

  it('names another time zone', async () => {
    await shop.reconciliation.close({ day: yesterday, timeZone: ZONE, ...BY });
    const day = place.today();
    await place.nextDay(23);
    await expect(shop.reconciliation.close({ day, timeZone: 'Europe/Berlin', ...BY })).rejects.toMatchObject({
      code: 'DAY_OTHER_ZONE',
    });
  });

  it('names a day that was closed with another statement, or without one', async () => {
    const statement = place.statement(yesterday);
    await shop.reconciliation.close({ day: yesterday, ...BY });
    await expect(shop.reconciliation.close({ day: yesterday, statement, ...BY })).rejects.toMatchObject({
      code: 'DAY_CLOSED',
    });
  });

  it('names the other time zone of a day that was closed', async () => {
    await shop.reconciliation.close({ day: yesterday, timeZone: ZONE, ...BY });
    const other = { day: yesterday, timeZone: 'Europe/Berlin', ...BY };
    await expect(shop.reconciliation.close(other)).rejects.toMatchObject({
      code: 'DAY_OTHER_ZONE',
      message: expect.stringContaining(`${yesterday} was closed in the time zone "${ZONE}"`) as string,
    });
  });

  it('names a day that was closed with a statement that has other amounts, but not other recipients', async () => {
    const statement = place.statement(yesterday);
    const { summary } = await shop.reconciliation.close({ day: yesterday, statement, ...BY });
    const closeWith = (from: string | RegExp, to: string): Promise<DayClose> => {
      const other = place.statement(yesterday, (csv) => csv.replaceAll(from, to));
      return shop.reconciliation.close({ day: yesterday, statement: other, ...BY });
    };
    await expect(closeWith(/(\d)\.00/g, '$1.01')).rejects.toMatchObject({ code: 'DAY_CLOSED' });
    expect((await closeWith('255712345678', '255712345679')).summary).toEqual(summary);
  });

  it('is not one with the same rows in another order', async () => {
    const more = `${new Date(place.sandbox.clock.now() - 2 * HOUR).toISOString()},Adjustment,,,5.00,,,TZS,Success`;
    const inOrder = (order: (rows: readonly string[]) => readonly string[]): Statement =>
      place.statement(yesterday, (csv) => {
        const [head = '', ...rows] = csv.trimEnd().split('\n');
        return [head, ...order([...rows, more])].join('\n');
      });
    const statement = inOrder((rows) => rows);
    const { summary } = await shop.reconciliation.close({ day: yesterday, statement, ...BY });
    const newestFirst = inOrder((rows) => rows.toReversed());
    const again = await shop.reconciliation.close({ day: yesterday, statement: newestFirst, ...BY });
    expect(again.summary).toEqual(summary);
  });

  it.each<[string, object]>([
    ['a day that does not exist', { day: '2026-02-30' }],
    ['a time zone that does not exist', { timeZone: 'Africa/Dodoma' }],
    ['nobody', { by: ' ' }],
    ['something that is no statement', { statement: 'file.csv' }],
    ['an option that does not exist', { statment: undefined }],
  ])('names %s', async (_, wrong) => {
    const options = { day: yesterday, ...BY, ...wrong };
    await expect(shop.reconciliation.close(options)).rejects.toMatchObject({
      name: 'PaymentsValidationError',
    });
  });

  it('reads nothing of the default account if an account is misspelled', async () => {
    const misspelled = { acount: 'shop' } as object;
    const { reconciliation } = shop;
    const problem = { errors: { acount: ['acount does not exist: did you mean `account`?'] } };
    await expect(reconciliation.readBalance(misspelled)).rejects.toMatchObject(problem);
    await expect(reconciliation.open(yesterday, misspelled)).rejects.toMatchObject(problem);
    await expect(reconciliation.status(misspelled)).rejects.toMatchObject(problem);
    await expect(reconciliation.apply([], { ...BY, ...misspelled })).rejects.toMatchObject(problem);
    const note = 'The bank says so.';
    await expect(reconciliation.explain('1', { ...BY, note, ...misspelled })).rejects.toMatchObject(problem);
    const exceptions = reconciliation.exceptions(misspelled)[Symbol.asyncIterator]();
    await expect(exceptions.next()).rejects.toMatchObject(problem);
    const ages = { olderThanMs: 400 * 86_400_000, ...misspelled };
    await expect(reconciliation.purge(ages)).rejects.toMatchObject(problem);
  });

  it('writes nothing if the statement breaks off, and closes when it is there', async () => {
    const whole = place.statement(yesterday);
    await expect(
      shop.reconciliation.close({ day: yesterday, statement: failing(1, whole), ...BY }),
    ).rejects.toThrow('the disk is gone');
    expect(await written()).toEqual([]);
    const close = await shop.reconciliation.close({
      day: yesterday,
      statement: place.statement(yesterday),
      ...BY,
    });
    expect(close.summary.statement).toMatchObject({ matched: 1 });
  });

  it('writes nothing if no row is of the day', async () => {
    const statement = place.statement(yesterday, (csv) => csv.replaceAll(/\b20\d\d-/g, '2025-'));
    await expect(shop.reconciliation.close({ day: yesterday, statement, ...BY })).rejects.toMatchObject({
      errors: { statement: [expect.stringContaining(`no row is of ${yesterday}`)] },
    });
    expect(await written()).toEqual([]);
  });

  it('waits for another process, and takes over from a dead one after its lease', async () => {
    let reached = (): void => {};
    let goOn = (): void => {};
    const reading = new Promise<void>((resolve) => (reached = resolve));
    const open = new Promise<void>((resolve) => (goOn = resolve));
    const whole = place.statement(yesterday);
    const slow: Statement = {
      name: 'slow.csv',
      async *rows() {
        reached();
        await open;
        yield* whole.rows();
      },
    };
    const first = shop.reconciliation.close({ day: yesterday, statement: slow, ...BY });
    await reading;
    const other = { day: yesterday, statement: place.statement(yesterday), ...BY };
    await expect(shop.reconciliation.close(other)).rejects.toMatchObject({ code: 'CLOSE_RUNNING' });
    // As if the first process had died a while ago.
    await place.pass(0.1 * HOUR);
    const close = await shop.reconciliation.close({ ...other, statement: place.statement(yesterday) });
    goOn();
    await expect(first).rejects.toMatchObject({ code: 'CLOSE_RUNNING' });
    const again = await shop.reconciliation.open(yesterday);
    expect(again.summary).toEqual(close.summary);
  });

  it('gives the close of a process that took over, if both come to their end', async () => {
    const store = place.storage.reconciliation;
    if (!store) throw new Error('PostgreSQL keeps closes.');
    let other: DayClose | undefined;
    const add: typeof store.add = async (entries) => {
      if (entries[0]?.kind === 'close') {
        await place.pass(0.1 * HOUR);
        other = await shop.reconciliation.close({ day: yesterday, by: 'the other process' });
      }
      return store.add(entries);
    };
    const slow = {
      ...place.storage,
      reconciliation: Object.assign(Object.create(store) as typeof store, { add }),
    };
    const second = await place.start({ options: { storage: slow } });
    const close = await second.reconciliation.close({ day: yesterday, ...BY });
    expect(other?.summary.by).toBe('the other process');
    expect(close.summary).toEqual(other?.summary);
  });

  it.each([
    ['is rejected', () => Promise.reject(new Error('cannot close'))],
    [
      'throws',
      () => {
        throw new Error('cannot close');
      },
    ],
  ])('is the same whether discard() of its statement %s or not', async (_, discard) => {
    const warned = vi.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
    const statement = { ...place.statement(yesterday), discard };
    const close = await shop.reconciliation.close({ day: yesterday, statement, ...BY });
    expect(close.summary.day).toBe(yesterday);
    const refused = shop.reconciliation.close({ day: 'someday', statement, ...BY });
    await expect(refused).rejects.toMatchObject({ name: 'PaymentsValidationError' });
    expect(warned.mock.calls).toEqual([1, 2].map(() => ['The discard() of a statement failed: Error']));
    warned.mockRestore();
  });

  it('has waited for discard() of its statement', async () => {
    const done: string[] = [];
    const discard = async (): Promise<void> => {
      await setImmediate();
      done.push('discard');
    };
    await shop.reconciliation.close({
      day: yesterday,
      statement: { ...place.statement(yesterday), discard },
      ...BY,
    });
    expect(done).toEqual(['discard']);
  });

  it('says that discard of its statement is no function', async () => {
    const statement = { ...place.statement(yesterday), discard: 5 } as unknown as Statement;
    await expect(shop.reconciliation.close({ day: yesterday, statement, ...BY })).rejects.toMatchObject({
      errors: { statement: ['statement.discard must be a function, or be left out'] },
    });
  });

  it('says at boot that the storage keeps no closes', async () => {
    const module = await Test.createTestingModule({
      imports: [
        PaymentsModule.forRoot({ ...place.sandbox.moduleOptions(), storage: memoryStorage() }),
        ReconciliationModule.forRoot(),
      ],
    }).compile();
    expect(module.get(Reconciliation)).toBeInstanceOf(Reconciliation);
    const app = module.createNestApplication({ logger: false });
    await expect(app.init()).rejects.toThrow(
      'The storage "memory" keeps no closes: use postgresStorage(…), sqlStorage(…) or sqliteStorage(…).',
    );
    await app.close();
  });
});
