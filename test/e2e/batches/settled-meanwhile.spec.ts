import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type PaymentsStorage } from 'nestjs-payments';
import { type PayoutBatch, type PayoutLine } from 'nestjs-payments/batches';
import { type BatchStore, type LineState } from '../../support/batch-contract.js';
import { approvedBatch, type BatchesApp, knownLines, startBatchesApp } from '../../support/batches-app.js';
import { type BatchesPlace, keyOf, startBatchesPlace, withBatches } from '../../support/batches-place.js';

const PAYOUT = 'POST /disbursements/bank';

describe('a line that ended while a job was about to send it', () => {
  let place: BatchesPlace;
  let first: BatchesApp;
  let lines: readonly PayoutLine[];
  let batch: PayoutBatch;
  let names = 0;
  const name = (which = ''): string => `run-${names}${which}`;

  const start = (storage: PaymentsStorage = place.storage): Promise<BatchesApp> =>
    startBatchesApp({ sandbox: place.sandbox, storage, options: { retry: { maxAttempts: 1 } } });

  beforeAll(async () => {
    place = await startBatchesPlace();
  });
  beforeEach(async () => {
    await place.sandbox.reset();
    names += 1;
    lines = knownLines(place.sandbox, 2, `${100 + names}`);
    first = await start();
    return () => first.app.close();
  });
  afterAll(() => place.close());

  const change = async (number: number, from: LineState, to: LineState): Promise<void> => {
    const { load } = (await place.store.get(keyOf(name())))!.record;
    expect(await place.store.change(load, [{ number, from: [from], to }])).toEqual([number]);
  };
  /** An approved batch, of which a process began the second line and died: the gateway may have it. */
  const begunBatch = async (): Promise<void> => {
    batch = await approvedBatch(first.batches, name(), lines);
    const [, line] = lines;
    place.sandbox.next(PAYOUT).dropBefore();
    const call = first.disbursements.bank({
      reference: `${name()}.S-2`,
      amount: String(line?.amount),
      remarks: name(),
      bank_code: String(line?.bank_code),
      account_number: String(line?.account_number),
      account_name: String(line?.name),
    });
    await expect(call).rejects.toMatchObject({ name: 'PaymentOutcomeUnknownError' });
    await change(2, 'checked', 'sending');
  };
  /** Pays the batch in a process in which something happens once before a call of the storage, or after it. */
  const payIn = async (
    hooked: (once: () => boolean, store: BatchStore) => Partial<BatchStore>,
  ): Promise<void> => {
    let isOver = false;
    const once = (): boolean => !isOver && (isOver = true);
    const slow = await start(withBatches(place.storage, (store) => hooked(once, store)));
    const same = await slow.batches.open(batch.name);
    await same.start({ by: 'maker' });
    await same.finished();
    await slow.app.close();
  };
  /** Something happens when the job has read its chunk. */
  const afterRead = (happens: () => Promise<unknown>): Promise<void> =>
    payIn((once, store) => ({
      change: async (load, changes) => {
        if (changes[0]?.to === 'sending' && once()) await happens();
        return store.change(load, changes);
      },
    }));
  const settle = (): Promise<void> => batch.settle('S-2', 'failed', { by: 'support' });
  const states = async (): Promise<readonly LineState[]> => {
    const found: LineState[] = [];
    for await (const { state } of batch.lines()) found.push(state);
    return found;
  };
  const sent = (): readonly string[] => place.sandbox.payouts().map(({ reference }) => reference);

  it('is not paid after somebody settled it as failed', async () => {
    await begunBatch();
    await afterRead(settle);
    expect(await states()).toEqual(['accepted', 'failed']);
    expect(sent()).toEqual([`${name()}.S-1`]);
  });

  it('is not paid after somebody settled it as failed right before its call', async () => {
    await begunBatch();
    await payIn((once, store) => ({
      line: async (load, key) => {
        const line = await store.line(load, key);
        if (key === 'S-2' && once()) await settle();
        return line;
      },
    }));
    expect(await states()).toEqual(['accepted', 'failed']);
    expect(sent()).toEqual([`${name()}.S-1`]);
  });

  it('is not paid if only the journal knows that it was settled as failed', async () => {
    await begunBatch();
    await afterRead(() => first.journal.settle('disbursement', `${name()}.S-2`, 'failed'));
    expect(await states()).toEqual(['accepted', 'failed']);
    expect(sent()).toEqual([`${name()}.S-1`]);
  });

  it.each(['refused', 'blocked'] as const)('is not paid after another job has %s it', async (state) => {
    batch = await approvedBatch(first.batches, name(), lines);
    await change(2, 'checked', 'sending');
    await afterRead(() => change(2, 'sending', state));
    expect(await states()).toEqual(['accepted', state]);
    expect(sent()).toEqual([`${name()}.S-1`]);
  });

  it('is not paid after another job has seen first that its recipient was paid elsewhere', async () => {
    const copies = lines.map((line) => ({ ...line, key: `copy-${line.key}` }));
    const other = await approvedBatch(first.batches, name('-b'), copies);
    batch = await approvedBatch(first.batches, name(), lines);
    await other.start({ by: 'maker' });
    await other.finished();
    await payIn((_once, store) => ({
      change: async (load, changes) => {
        if (changes[0]?.to === 'blocked') await store.change(load, changes);
        return store.change(load, changes);
      },
    }));
    expect(await states()).toEqual(['blocked', 'blocked']);
    expect(sent()).toHaveLength(2);
  });

  it.each([
    ['in the batch', () => settle()],
    ['in the journal', () => first.journal.settle('disbursement', `${name()}.S-2`, 'failed')],
  ])(
    'is not paid after the wallet was empty and somebody settled it as failed %s',
    async (_where, settled) => {
      place.sandbox
        .next(PAYOUT, { reference: `${name()}.S-2` })
        .status(400, { code: 'INSUFFICIENT_BALANCE' });
      batch = await approvedBatch(first.batches, name(), lines);
      await batch.start({ by: 'maker' });
      expect(await batch.finished()).toMatchObject({ state: 'paused', byState: { checked: { lines: 1 } } });
      await settled();
      await batch.resume({ by: 'maker' });
      expect((await batch.finished()).state).toBe('ended');
      expect(await states()).toEqual(['accepted', 'failed']);
      expect(sent()).toEqual([`${name()}.S-1`]);
    },
  );
});
