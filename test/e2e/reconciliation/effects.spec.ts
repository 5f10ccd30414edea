import { EventEmitterModule, OnEvent } from '@nestjs/event-emitter';
import { Injectable } from '@nestjs/common';
import { describe, expect, it, vi } from 'vitest';
import { inProcess, PayoutBatches, PayoutBatchesModule, type PayoutLine } from 'nestjs-payments/batches';
import { type DayClose, type ReconciliationEvents } from 'nestjs-payments/reconciliation';
import { approvedBatch, knownLines } from '../../support/batches-app.js';
import { reconciliationOfSpecs } from '../../support/reconciliation-of-specs.js';
import { HOUR, paidOut, type ReconciliationApp } from '../../support/reconciliation-place.js';

const BY = { by: 'accountant' };

@Injectable()
class Heard {
  readonly closed: ReconciliationEvents['reconciliation.closed'][] = [];
  readonly settled: ReconciliationEvents['reconciliation.settled'][] = [];

  @OnEvent('reconciliation.closed')
  onClosed(event: ReconciliationEvents['reconciliation.closed']): void {
    this.closed.push(event);
  }

  @OnEvent('reconciliation.settled')
  onSettled(event: ReconciliationEvents['reconciliation.settled']): void {
    this.settled.push(event);
  }
}

