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

  /** Pays to somebody under the reference of the first line. */
  const payBeside = (amount: PayoutLine['amount'], to: PayoutLine): Promise<unknown> =>
    running.disbursements.bank({
      reference: `${name()}.S-1`,
      amount,
      remarks: name(),
      bank_code: String(to.bank_code),
      account_number: String(to.account_number),
      account_name: to.name,
    });
  /** The batch of the first line, after it was sent. */
  const paidLine = async (): Promise<PayoutBatch> => {
    const batch = await approvedBatch(running.batches, name(), lines.slice(0, 1));
    await batch.start({ by: 'maker' });
    await batch.finished();
    return batch;
  };
  const paidBeside = async (amount: PayoutLine['amount'], to: PayoutLine): Promise<PayoutBatch> => {
    await payBeside(amount, to);
    return paidLine();
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

  it.each<[other: string, amount: () => PayoutLine['amount'], to: () => PayoutLine]>([
    ['another amount', () => '5', () => lines[0]],
    ['another recipient', () => lines[0].amount, () => lines[1]],
  ])('can be settled as failed alone, and that payment of %s stays as it is', async (_other, amount, to) => {
    const batch = await paidBeside(amount(), to());
    await expect(batch.settle('S-1', 'paid', { by: 'support' })).rejects.toMatchObject({
      name: 'ReferenceReusedError',
    });
    expect(await lineOf(batch)).toEqual(UNKNOWN);
    await batch.settle('S-1', 'failed', { by: 'support' });
    expect(await lineOf(batch)).toEqual({ state: 'failed', fee: undefined });
    expect(await running.journal.get('disbursement', `${name()}.S-1`)).toMatchObject({ state: 'accepted' });
  });

  it('can be settled as failed although that payment has the same amount and was paid', async () => {
    const batch = await paidBeside(lines[0].amount, lines[1]);
    await running.journal.settle('disbursement', `${name()}.S-1`, 'paid');
    await batch.settle('S-1', 'failed', { by: 'support' });
    expect(await lineOf(batch)).toEqual({ state: 'failed', fee: undefined });
  });

  it.each(['accepted', 'unknown'] as const)(
    'can be settled as paid if that payment, which is %s, goes to its account under another spelling of the name',
    async (state) => {
      if (state === 'unknown') place.sandbox.next('POST /disbursements/bank').dropAfterProcessing();
      const spelled = { ...lines[0], name: lines[0].name.split(' ').reverse().join(' ').toUpperCase() };
      const account = String(spelled.account_number);
      place.sandbox.directory.register(account, spelled.name);
      await payBeside(lines[0].amount, spelled).catch(() => undefined);
      place.sandbox.directory.register(account, lines[0].name);
      expect(await running.journal.get('disbursement', `${name()}.S-1`)).toMatchObject({ state });
      const batch = await paidLine();
      expect(await lineOf(batch)).toEqual(UNKNOWN);
      expect(await batch.askAgain()).toBe(0);
      await batch.settle('S-1', 'paid', { by: 'support' });
      expect(await lineOf(batch)).toEqual({ state: 'paid', fee: undefined });
      expect(place.sandbox.payouts()).toHaveLength(1);
    },
  );

  it('can be settled as paid if that payment goes to its phone in another network, and not if to another phone', async () => {
    const [phone, other] = ['255712345603', '255712345604'] as const;
    place.sandbox.directory.register(phone, 'Neema Temba');
    place.sandbox.directory.register(other, 'Neema Temba');
    for (const [recipient_phone, amount, isOwn] of [
      [phone, '300', true],
      [other, '301', false],
    ] as const) {
      names += 1;
      const reference = `${name()}.S-1`;
      const to = { recipient_phone, recipient_name: 'Neema Temba', network: 'NET_ONE' };
      await running.disbursements.mobileMoney({ reference, amount, remarks: name(), ...to });
      lines = [{ key: 'S-1', name: 'Neema Temba', amount, phone }, lines[1]];
      const settled = (await paidLine()).settle('S-1', 'paid', { by: 'support' });
      if (isOwn) await settled;
      else await expect(settled).rejects.toMatchObject({ name: 'ReferenceReusedError' });
    }
  });

  it('leaves that payment open although its answer was lost, so nobody makes it again', async () => {
    place.sandbox.next('POST /disbursements/bank').dropAfterProcessing();
    await expect(payBeside(lines[0].amount, lines[1])).rejects.toThrow();
    const batch = await paidLine();
    expect(await lineOf(batch)).toEqual(UNKNOWN);
    await batch.settle('S-1', 'failed', { by: 'support' });
    expect(await running.journal.get('disbursement', `${name()}.S-1`)).toMatchObject({ state: 'unknown' });
  });

  it.each([
    ['was refused', 'can be settled as failed', true],
    ['was accepted', 'stays unknown', false],
  ])(
    'of a forgotten batch that %s, and that the journal has forgotten, %s',
    async (_was, _can, isRefused) => {
      if (isRefused) place.sandbox.next('POST /disbursements/bank').status(422, { code: 'INVALID_ACCOUNT' });
      await paidLine();
      await place.database.pass(60_000);
      const ages = { olderThanMs: 1, rejectedOlderThanMs: 1, acceptedPayoutsOlderThanMs: 1 };
      expect(await running.journal.purge(ages)).toBeGreaterThan(0);
      expect(await running.batches.purge({ olderThanMs: 1 })).toBeGreaterThan(0);
      lines = [{ ...lines[0], amount: '66' }, lines[1]];
      const batch = await paidLine();
      expect(await lineOf(batch)).toEqual(UNKNOWN);
      const settled = (outcome: 'paid' | 'failed'): Promise<void> =>
        batch.settle('S-1', outcome, { by: 'support' });
      await expect(settled('paid')).rejects.toMatchObject({ code: 'ENTRY_FORGOTTEN' });
      expect(await batch.settlementProblem('S-1', 'paid')).toContain('has forgotten it');
      const problem = await batch.settlementProblem('S-1', 'failed');
      if (isRefused) expect(problem).toBeUndefined();
      else expect(problem).toContain('has forgotten it');
      if (isRefused) await settled('failed');
      else await expect(settled('failed')).rejects.toMatchObject({ code: 'ENTRY_FORGOTTEN' });
      expect(await lineOf(batch)).toEqual({ state: isRefused ? 'failed' : 'unknown', fee: undefined });
      await place.database.pass(60_000);
      expect(await running.batches.purge({ olderThanMs: 1 })).toBe(isRefused ? 1 : 0);
      await place.database.clear();
    },
  );

  it('is unknown if its call fails before it compares the payments', async () => {
    await payBeside(lines[0].amount, lines[1]);
    await approvedBatch(running.batches, name(), lines.slice(0, 1));
    const small = await startBatchesApp({
      sandbox: place.sandbox,
      storage: place.storage,
      policy: { sameRecipientWithinDays: 0 },
      options: { limits: { disbursement: { max: '50' } } },
    });
    const batch = await small.batches.open(name());
    await batch.start({ by: 'maker' });
    await batch.finished();
    expect(await lineOf(batch)).toEqual(UNKNOWN);
    await small.app.close();
  });
});
