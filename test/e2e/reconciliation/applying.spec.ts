import { beforeEach, describe, expect, it, vi } from 'vitest';
import { PaymentsAccounts, PaymentsModule } from 'nestjs-payments';
import { type CloseProposal, type DayClose } from 'nestjs-payments/reconciliation';
import { reconciliationOfSpecs } from '../../support/reconciliation-of-specs.js';
import { paidOut, type ReconciliationApp } from '../../support/reconciliation-place.js';

const BY = { by: 'accountant' };
const SCOPE = { account: 'default', environment: 'sandbox' } as const;

describe('a proposal', () => {
  const place = reconciliationOfSpecs();
  let shop: ReconciliationApp;

  const closeToday = async (change?: (csv: string) => string, account = 'default'): Promise<DayClose> => {
    const day = place.today();
    await place.nextDay(0);
    return shop.reconciliation.close({ day, statement: place.statement(day, change), account, ...BY });
  };
  /** A payout whose answer was lost, so that its proposal has an exception. */
  const lost = async (reference: string): Promise<void> => {
    place.sandbox.next('POST /disbursements/bank', { reference }).dropAfterProcessing();
    await expect(paidOut(shop, reference, '30000')).rejects.toThrow();
  };
  const stateOf = async (reference: string): Promise<unknown> =>
    (await shop.journal.get('disbursement', reference))?.state;
  const evidence = async (): Promise<readonly Record<string, unknown>[]> => {
    const kept = (await place.storage.reconciliation?.list(SCOPE, 'evidence', { limit: 10 })) ?? [];
    return kept.map(({ entry }) => JSON.parse(entry.details) as Record<string, unknown>);
  };

  beforeEach(async () => {
    await place.nextDay(8);
    const other = { ...place.sandbox.moduleOptions(), name: 'other', storage: place.storage };
    shop = await place.start({ imports: [PaymentsModule.forRoot(other)] });
  });

  it('is one of a close as it was given: nothing else settles a payment, and nothing beside it', async () => {
    await paidOut(shop, 'supplier-1', '20000');
    await place.sandbox.payout('supplier-1').pay();
    await lost('supplier-2');
    await place.sandbox.payout('supplier-2').pay();
    await paidOut(shop, 'supplier-3', '20000');
    const { proposals, exceptions } = await closeToday();
    const listed = proposals.find(({ reference }) => reference === 'supplier-1')!;
    const found = proposals.find(({ reference }) => reference === 'supplier-2')!;
    expect(found).toMatchObject({ exception: exceptions[0]?.id, outcome: 'paid' });
    const wrong: readonly Partial<CloseProposal>[] = [
      { ...listed, reference: 'supplier-3' },
      { ...listed, outcome: 'failed' },
      { ...listed, row: listed.row + 1 },
      { ...listed, day: '2020-01-01' },
      { ...listed, exception: found.exception },
      { ...found, reference: 'supplier-3' },
      { ...found, outcome: 'failed' },
      { ...found, row: found.row + 1 },
      { ...found, day: '2020-01-01' },
      { ...found, exception: undefined },
      { ...found, exception: 'nobody' },
      { family: 'disbursement', reference: 'supplier-3', outcome: 'paid', row: 2 },
    ];
    for (const handmade of wrong) {
      await expect(
        shop.reconciliation.apply([...proposals, handmade as CloseProposal], BY),
      ).rejects.toMatchObject({ name: 'PaymentsValidationError' });
    }
    await expect(
      shop.reconciliation.apply([{ ...listed, reference: 'supplier-3' }], BY),
    ).rejects.toMatchObject({
      errors: {
        proposals: [
          `the close of ${listed.day} does not propose that "supplier-3" is "paid" by row ${listed.row}: take the proposals as open('${listed.day}') gives them`,
        ],
      },
    });
    expect([await stateOf('supplier-1'), await stateOf('supplier-2')]).toEqual(['accepted', 'unknown']);
    expect(await evidence()).toEqual([]);
    expect(await shop.reconciliation.apply(proposals, BY)).toEqual({ settled: 2, refused: [] });
    // Once more, as after a crash.
    expect(await shop.reconciliation.apply(proposals, BY)).toEqual({ settled: 2, refused: [] });
    expect(await stateOf('supplier-3')).toBe('accepted');
    const kept = await evidence();
    expect(kept).toHaveLength(2);
    const { day, statement, row } = found;
    const ofLost = kept.find(({ reference }) => reference === 'supplier-2');
    expect(ofLost).toMatchObject({ account: 'default', day, readOn: day, statement, row, by: 'accountant' });
    expect(ofLost).toMatchObject({ amount: '30000.00', fee: '500.00' });
    expect(typeof ofLost?.['movedAt']).toBe('number');
  });

  it('keeps no field that somebody has added to it', async () => {
    await paidOut(shop, 'supplier-1', '20000');
    await place.sandbox.payout('supplier-1').pay();
    const { proposals } = await closeToday();
    await shop.reconciliation.apply(
      proposals.map((proposal) => ({ ...proposal, name: 'Asha Mushi' })),
      BY,
    );
    expect(JSON.stringify(await evidence())).not.toContain('Asha');
  });

  it('settles payments of its own account alone', async () => {
    await paidOut(shop, 'supplier-1', '20000');
    const other = shop.app.get(PaymentsAccounts).for('other');
    await place.sandbox.payout('supplier-1').pay();
    const own = await closeToday((csv) => csv, 'other');
    // The statement of the other account: its journal knows nothing of it.
    expect(own.proposals).toEqual([]);
    await paidOut({ disbursements: other.disbursements }, 'supplier-9', '20000');
    await place.sandbox.payout('supplier-9').pay();
    const { proposals } = await closeToday(undefined, 'other');
    expect(proposals).toMatchObject([{ account: 'other', reference: 'supplier-9' }]);
    await expect(shop.reconciliation.apply(proposals, BY)).rejects.toMatchObject({
      name: 'PaymentsValidationError',
      message: expect.stringContaining('is of the account "other", and not of "default"') as string,
    });
    const renamed = proposals.map((proposal) => ({ ...proposal, account: 'default' }));
    await expect(shop.reconciliation.apply(renamed, BY)).rejects.toMatchObject({
      name: 'PaymentsValidationError',
    });
    const applied = await shop.reconciliation.apply(proposals, { ...BY, account: 'other' });
    expect(applied).toEqual({ settled: 1, refused: [] });
    expect(await other.journal.get('disbursement', 'supplier-9')).toMatchObject({ outcome: 'paid' });
  });

  it('is refused with a reason if the journal knows another outcome', async () => {
    await paidOut(shop, 'supplier-1', '20000');
    await place.sandbox.payout('supplier-1').pay();
    const { proposals } = await closeToday();
    await shop.journal.settle('disbursement', 'supplier-1', 'failed');
    const report = await shop.reconciliation.apply(proposals, BY);
    expect(report).toMatchObject({ settled: 0, refused: [{ proposal: proposals[0] }] });
    expect(report.refused[0]?.reason).toContain('failed');
    expect(await evidence()).toEqual([]);
  });

  it('whose exception has ended says nothing of the next attempt', async () => {
    await lost('supplier-2');
    await place.sandbox.payout('supplier-2').pay();
    const day = place.today();
    const { proposals } = await closeToday((csv) => csv.replaceAll(',Paid', ',Failed'));
    expect(proposals).toMatchObject([{ day, outcome: 'failed' }]);
    expect(await shop.reconciliation.apply(proposals, BY)).toEqual({ settled: 1, refused: [] });
    await paidOut(shop, 'supplier-2', '30000').catch(() => undefined);
    const state = await stateOf('supplier-2');
    expect(state).not.toBe('settled');
    expect(await shop.reconciliation.apply(proposals, BY)).toMatchObject({
      settled: 0,
      refused: [{ reason: expect.stringContaining('has ended') as string }],
    });
    expect(await stateOf('supplier-2')).toBe(state);
    // The statement of the next day shows the next attempt, in the same row.
    const line = place.csv(day).split('\n')[1] ?? '';
    const now = new Date(place.sandbox.clock.now() + 1_000).toISOString();
    const next = await closeToday((csv) => `${csv.split('\n')[0] ?? ''}\n${line.replace(/^[^,]*/, now)}\n`);
    const paid = next.proposals.filter(({ outcome }) => outcome === 'paid');
    expect(paid).toMatchObject([{ reference: 'supplier-2', row: proposals[0]?.row }]);
    expect(await shop.reconciliation.apply(paid, BY)).toEqual({ settled: 1, refused: [] });
    expect((await evidence()).map(({ outcome }) => outcome).sort()).toEqual(['failed', 'paid']);
  });

  describe('of an attempt', () => {
    const HOUR = 3_600_000;
    /** The gateway got nothing, and its statement says that the payment failed. */
    const failedOnce = async (): Promise<DayClose> => {
      place.sandbox.next('POST /disbursements/bank').dropBefore();
      await expect(paidOut(shop, 'supplier-1', '30000')).rejects.toThrow();
      const at = new Date(place.sandbox.clock.now() + HOUR).toISOString();
      const row = `${at},Payout,supplier-1,,30000.00,500.00,0150000000999,TZS,failed`;
      return closeToday((csv) => `${csv.split('\n')[0] ?? ''}\n${row}\n`);
    };
    /** The next attempt is accepted. */
    const again = async (): Promise<void> => {
      await place.pass(HOUR);
      await paidOut(shop, 'supplier-1', '30000');
      expect(await entry()).toMatchObject({ state: 'accepted', attempt: 2 });
    };
    const entry = () => shop.journal.get('disbursement', 'supplier-1');

    it.each(['by hand', 'by apply(), which died before it had ended the exception'])(
      'settles no other attempt: the first one was settled %s',
      async (how) => {
        const { proposals } = await failedOnce();
        if (how === 'by hand') await shop.journal.settle('disbursement', 'supplier-1', 'failed');
        else {
          const died = vi
            .spyOn(place.storage.reconciliation!, 'replace')
            .mockRejectedValue(new Error('the process died'));
          await expect(shop.reconciliation.apply(proposals, BY)).rejects.toThrow();
          died.mockRestore();
        }
        await again();
        expect(await shop.reconciliation.apply(proposals, BY)).toMatchObject({
          settled: 0,
          refused: [{ reason: expect.stringContaining('is about attempt 1 of "supplier-1"') as string }],
        });
        expect(await entry()).toMatchObject({ state: 'accepted', attempt: 2 });
      },
    );

    it('settles the second one by a row about the second one', async () => {
      const { proposals } = await failedOnce();
      await shop.reconciliation.apply(proposals, BY);
      await again();
      await place.sandbox.payout('supplier-1').pay();
      const second = await closeToday();
      expect(second.proposals).toMatchObject([{ reference: 'supplier-1', outcome: 'paid' }]);
      // It is proposed again by each close until it is applied.
      const third = await closeToday();
      expect(third.proposals).toMatchObject([{ reference: 'supplier-1', outcome: 'paid' }]);
      expect(await shop.reconciliation.apply(third.proposals, BY)).toEqual({ settled: 1, refused: [] });
      expect(await entry()).toMatchObject({ outcome: 'paid', attempt: 2 });
      expect((await evidence()).map(({ attempt }) => attempt)).toEqual(expect.arrayContaining([1, 2]));
    });

    it('of a list is proposed no more once another attempt has begun', async () => {
      await paidOut(shop, 'supplier-1', '20000');
      await place.sandbox.payout('supplier-1').pay();
      const first = await closeToday();
      // As an earlier version wrote it, which did not know the attempt.
      expect(first.proposals).toMatchObject([{ exception: undefined, outcome: 'paid' }]);
      await place.database.pool.query(
        `UPDATE "${place.database.schema}".payments_journal SET attempt = 2, record = jsonb_set(record::jsonb, '{attempt}', '2')::json`,
      );
      expect(await entry()).toMatchObject({ attempt: 2 });
      expect(await shop.reconciliation.apply(first.proposals, BY)).toMatchObject({ settled: 0 });
      const second = await closeToday((csv) => `${csv.split('\n')[0] ?? ''}\n`);
      expect(second.proposals).toEqual([]);
      expect(await evidence()).toEqual([]);
    });

    it('of an exception of an earlier version, which did not know it, settles the first one alone', async () => {
      const { proposals } = await failedOnce();
      const store = place.storage.reconciliation!;
      const stored = (await store.get(SCOPE, 'exception', proposals[0]?.exception ?? ''))!;
      const { attempt, ...earlier } = JSON.parse(stored.entry.details) as { readonly attempt: number };
      expect(attempt).toBe(1);
      await store.replace(stored.version, { ...stored.entry, details: JSON.stringify(earlier) });
      await shop.journal.settle('disbursement', 'supplier-1', 'failed');
      expect(await shop.reconciliation.apply(proposals, BY)).toEqual({ settled: 1, refused: [] });
      await again();
      expect(await shop.reconciliation.apply(proposals, BY)).toMatchObject({ settled: 0 });
    });
  });

  it('ends its exception though somebody explains that at the same moment', async () => {
    await lost('supplier-2');
    await place.sandbox.payout('supplier-2').pay();
    const { proposals, exceptions } = await closeToday();
    const { id = '' } = exceptions[0] ?? {};
    const store = place.storage.reconciliation!;
    const replace = store.replace.bind(store);
    const overtaken = vi.spyOn(store, 'replace').mockImplementationOnce(async (version, entry) => {
      await shop.reconciliation.explain(id, { note: 'The bank has it.', ...BY });
      return replace(version, entry);
    });
    expect(await shop.reconciliation.apply(proposals, BY)).toEqual({ settled: 1, refused: [] });
    overtaken.mockRestore();
    expect((await store.get(SCOPE, 'exception', id))?.entry.state).toBe('settled');
  });

  it('of an exception that somebody has explained is made no more, and refused', async () => {
    await lost('supplier-2');
    await place.sandbox.payout('supplier-2').pay();
    const { proposals, exceptions, summary } = await closeToday();
    expect(proposals).toMatchObject([{ reference: 'supplier-2', outcome: 'paid' }]);
    const { id = '' } = exceptions[0] ?? {};
    const note = 'The row is wrong: no money moved.';
    expect((await shop.reconciliation.explain(id, { note, ...BY })).proposal).toBeUndefined();
    const opened = await shop.reconciliation.open(summary.day);
    expect(opened.proposals).toEqual([]);
    expect(opened.exceptions).toMatchObject([{ state: 'explained', proposal: undefined }]);
    const state = await stateOf('supplier-2');
    expect(await shop.reconciliation.apply(proposals, BY)).toMatchObject({
      settled: 0,
      refused: [{ reason: expect.stringContaining('has explained the exception of "supplier-2"') as string }],
    });
    expect(await stateOf('supplier-2')).toBe(state);
    expect(await evidence()).toEqual([]);
    expect((await closeToday((csv) => csv)).proposals).toEqual([]);
  });

  it('of an exception that was explained changes no close that showed it no more', async () => {
    await lost('supplier-2');
    await place.sandbox.payout('supplier-2').pay();
    const first = await closeToday();
    const { id = '' } = first.exceptions[0] ?? {};
    await shop.reconciliation.explain(id, { note: 'The bank has it.', ...BY });
    const second = await closeToday();
    expect(second.exceptions).toEqual([]);
    await shop.reconciliation.explain(id, { note: 'The bank does have it.', ...BY });
    await shop.journal.settle('disbursement', 'supplier-2', 'paid');
    expect(await shop.reconciliation.apply(first.proposals, BY)).toEqual({ settled: 1, refused: [] });
    const shown = async (day: string): Promise<number> =>
      (await shop.reconciliation.open(day)).exceptions.length;
    expect([await shown(first.summary.day), await shown(second.summary.day)]).toEqual([1, 0]);
  });
});
