import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type PayoutBatch, type PayoutLine } from 'nestjs-payments/batches';
import { approvedBatch, type BatchesApp, knownLines, startBatchesApp } from '../../support/batches-app.js';
import { type BatchesPlace, startBatchesPlace } from '../../support/batches-place.js';

describe('a line whose reference belongs to a payment that the application made by itself', () => {
  let place: BatchesPlace;
  let running: BatchesApp;
  let lines: readonly [PayoutLine, PayoutLine];
  let names = 0;
  const name = (): string => `run-${names}`;

  beforeAll(async () => {
    place = await startBatchesPlace();
    running = await startBatchesApp({
      sandbox: place.sandbox,
      storage: place.storage,
      policy: { sameRecipientWithinDays: 0 },
    });
  });
  beforeEach(async () => {
    await place.sandbox.reset();
    names += 1;
    lines = knownLines(place.sandbox, 2, `${100 + names}`) as [PayoutLine, PayoutLine];
  });
  afterAll(async () => {
    await running.app.close();
    await place.close();
  });

  /** Pays to somebody under the reference of the first line, and then the batch of this line. */
  const paidBeside = async (amount: PayoutLine['amount'], to: PayoutLine): Promise<PayoutBatch> => {
    await running.disbursements.bank({
      reference: `${name()}.S-1`,
      amount,
      remarks: name(),
      bank_code: String(to.bank_code),
      account_number: String(to.account_number),
      account_name: to.name,
    });
    const batch = await approvedBatch(running.batches, name(), lines.slice(0, 1));
    await batch.start({ by: 'maker' });
    await batch.finished();
    return batch;
  };
  const lineOf = async (batch: PayoutBatch): Promise<unknown> => {
    for await (const { state, fee } of batch.lines()) return { state, fee };
    return undefined;
  };
  const UNKNOWN = { state: 'unknown', fee: undefined };

  it.each<[other: string, amount: () => PayoutLine['amount'], to: () => PayoutLine]>([
    ['another amount', () => '5', () => lines[0]],
    ['another recipient', () => lines[0].amount, () => lines[1]],
  ])('is never called accepted or paid because of that payment, which has %s', async (_other, amount, to) => {
    const batch = await paidBeside(amount(), to());
    expect(await lineOf(batch)).toEqual(UNKNOWN);
    expect(await batch.askAgain()).toBe(0);
    expect(await lineOf(batch)).toEqual(UNKNOWN);
    await running.journal.settle('disbursement', `${name()}.S-1`, 'paid');
    expect(await batch.askAgain()).toBe(0);
    expect(await lineOf(batch)).toEqual(UNKNOWN);
    expect(place.sandbox.payouts()).toHaveLength(1);
  });

  it('can be settled as failed alone, and that payment stays as it is', async () => {
    const batch = await paidBeside('5', lines[1]);
    await expect(batch.settle('S-1', 'paid', { by: 'support' })).rejects.toMatchObject({
      name: 'ReferenceReusedError',
    });
    expect(await lineOf(batch)).toEqual(UNKNOWN);
    await batch.settle('S-1', 'failed', { by: 'support' });
    expect(await lineOf(batch)).toEqual({ state: 'failed', fee: undefined });
    expect(await running.journal.get('disbursement', `${name()}.S-1`)).toMatchObject({ state: 'accepted' });
  });
});
