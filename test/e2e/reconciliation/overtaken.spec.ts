import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type CloseException, type CloseProposal, type DayClose } from 'nestjs-payments/reconciliation';
import { type PaymentsStorage } from 'nestjs-payments';
import { reconciliationOfSpecs } from '../../support/reconciliation-of-specs.js';
import { collected, HOUR, paidOut, type ReconciliationApp } from '../../support/reconciliation-place.js';

const BY = { by: 'accountant' };
const SCOPE = { account: 'default', environment: 'sandbox' } as const;

type Csv = (csv: string) => string;
type Store = NonNullable<PaymentsStorage['reconciliation']>;

const without =
  (reference: string): Csv =>
  (csv) =>
    csv
      .split('\n')
      .filter((line) => !line.includes(`,${reference},`))
      .join('\n');

const place = reconciliationOfSpecs();

describe('a run that does not close its day', () => {
  let shop: ReconciliationApp;
  let store: Store;

  const closeOn = ({ reconciliation }: ReconciliationApp, day: string, change?: Csv): Promise<DayClose> =>
    reconciliation.close({ day, statement: place.statement(day, change), ...BY });
  /** Closes a day on a replica whose storage does something else. */
  const closeWith = async (change: Partial<Store>, day: string, csv?: Csv): Promise<DayClose> => {
    const reconciliation = Object.assign(Object.create(store) as Store, change);
    const storage = { ...place.storage, reconciliation };
    const replica = await place.start({ options: { storage } });
    return closeOn(replica, day, csv).finally(() => replica.app.close());
  };
  const dying = (kind: string): Partial<Store> => ({
    add: (entries) =>
      entries[0]?.kind === kind ? Promise.reject(new Error('the process died')) : store.add(entries),
  });
  const endDay = async (): Promise<string> => {
    const day = place.today();
    await place.nextDay(0);
    return day;
  };
  const names = (exceptions: readonly CloseException[]): readonly unknown[] =>
    exceptions.map(({ kind, reference, state }) => [kind, reference, state]);
  const all = async (): Promise<readonly CloseException[]> => {
    const found: CloseException[] = [];
    for await (const one of shop.reconciliation.exceptions()) found.push(one);
    return found;
  };
  const entries = async () =>
    (await store.list(SCOPE, 'exception', { limit: 100 })).map(({ entry }) => entry);

  beforeAll(() => {
    store = place.storage.reconciliation!;
  });
  beforeEach(async () => {
    await place.nextDay(8);
    shop = await place.startWithWebhooks();
  });

  it('leaves nothing that a caller sees, applies or explains, and the next close clears it away', async () => {
    await collected(shop, place.sandbox, 'order-1', '50000');
    await place.pass(HOUR);
    place.sandbox.next('POST /disbursements/bank', { reference: 'supplier-1' }).dropAfterProcessing();
    await expect(paidOut(shop, 'supplier-1', '30000')).rejects.toThrow();
    await place.sandbox.payout('supplier-1').pay();
    await place.pass(HOUR);
    const day = await endDay();
    await expect(closeWith(dying('close'), day, without('order-1'))).rejects.toThrow('the process died');
    await place.pass(0.1 * HOUR);
    const left = await entries();
    expect(left).toHaveLength(2);
    expect(await all()).toEqual([]);

    const more: Csv = (csv) => csv.replace('30000.00', '30001.00');
    const close = await closeOn(shop, day, more);
    expect(names(close.exceptions)).toEqual([
      ['amount', 'supplier-1', 'open'],
      ['proven', 'supplier-1', 'open'],
    ]);
    // The other file proved that it was paid, and this one does not.
    expect(close.proposals).toEqual([]);
    expect(close.exceptions[1]?.theirs).toMatchObject({ amount: '30001.00' });
    expect(close.summary.exceptions).toEqual({ amount: 1, proven: 1 });
    expect(await shop.reconciliation.status()).toMatchObject({ open: { amount: 1, proven: 1 } });
    expect(await all()).toEqual(close.exceptions);
    const stale = left.find(({ id }) => id.includes('.proven.'))!;
    const { row } = (JSON.parse(stale.details) as { readonly theirs: { readonly row: number } }).theirs;
    const proposal: CloseProposal = {
      account: 'default',
      day,
      statement: `${day}.csv`,
      exception: stale.id,
      family: 'disbursement',
      reference: 'supplier-1',
      outcome: 'paid',
      row,
    };
    await expect(shop.reconciliation.apply([proposal], BY)).rejects.toMatchObject({
      name: 'PaymentsValidationError',
    });
    await expect(
      shop.reconciliation.explain(stale.id, { note: 'It is known.', ...BY }),
    ).rejects.toMatchObject({
      code: 'EXCEPTION_NOT_FOUND',
      message: expect.stringMatching(/: take the id from exceptions\(\)\.$/) as unknown,
    });
    const states = (await entries()).map(({ id, state }) => [left.some((one) => one.id === id), state]);
    expect(states.filter(([isLeft]) => isLeft)).toEqual([
      [true, 'settled'],
      [true, 'settled'],
    ]);
  });

  it.each(['exception', 'close'])(
    'changes no exception of earlier days if it is overtaken before it adds its %s',
    async (kind) => {
      await collected(shop, place.sandbox, 'order-1', '50000');
      await place.pass(HOUR);
      const first = await endDay();
      const { exceptions } = await closeOn(shop, first, without('order-1'));
      expect(names(exceptions)).toEqual([['missing-there', 'order-1', 'open']]);
      await collected(shop, place.sandbox, 'order-2', '50000');
      await place.pass(HOUR);
      const second = await endDay();
      const line = place.csv(first).split('\n')[1] ?? '';
      const at = /^[^,]*/.exec(place.csv(second).split('\n')[1] ?? '')?.[0] ?? '';
      const ended: Csv = (csv) => `${without('order-2')(csv).trimEnd()}\n${line.replace(/^[^,]*/, at)}\n`;
      let other: DayClose | undefined;
      // The run finds that the first exception is over, and a new one.
      const close = closeWith(
        {
          add: async (added) => {
            if (added[0]?.kind === kind && !other) {
              await place.pass(0.1 * HOUR);
              other = await closeOn(shop, second, without('nobody'));
            }
            await store.add(added);
          },
        },
        second,
        ended,
      );
      if (kind === 'close') expect((await close).summary).toEqual(other?.summary);
      else await expect(close).rejects.toMatchObject({ code: 'CLOSE_RUNNING' });
      expect(names(other?.exceptions ?? [])).toEqual([['missing-there', 'order-1', 'open']]);
      expect(names(await all())).toEqual([['missing-there', 'order-1', 'open']]);
      expect((await shop.reconciliation.open(second)).exceptions).toEqual(other?.exceptions);
      const third = await endDay();
      const next = await closeOn(shop, third);
      expect(names(next.exceptions)).toEqual([['missing-there', 'order-1', 'open']]);
      const open = (await entries()).filter(({ state }) => state === 'open');
      expect(open.map(({ id }) => id)).toEqual(exceptions.map(({ id }) => id));
    },
  );

  it('has closed it if it dies right after, and the next close ends what was over', async () => {
    place.sandbox.next('POST /disbursements/bank', { reference: 'supplier-1' }).dropAfterProcessing();
    await expect(paidOut(shop, 'supplier-1', '30000')).rejects.toThrow();
    await place.pass(HOUR);
    const first = await endDay();
    const { exceptions } = await closeOn(shop, first);
    expect(names(exceptions)).toEqual([['unknown', 'supplier-1', 'open']]);
    await shop.journal.settle('disbursement', 'supplier-1', 'failed');
    const second = await endDay();
    const replace: Store['replace'] = (version, entry) =>
      entry.kind === 'exception'
        ? Promise.reject(new Error('the process died'))
        : store.replace(version, entry);
    await expect(closeWith({ replace }, second)).rejects.toThrow('the process died');
    expect((await closeOn(shop, second)).summary).toMatchObject({ day: second, exceptions: {} });
    expect(names((await closeOn(shop, await endDay())).exceptions)).toEqual([]);
    expect(names(await all())).toEqual([['unknown', 'supplier-1', 'settled']]);
  });
});

