import { Injectable } from '@nestjs/common';
import { EventEmitter2, EventEmitterModule, OnEvent } from '@nestjs/event-emitter';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BatchState, type PayoutBatchEvents } from 'nestjs-payments/batches';
import { approvedBatch, type BatchesApp, knownLines, startBatchesApp } from '../../support/batches-app.js';
import { type BatchesPlace, startBatchesPlace } from '../../support/batches-place.js';

let heard: PayoutBatchEvents['payout-batch.changed'][] = [];

@Injectable()
class Treasurer {
  @OnEvent('payout-batch.changed')
  changed(change: PayoutBatchEvents['payout-batch.changed']): void {
    heard.push(change);
    throw new Error('the treasurer is away');
  }
}

describe("the application's event emitter", () => {
  let place: BatchesPlace;
  let running: BatchesApp;

  beforeAll(async () => {
    place = await startBatchesPlace();
    running = await startBatchesApp({
      sandbox: place.sandbox,
      storage: place.storage,
      metadata: { imports: [EventEmitterModule.forRoot()], providers: [Treasurer] },
    });
  });
  afterAll(async () => {
    await running.app.close();
    await place.close();
  });

  it('hears once of each change of a batch, and a listener that fails changes nothing', async () => {
    heard = [];
    const batch = await approvedBatch(running.batches, 'salaries', knownLines(place.sandbox, 3));
    await batch.start({ by: 'maker' });
    await batch.finished();
    const origin = { account: 'default', batch: 'salaries' };
    expect(heard).toEqual([
      { ...origin, action: 'load', by: 'maker', state: 'loaded' },
      { ...origin, action: 'check', by: 'maker', state: 'checking' },
      { ...origin, action: 'check-end', by: 'payout-batches', state: 'checked' },
      { ...origin, action: 'approve', by: 'checker', state: 'approved' },
      { ...origin, action: 'start', by: 'maker', state: 'running' },
      { ...origin, action: 'end', by: 'payout-batches', state: 'ended' },
    ]);
    expect(place.sandbox.payouts()).toHaveLength(3);
  });

  it('hears how far a batch is, again and again, and that it has ended', async () => {
    const emitter = running.app.get(EventEmitter2);
    const reportOf = (state: BatchState): Promise<unknown> =>
      new Promise((resolve) => {
        emitter.on('payout-batch.progress', (progress: PayoutBatchEvents['payout-batch.progress']) => {
          if (progress.batch === 'bonuses' && progress.state === state) resolve(progress);
        });
      });
    const [approved, ended] = [reportOf('approved'), reportOf('ended')];
    const batch = await approvedBatch(running.batches, 'bonuses', knownLines(place.sandbox, 3, '2000'));
    await approved;
    await batch.start({ by: 'maker' });
    expect(await ended).toMatchObject({
      account: 'default',
      batch: 'bonuses',
      total: { lines: 3, amount: '6000.00' },
      byState: { accepted: { lines: 3, amount: '6000.00' } },
    });
  });
});
