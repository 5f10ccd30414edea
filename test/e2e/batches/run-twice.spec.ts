import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type BatchPolicy, type PayoutBatch, type PayoutLine } from 'nestjs-payments/batches';
import { type LineState } from '../../support/batch-contract.js';
import { approvedBatch, type BatchesApp, knownLines, startBatchesApp } from '../../support/batches-app.js';
import { type BatchesPlace, keyOf, startBatchesPlace, withBatches } from '../../support/batches-place.js';
import { eventually } from '../../support/eventually.js';

describe('a job that runs twice at once, and whose other run is killed before it writes what it paid', () => {
  let place: BatchesPlace;
  let first: BatchesApp;
  let lines: readonly PayoutLine[];
  let names = 0;
  const name = (which = ''): string => `run-${names}${which}`;

  const start = (storage = place.storage, policy?: BatchPolicy): Promise<BatchesApp> =>
    startBatchesApp({ sandbox: place.sandbox, storage, ...(policy && { policy }) });

  beforeAll(async () => {
    place = await startBatchesPlace();
  });
  beforeEach(async () => {
    await place.sandbox.reset();
    names += 1;
    lines = knownLines(place.sandbox, 3, `${100 + names}`);
    first = await start();
    return () => first.app.close();
  });
  afterAll(() => place.close());

  const copies = (): readonly PayoutLine[] => lines.map((line) => ({ ...line, key: `copy-${line.key}` }));
  /** What the other run sends of a line. */
  const sendLine = async (
    batch: PayoutBatch,
    line: PayoutLine,
    { amount = line.amount, signal }: { amount?: PayoutLine['amount']; signal?: AbortSignal } = {},
  ): Promise<void> => {
    const reference = `${batch.name}.${line.key}`;
    const to = { bank_code: String(line.bank_code), account_number: String(line.account_number) };
    const payment = { reference, amount, remarks: batch.name, ...to, account_name: line.name };
    await first.disbursements.bank(payment, { signal });
  };
  /** Pays a batch in a process in which something happens right after it has marked its lines. */
  const payWith = async (batch: PayoutBatch, meanwhile: () => Promise<unknown>): Promise<void> => {
    let isFirst = true;
    const slow = await start(
      withBatches(place.storage, (store) => ({
        change: async (load, changes) => {
          const changed = await store.change(load, changes);
          const happens = isFirst && changes[0]?.to === 'sending';
          if (happens) isFirst = false;
          if (happens) await meanwhile();
          return changed;
        },
      })),
    );
    const same = await slow.batches.open(batch.name);
    await same.start({ by: 'maker' });
    await same.finished();
    await slow.app.close();
  };
  const change = async (
    batch: PayoutBatch,
    number: number,
    from: LineState,
    to: LineState,
  ): Promise<void> => {
    const { load } = (await place.store.get(keyOf(batch.name)))!.record;
    expect(await place.store.change(load, [{ number, from: [from], to }])).toEqual([number]);
  };
  const states = async (batch: PayoutBatch): Promise<readonly LineState[]> => {
    const found: LineState[] = [];
    for await (const { state } of batch.lines()) found.push(state);
    return found;
  };

  it.each(['cancel', 'pause'] as const)(
    'never shows a line as not sent that was, after a %s, so no other batch pays it',
    async (act) => {
      const batch = await approvedBatch(first.batches, name(), lines);
      await payWith(batch, async () => {
        await sendLine(batch, lines[1]!);
        await batch[act]({ by: 'checker' });
      });
      expect(await states(batch)).toEqual(['checked', 'sending', 'checked']);
      const other = await first.batches.create(name('-b'), copies(), { by: 'maker' });
      expect((await other.check({ by: 'maker' })).blockedLines).toMatchObject([{ key: 'copy-S-2' }]);
      if (act === 'cancel') expect(await batch.askAgain()).toBe(1);
      else await batch.resume({ by: 'maker' });
      await batch.finished();
      const rest = act === 'cancel' ? 'checked' : 'accepted';
      expect(await states(batch)).toEqual([rest, 'accepted', rest]);
    },
  );

  it('never blocks a line that was sent because its recipient was paid in another batch', async () => {
    const other = await approvedBatch(first.batches, name('-a'), copies());
    const batch = await approvedBatch(first.batches, name('-b'), lines);
    await other.start({ by: 'maker' });
    await other.finished();
    await payWith(batch, () => sendLine(batch, lines[1]!));
    expect(await states(batch)).toEqual(['blocked', 'accepted', 'blocked']);
    expect(place.sandbox.payouts()).toHaveLength(4);
  });

  it.each(['checked', 'blocked', 'refused'] as const)(
    'is found out about by askAgain() in a batch that is over, although the line is %s',
    async (state) => {
      const batch = await approvedBatch(first.batches, name(), lines);
      await payWith(batch, () => batch.cancel({ by: 'checker' }));
      if (state !== 'checked') for (const number of [1, 2, 3]) await change(batch, number, 'checked', state);
      await sendLine(batch, lines[0]!);
      // Another payment: it did not pay this line.
      await sendLine(batch, lines[1]!, { amount: '7' });
      expect(await batch.askAgain()).toBe(1);
      expect(await states(batch)).toEqual(['accepted', state, state]);
      expect(await batch.askAgain()).toBe(0);
      expect(place.sandbox.payouts()).toHaveLength(2);
    },
  );

  it('may be sent, says askAgain() of a line that another process sends in a batch that is over', async () => {
    const batch = await approvedBatch(first.batches, name(), lines);
    await payWith(batch, () => batch.cancel({ by: 'checker' }));
    place.sandbox.next('POST /disbursements/bank').delay(60_000);
    const killed = new AbortController();
    const sending = sendLine(batch, lines[0]!, { signal: killed.signal });
    await eventually(async () => {
      const entry = await first.journal.get('disbursement', `${name()}.S-1`);
      expect(entry?.state).toBe('in-flight');
    });
    const next = await start();
    expect(await (await next.batches.open(name())).askAgain()).toBe(1);
    expect(await states(batch)).toEqual(['sending', 'checked', 'checked']);
    killed.abort();
    await expect(sending).rejects.toThrow();
    await next.app.close();
  });
});