describe('an exception whose payment the journal has forgotten', () => {
  it('stays open until a person explains it', async () => {
    await place.nextDay(8);
    const shop = await place.startWithWebhooks();
    await collected(shop, place.sandbox, 'order-1', '50000');
    await place.pass(HOUR);
    const first = Date.parse(place.today());
    /** Closes one of the days that begin with the payment's. */
    const close = (number: number, change?: Csv): Promise<DayClose> => {
      const day = new Date(first + number * 24 * HOUR).toISOString().slice(0, 10);
      return shop.reconciliation.close({ day, statement: place.statement(day, change), ...BY });
    };
    await place.nextDay(0);
    const [exception] = (await close(0, without('order-1'))).exceptions;
    expect(exception).toMatchObject({ kind: 'missing-there', reference: 'order-1', state: 'open' });
    await place.pass(40 * 24 * HOUR);
    await shop.journal.purge({ olderThanMs: 30 * 24 * HOUR });
    expect(await shop.journal.get('collection', 'order-1')).toBeUndefined();
    const next = await close(1);
    expect(next.exceptions).toMatchObject([{ id: exception?.id, state: 'open' }]);
    await shop.reconciliation.explain(exception?.id ?? '', {
      note: 'The gateway showed it on paper.',
      ...BY,
    });
    expect((await close(2)).exceptions).toEqual([]);
  });
});