describe('a proposal that is applied', () => {
  const place = reconciliationOfSpecs();
  let shop: ReconciliationApp;

  it('is told once, though several closes propose it and several calls apply it at the same time', async () => {
    await place.nextDay(8);
    shop = await place.start({
      imports: [EventEmitterModule.forRoot()],
      providers: [Heard],
    });
    await paidOut(shop, 'supplier-1', '30000');
    await place.sandbox.payout('supplier-1').pay();
    const closeToday = async (): Promise<DayClose> => {
      const day = place.today();
      await place.nextDay(0);
      return shop.reconciliation.close({ day, statement: place.statement(day), ...BY });
    };
    const [first, second] = [await closeToday(), await closeToday()];
    const proposals = [...first.proposals, ...second.proposals].filter(
      ({ reference }) => reference === 'supplier-1',
    );
    expect(proposals).toHaveLength(2);
    const reports = await Promise.all([1, 2].map(() => shop.reconciliation.apply(proposals, BY)));
    expect(reports).toEqual([1, 2].map(() => ({ settled: 2, refused: [] })));
    expect(shop.app.get(Heard).settled).toHaveLength(1);
  });

  it('is told although the storage fails behind it, and not told again by the call that continues', async () => {
    await place.nextDay(8);
    shop = await place.start({
      imports: [EventEmitterModule.forRoot()],
      providers: [Heard],
    });
    place.sandbox.next('POST /disbursements/bank').dropAfterProcessing();
    await paidOut(shop, 'supplier-1', '30000').catch(() => undefined);
    await place.sandbox.payout('supplier-1').pay();
    const day = place.today();
    await place.nextDay(0);
    const { proposals } = await shop.reconciliation.close({ day, statement: place.statement(day), ...BY });
    expect(proposals).toMatchObject([{ reference: 'supplier-1', exception: expect.any(String) as unknown }]);
    const failing = vi.spyOn(place.storage.reconciliation!, 'replace').mockRejectedValue(new Error('gone'));
    await expect(shop.reconciliation.apply(proposals, BY)).rejects.toThrow();
    failing.mockRestore();
    expect(shop.app.get(Heard).settled).toHaveLength(1);
    expect(await shop.reconciliation.apply(proposals, BY)).toEqual({ settled: 1, refused: [] });
    expect(shop.app.get(Heard).settled).toHaveLength(1);
  });

  it('moves the line of a batch, and emits events', async () => {
    await place.pass(8 * HOUR);
    shop = await place.start({
      imports: [EventEmitterModule.forRoot(), PayoutBatchesModule.forRoot({ engine: inProcess() })],
      providers: [Heard],
    });
    const heard = shop.app.get(Heard);
    const lines = knownLines(place.sandbox, 2);
    const batch = await approvedBatch(shop.app.get(PayoutBatches), 'salaries', lines);
    await batch.start({ by: 'maker' });
    expect((await batch.finished()).byState).toMatchObject({ accepted: { lines: 2 } });
    await place.sandbox.payout('salaries.S-1').pay();
    await place.sandbox.payout('salaries.S-2').fail();
    const day = place.today();
    await place.nextDay(0);
    const close = await shop.reconciliation.close({ day, statement: place.statement(day), ...BY });
    expect(heard.closed).toEqual([{ account: 'default', summary: close.summary }]);
    expect(await shop.reconciliation.apply(close.proposals, BY)).toEqual({ settled: 1, refused: [] });
    expect((await batch.progress()).byState).toMatchObject({ paid: { lines: 1 }, accepted: { lines: 1 } });
    expect(heard.settled).toEqual([
      {
        account: 'default',
        family: 'disbursement',
        reference: 'salaries.S-1',
        outcome: 'paid',
        by: 'accountant',
      },
    ]);
    const audit: unknown[] = [];
    for await (const { action, by } of batch.audit()) audit.push([action, by]);
    expect(audit).toContainEqual(['settle', 'accountant']);
    const scope = { account: 'default', environment: 'sandbox' } as const;
    // Once more, as after a crash: nothing is written or told again.
    expect(await shop.reconciliation.apply(close.proposals, BY)).toEqual({ settled: 1, refused: [] });
    expect(heard.settled).toHaveLength(1);
    const auditAgain: unknown[] = [];
    for await (const { action, by } of batch.audit()) auditAgain.push([action, by]);
    expect(auditAgain).toEqual(audit);
    const kept = await place.storage.reconciliation?.list(scope, 'evidence', { limit: 10 });
    expect(kept?.map(({ entry }) => entry.state)).toEqual(['paid']);
    expect(JSON.parse(kept?.[0]?.entry.details ?? '')).toEqual({
      account: 'default',
      day,
      readOn: day,
      statement: `${day}.csv`,
      digest: close.summary.statement?.digest,
      family: 'disbursement',
      reference: 'salaries.S-1',
      attempt: 1,
      outcome: 'paid',
      row: 2,
      by: 'accountant',
      at: expect.any(Number) as number,
      token: expect.any(String) as string,
    });
  });

  it('calls a line paid that was refused, and leaves a line alone whose reference another payment begins with', async () => {
    await place.pass(8 * HOUR);
    shop = await place.start({
      imports: [PayoutBatchesModule.forRoot({ engine: inProcess() })],
    });
    const { sandbox } = place;
    const lines = knownLines(sandbox, 2, '250');
    sandbox.next('POST /disbursements/bank', { reference: 'wages.S-1' }).dropAfterProcessing().times(9);
    const batch = await approvedBatch(shop.app.get(PayoutBatches), 'wages', lines);
    await batch.start({ by: 'maker' });
    expect((await batch.finished()).byState).toMatchObject({
      unknown: { lines: 1 },
      accepted: { lines: 1 },
    });
    // As if the gateway had called it a refusal.
    const { batches } = place.storage;
    const scope = { account: 'default', environment: 'sandbox' } as const;
    const load = (await batches?.get({ ...scope, batch: 'wages' }))?.record.load ?? '';
    await batches?.change(load, [{ number: 1, from: ['unknown'], to: 'refused' }]);
    const [, second] = lines;
    const more = { reference: 'wages.S-2.2', amount: '99', remarks: 'A correction' };
    const bank = { bank_code: String(second?.bank_code), account_number: String(second?.account_number) };
    await shop.disbursements.bank({ ...more, ...bank, account_name: String(second?.name) });
    await sandbox.payout('wages.S-1').pay();
    await sandbox.payout('wages.S-2.2').pay();
    const day = place.today();
    await place.nextDay(0);
    const close = await shop.reconciliation.close({ day, statement: place.statement(day), ...BY });
    const once = await shop.reconciliation.apply(close.proposals, BY);
    expect(once.refused).toEqual([]);
    expect(await shop.reconciliation.apply(close.proposals, BY)).toEqual(once);
    expect(await shop.journal.get('disbursement', 'wages.S-2.2')).toMatchObject({ outcome: 'paid' });
    expect((await batch.progress()).byState).toMatchObject({ paid: { lines: 1 }, accepted: { lines: 1 } });
    for await (const { detail } of batch.lines()) expect(detail).toBe('');
    const settled: unknown[] = [];
    for await (const { action, details } of batch.audit()) if (action === 'settle') settled.push(details);
    expect(settled).toEqual([{ key: 'S-1', outcome: 'paid' }]);
  });

  it('leaves lines alone whose references belong to payments that the application made by itself', async () => {
    await place.pass(8 * HOUR);
    shop = await place.start({
      imports: [PayoutBatchesModule.forRoot({ engine: inProcess() })],
    });
    const lines = knownLines(place.sandbox, 3, '250');
    const [first, , third] = lines as [PayoutLine, PayoutLine, PayoutLine];
    const other = { remarks: 'Something else', bank_code: String(third.bank_code) };
    const bank = { ...other, account_number: String(third.account_number), account_name: third.name };
    const toFirst = { account_number: String(first.account_number), account_name: first.name };
    await shop.disbursements.bank({ ...other, ...toFirst, reference: 'loans.S-1', amount: '99' });
    await shop.disbursements.bank({ ...bank, reference: 'loans.S-2', amount: '250' });
    const batch = await approvedBatch(shop.app.get(PayoutBatches), 'loans', lines.slice(0, 2));
    await batch.start({ by: 'maker' });
    expect((await batch.finished()).byState).toMatchObject({ unknown: { lines: 2 } });
    await place.sandbox.payout('loans.S-1').pay();
    await place.sandbox.payout('loans.S-2').pay();
    const day = place.today();
    await place.nextDay(0);
    const close = await shop.reconciliation.close({ day, statement: place.statement(day), ...BY });
    expect(await shop.reconciliation.apply(close.proposals, BY)).toEqual({ settled: 2, refused: [] });
    expect((await batch.progress()).byState).toEqual({
      unknown: { lines: 2, amount: expect.any(String) as unknown },
    });
  });
});
