import { beforeEach, describe, expect, it, vi } from 'vitest';
import { type JournalEntry } from 'nestjs-payments';
import { type DayClose } from 'nestjs-payments/reconciliation';
import { reconciliationOfSpecs } from '../../support/reconciliation-of-specs.js';
import { HOUR, paidOut, type ReconciliationApp } from '../../support/reconciliation-place.js';

const BY = { by: 'accountant' };
const PAYOUTS = 'POST /disbursements/bank';

const shown = ({ exceptions, proposals }: DayClose): readonly unknown[] => [
  ...exceptions
    .filter(({ kind }) => kind !== 'balance')
    .map(({ day, kind, proposal }) => [day, kind, proposal?.outcome]),
  ...proposals.filter(({ exception }) => exception === undefined).map(({ outcome }) => outcome),
];

describe('a row of a later day, or of another attempt', () => {
  const place = reconciliationOfSpecs();
  let shop: ReconciliationApp;

  const now = (): number => place.sandbox.clock.now();
  /** A row of the emulator's form for the payout. */
  const row = (status: string, at = now() + 2 * HOUR, fee = '500.00'): string =>
    `${new Date(at).toISOString()},Payout,supplier-1,,30000.00,${fee},0150000000999,TZS,${status}\n`;
  /** Closes the day with these rows, and continues to the next morning. */
  const closeWith = async (rows: readonly string[]): Promise<DayClose> => {
    const day = place.today();
    await place.nextDay(0);
    const statement = place.statement(day, (csv) => `${csv.split('\n')[0]}\n${rows.join('')}`);
    const close = await shop.reconciliation.close({ day, statement, ...BY });
    await place.pass(8 * HOUR);
    return close;
  };
  const entry = (): Promise<JournalEntry | undefined> => shop.journal.get('disbursement', 'supplier-1');
  const lost = async (fate: 'dropBefore' | 'dropAfterProcessing'): Promise<void> => {
    place.sandbox.next(PAYOUTS)[fate]();
    await expect(paidOut(shop, 'supplier-1', '30000')).rejects.toThrow();
  };
  const start = async (outcomeWithinMs = 24 * HOUR): Promise<void> => {
    shop = await place.start({ policy: { outcomeWithinMs } });
    const day = place.today();
    await place.nextDay(0);
    await shop.reconciliation.close({ day, ...BY });
    await place.pass(8 * HOUR);
  };

  beforeEach(async () => {
    await place.nextDay(8);
  });

  describe('that says the contrary before an earlier one was applied', () => {
    const pay = {
      accepted: async () => {
        await start();
        await paidOut(shop, 'supplier-1', '30000');
      },
      unknown: async () => {
        await start();
        await lost('dropAfterProcessing');
      },
      refused: async () => {
        await start();
        place.sandbox.next(PAYOUTS).status(402, { code: 'INSUFFICIENT_BALANCE' });
        await expect(paidOut(shop, 'supplier-1', '30000')).rejects.toThrow();
      },
      late: async () => {
        await start(HOUR);
        await paidOut(shop, 'supplier-1', '30000');
      },
    };
    const FOUND = { accepted: [], unknown: ['proven'], refused: ['status'], late: ['late'] } as const;

    it.each([
      ['accepted', 'paid', 'failed'],
      ['accepted', 'failed', 'paid'],
      ['unknown', 'paid', 'failed'],
      ['unknown', 'failed', 'paid'],
      ['refused', 'paid', 'failed'],
      ['late', 'paid', 'failed'],
      ['late', 'failed', 'paid'],
    ] as const)('proposes nothing for a payout that is %s: %s, then %s', async (made, one, other) => {
      await pay[made]();
      const first = await closeWith([row(one)]);
      const { day } = first.summary;
      const found = one === 'failed' ? ['proven'] : FOUND[made];
      expect(first.proposals).toMatchObject([{ outcome: one }]);
      const second = await closeWith([row(other)]);
      const both = [
        ...found.map((kind) => [day, kind, undefined]),
        [second.summary.day, 'status', undefined],
      ];
      expect(shown(second)).toEqual(both);
      expect(shown(await shop.reconciliation.open(day))).toEqual([
        ...found.map((kind) => [day, kind, undefined]),
        // What a close proposed without an exception stays as it was.
        ...(found.length === 0 ? [one] : []),
      ]);
      // A third row decides nothing, either.
      const third = await closeWith([row(one)]);
      expect(third.proposals).toEqual([]);
      expect((await closeWith([row(other)])).proposals).toEqual([]);
      const { state } = (await entry())!;
      const report = await shop.reconciliation.apply(first.proposals, BY);
      expect(report).toMatchObject({
        settled: 0,
        refused: [{ reason: expect.stringContaining('says the contrary') as string }],
      });
      expect(await entry()).toMatchObject({ state });
    });

    it.each([
      ['accepted', 'paid', 'failed', 'paid'],
      ['accepted', 'paid', 'failed', 'failed'],
      ['accepted', 'failed', 'paid', 'paid'],
      ['accepted', 'failed', 'paid', 'failed'],
      ['unknown', 'paid', 'failed', 'paid'],
      ['unknown', 'failed', 'paid', 'failed'],
      ['refused', 'paid', 'failed', 'paid'],
    ] as const)(
      'is over when somebody has settled a payout that is %s (%s, then %s) as %s',
      async (made, one, other, outcome) => {
        await pay[made]();
        const first = await closeWith([row(one)]);
        await closeWith([row(other)]);
        // Another close in between decides nothing.
        expect((await closeWith([])).proposals).toEqual([]);
        await shop.journal.settle('disbursement', 'supplier-1', outcome);
        expect(shown(await closeWith([]))).toEqual([]);
        expect(shown(await closeWith([]))).toEqual([]);
        const { balance: _, ...open } = { ...(await shop.reconciliation.status())?.open };
        expect(open).toEqual({});
        const isSaid = outcome === one;
        expect(await shop.reconciliation.apply(first.proposals, BY)).toMatchObject({
          settled: isSaid ? 1 : 0,
        });
        // What a statement says after that is another matter.
        const said = outcome === 'paid' ? 'failed' : 'paid';
        const later = await closeWith([row(said)]);
        expect(shown(later)).toEqual([[later.summary.day, 'status', undefined]]);
      },
    );

    it('stays if the rows contradict each other about what the journal holds already', async () => {
      await pay.accepted();
      await shop.journal.settle('disbursement', 'supplier-1', 'paid');
      const close = await closeWith([row('paid', now() + HOUR), row('failed')]);
      expect(shown(close)).toEqual([[close.summary.day, 'status', undefined]]);
      expect(shown(await closeWith([]))).toEqual(shown(close));
    });

    it('is remembered if both rows are of one day', async () => {
      await pay.accepted();
      const first = await closeWith([row('paid', now() + HOUR), row('failed')]);
      expect(shown(first)).toEqual([[first.summary.day, 'status', undefined]]);
      expect((await closeWith([row('failed')])).proposals).toEqual([]);
      expect((await closeWith([row('paid')])).proposals).toEqual([]);
    });

    it('is reported once, however often it comes', async () => {
      await pay.accepted();
      const close = await closeWith([row('paid', now() + HOUR), row('failed'), row('failed')]);
      expect(shown(close)).toEqual([[close.summary.day, 'status', undefined]]);
      expect(close.summary.exceptions).toEqual({ status: 1 });
    });

    it('lets nothing be applied, though the close died before it had withdrawn the proposal', async () => {
      await pay.unknown();
      const first = await closeWith([row('failed')]);
      const store = place.storage.reconciliation!;
      const replace = store.replace.bind(store);
      const died = vi.spyOn(store, 'replace').mockImplementation((version, changed) => {
        if (changed.kind === 'exception') return Promise.reject(new Error('the process died'));
        return replace(version, changed);
      });
      await expect(closeWith([row('paid')])).rejects.toThrow('the process died');
      died.mockRestore();
      await place.pass(8 * HOUR);
      expect(await shop.reconciliation.apply(first.proposals, BY)).toMatchObject({ settled: 0 });
      expect(await entry()).toMatchObject({ state: 'unknown' });
      expect((await closeWith([])).proposals).toEqual([]);
    });

    it('changes nothing of what was applied before', async () => {
      await pay.accepted();
      const first = await closeWith([row('paid')]);
      await shop.reconciliation.apply(first.proposals, BY);
      const second = await closeWith([row('failed')]);
      expect(shown(second)).toEqual([[second.summary.day, 'status', undefined]]);
      expect(await shop.reconciliation.apply(first.proposals, BY)).toEqual({ settled: 1, refused: [] });
    });
  });

  describe('that moved money before the last attempt began', () => {
    const secondAttempt = async (state: 'accepted' | 'unknown'): Promise<number> => {
      await start();
      await lost('dropBefore');
      const moved = now() + 60_000;
      await place.pass(HOUR);
      await shop.journal.settle('disbursement', 'supplier-1', 'failed');
      await place.pass(4 * HOUR);
      if (state === 'unknown') await lost('dropBefore');
      else await paidOut(shop, 'supplier-1', '30000');
      expect(await entry()).toMatchObject({ state, attempt: 2 });
      return moved;
    };

    it.each(['accepted', 'unknown'] as const)('is a status, and the second one stays %s', async (state) => {
      const moved = await secondAttempt(state);
      const first = await closeWith([row('paid', moved)]);
      const unknown = state === 'unknown' ? [[first.summary.day, 'unknown', undefined]] : [];
      expect(shown(first)).toEqual([[first.summary.day, 'status', undefined], ...unknown]);
      expect(first.exceptions.find(({ kind }) => kind === 'status')?.reason).toContain(
        'before the last attempt began',
      );
      expect(first.summary.open).toMatchObject({ count: 1 });
      // The second attempt has its own row.
      const second = await closeWith([row('paid')]);
      expect(second.proposals).toMatchObject([{ outcome: 'paid', day: second.summary.day }]);
      expect(await shop.reconciliation.apply(second.proposals, BY)).toEqual({ settled: 1, refused: [] });
    });

    it('leaves the row of the second one alone on the same day', async () => {
      const moved = await secondAttempt('accepted');
      const close = await closeWith([row('paid', moved), row('paid', now() + HOUR)]);
      expect(shown(close)).toEqual([[close.summary.day, 'status', undefined], 'paid']);
    });
  });

  describe('that failed before the same attempt was sent again', () => {
    /** The gateway turned the payout away, so the next call sends the same attempt with its key. */
    const turnedAway = async (): Promise<DayClose> => {
      await start();
      place.sandbox.next(PAYOUTS).status(403);
      await expect(paidOut(shop, 'supplier-1', '30000')).rejects.toThrow();
      const close = await closeWith([row('failed', now() + 60_000)]);
      expect(shown(close)).toEqual([[close.summary.day, 'proven', 'failed']]);
      return close;
    };
    const again = async (): Promise<void> => {
      await paidOut(shop, 'supplier-1', '30000');
      expect(await entry()).toMatchObject({ state: 'accepted', attempt: 1 });
    };

    it('settles nothing of what was sent since', async () => {
      const { proposals } = await turnedAway();
      await again();
      expect(await shop.reconciliation.apply(proposals, BY)).toMatchObject({
        settled: 0,
        refused: [{ reason: expect.stringContaining('"supplier-1" was sent again') as string }],
      });
      expect(await entry()).toMatchObject({ state: 'accepted' });
    });

    it('settles what was not sent again', async () => {
      const { proposals } = await turnedAway();
      expect(await shop.reconciliation.apply(proposals, BY)).toEqual({ settled: 1, refused: [] });
      expect(await entry()).toMatchObject({ outcome: 'failed' });
    });

    it('contradicts no row of what was sent since, and ends', async () => {
      const first = await turnedAway();
      await again();
      const second = await closeWith([row('paid', now() + HOUR)]);
      expect(shown(second)).toEqual(['paid']);
      expect(await shop.reconciliation.apply(first.proposals, BY)).toMatchObject({ settled: 0 });
      expect(await shop.reconciliation.apply(second.proposals, BY)).toEqual({ settled: 1, refused: [] });
      expect(await entry()).toMatchObject({ outcome: 'paid' });
    });
  });

  it('leaves a wrong fee open when the payout is applied', async () => {
    await start();
    await paidOut(shop, 'supplier-1', '30000');
    const close = await closeWith([row('paid', now() + HOUR, '5000.00')]);
    expect(shown(close)).toEqual([[close.summary.day, 'fee', undefined], 'paid']);
    expect(await shop.reconciliation.apply(close.proposals, BY)).toEqual({ settled: 1, refused: [] });
    expect((await shop.reconciliation.status())?.open).toMatchObject({ fee: 1 });
  });

  it('is another exception if it was explained of the attempt before', async () => {
    await start();
    await lost('dropBefore');
    const first = await closeWith([]);
    expect(shown(first)).toEqual([[first.summary.day, 'unknown', undefined]]);
    await shop.reconciliation.explain(first.exceptions[0]!.id, { note: 'It never arrived.', ...BY });
    expect(shown(await closeWith([]))).toEqual([]);
    await shop.journal.settle('disbursement', 'supplier-1', 'failed');
    await lost('dropBefore');
    const third = await closeWith([]);
    expect(shown(third)).toEqual([[third.summary.day, 'unknown', undefined]]);
    expect(shown(await closeWith([]))).toEqual(shown(third));
  });

  it.each(['a refusal', 'an outcome that was applied'])(
    'keeps a payout in sight that a row calls failed after %s',
    async (end) => {
      await start();
      if (end === 'a refusal') {
        place.sandbox.next(PAYOUTS).status(402, { code: 'INSUFFICIENT_BALANCE' });
        await expect(paidOut(shop, 'supplier-1', '30000')).rejects.toThrow();
      } else await lost('dropBefore');
      const { proposals } = await closeWith([row('failed')]);
      await shop.reconciliation.apply(proposals, BY);
      await closeWith([]);
      await lost('dropBefore');
      expect(await entry()).toMatchObject({ state: 'unknown', attempt: 2 });
      const close = await closeWith([]);
      expect(shown(close)).toEqual([[close.summary.day, 'unknown', undefined]]);
    },
  );
});
