import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type PayoutBatch, type PayoutLine } from 'nestjs-payments/batches';
import { type LineState } from '../../support/batch-contract.js';
import { approvedBatch, type BatchesApp, knownLines, startBatchesApp } from '../../support/batches-app.js';
import { type BatchesPlace, keyOf, startBatchesPlace } from '../../support/batches-place.js';

const WEEK_MS = 7 * 86_400_000;

describe('a line that was checked a week ago', () => {
  let place: BatchesPlace;
  let running: BatchesApp;
  let lines: readonly [PayoutLine, PayoutLine];
  let batch: PayoutBatch;
  let now = Date.parse('2026-11-25T08:00:00Z');
  let names = 0;

  beforeAll(async () => {
    place = await startBatchesPlace();
    running = await startBatchesApp({
      sandbox: place.sandbox,
      storage: place.storage,
      policy: { sameRecipientWithinDays: 0 },
      now: () => now,
    });
  });
  beforeEach(async () => {
    await place.sandbox.reset();
    names += 1;
    lines = knownLines(place.sandbox, 2, `${100 + names}`) as [PayoutLine, PayoutLine];
    batch = await approvedBatch(running.batches, `run-${names}`, lines);
    now += WEEK_MS;
  });
  afterAll(async () => {
    await running.app.close();
    await place.close();
  });

  /** What a process sent of the first line before it was killed. */
  const sendFirst = async (): Promise<void> => {
    const [{ amount, bank_code, account_number, name }] = lines;
    const to = { bank_code: String(bank_code), account_number: String(account_number), account_name: name };
    await running.disbursements.bank({ reference: `${batch.name}.S-1`, amount, remarks: batch.name, ...to });
  };
  /** The account of the first line belongs to somebody else today. */
  const changeHolder = (): void => {
    place.sandbox.directory.register(String(lines[0].account_number), 'Juma Hamisi Bakari');
  };
  const mark = async (): Promise<void> => {
    const { load } = (await place.store.get(keyOf(batch.name)))!.record;
    const marks = [1, 2].map((number) => ({ number, from: ['checked'], to: 'sending' }) as const);
    expect(await place.store.change(load, marks)).toEqual([1, 2]);
  };
  const paid = async (): Promise<readonly LineState[]> => {
    await batch.start({ by: 'maker' });
    expect((await batch.finished()).state).toBe('ended');
    const found: LineState[] = [];
    for await (const { state } of batch.lines()) found.push(state);
    return found;
  };
  const lookups = (): number => place.sandbox.requests().filter(({ path }) => path.includes('lookup')).length;

  it('is looked up again, although a process had marked it and was killed before it sent it', async () => {
    await mark();
    changeHolder();
    const before = lookups();
    expect(await paid()).toEqual(['blocked', 'accepted']);
    expect(lookups() - before).toBe(2);
    expect(place.sandbox.payouts()).toHaveLength(1);
  });

  it.each(['checked', 'sending'] as const)(
    'is not looked up again if it was sent, and ends as that payment, although it is %s',
    async (state) => {
      if (state === 'sending') await mark();
      await sendFirst();
      changeHolder();
      const before = lookups();
      expect(await paid()).toEqual(['accepted', 'accepted']);
      expect(lookups() - before).toBe(1);
      expect(place.sandbox.payouts()).toHaveLength(2);
    },
  );
});
