import { EventEmitterModule, OnEvent } from '@nestjs/event-emitter';
import { Injectable } from '@nestjs/common';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { inProcess, PayoutBatches, PayoutBatchesModule } from 'nestjs-payments/batches';
import { type ReconciliationEvents } from 'nestjs-payments/reconciliation';
import { approvedBatch, knownLines } from '../../support/batches-app.js';
import {
  type ReconciliationApp,
  type ReconciliationPlace,
  startReconciliationApp,
  startReconciliationPlace,
} from '../../support/reconciliation-place.js';

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
  let place: ReconciliationPlace;
  let shop: ReconciliationApp;

  beforeAll(async () => {
    place = await startReconciliationPlace();
  });
  afterEach(() => shop.app.close());
  afterAll(() => place.close());

  it('moves the line of a batch, and emits events', async () => {
    await place.nextDay(8);
    shop = await startReconciliationApp(place, {
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
      outcome: 'paid',
      row: 2,
      by: 'accountant',
      at: expect.any(Number) as number,
    });
  });
});
