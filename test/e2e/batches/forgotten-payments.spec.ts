import { Logger } from '@nestjs/common';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type LineState, type PayoutBatch } from 'nestjs-payments/batches';
import { approvedBatch, type BatchesApp, knownLines, startBatchesApp } from '../../support/batches-app.js';
import { type BatchesPlace, startBatchesPlace } from '../../support/batches-place.js';

const DAY_MS = 86_400_000;
const BY = { by: 'support' };

describe('an unknown line whose payment the journal has forgotten', () => {
  let place: BatchesPlace;
  let running: BatchesApp;
  let name: string;
  let names = 0;

  beforeAll(async () => {
    place = await startBatchesPlace();
    running = await startBatchesApp({
      sandbox: place.sandbox,
      storage: place.storage,
      policy: { sameRecipientWithinDays: 0 },
      options: { probe: false },
    });
  });
  beforeEach(async () => {
    await place.sandbox.reset();
    await place.database.clear();
    names += 1;
    name = `run-${names}`;
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });
  afterAll(async () => {
    await running.app.close();
    await place.close();
  });

  /** A batch of one line, whose answer is lost. */
  const unknownLine = async (batchName = name): Promise<PayoutBatch> => {
    const batch = await approvedBatch(
      running.batches,
      batchName,
      knownLines(place.sandbox, 1, `${100 + names}`),
    );
    place.sandbox.next('POST /disbursements/bank').dropAfterProcessing();
    await batch.start({ by: 'maker' });
    await batch.finished();
    return batch;
  };
  /** Somebody says in the journal alone how the payment ended, and the journal forgets it a year later. */
  const forgotten = async (outcome: 'paid' | 'failed' | 'cancelled'): Promise<PayoutBatch> => {
    const batch = await unknownLine();
    await running.journal.settle('disbursement', `${name}.S-1`, outcome);
    await place.database.pass(400 * DAY_MS);
    await running.journal.purge({ olderThanMs: DAY_MS });
    expect(await running.journal.get('disbursement', `${name}.S-1`)).toBeUndefined();
    return batch;
  };
  const withoutTombstones = async (): Promise<void> => {
    await place.database.pass(DAY_MS);
    await running.journal.purge({ olderThanMs: 1, tombstonesOlderThanMs: 1 });
  };
  const stateOf = async (batch: PayoutBatch): Promise<LineState | undefined> => {
    for await (const { state } of batch.lines()) return state;
    return undefined;
  };
  const purge = (): Promise<number> => running.batches.purge({ olderThanMs: DAY_MS });

  it.each([
    ['paid', 'paid'],
    ['failed', 'failed'],
    ['cancelled', 'failed'],
  ] as const)(
    'that remembers the end %s can be settled as %s, and its batch is forgotten, too',
    async (end, outcome) => {
      const batch = await forgotten(end);
      const contrary = outcome === 'paid' ? 'failed' : 'paid';
      expect(await batch.settlementProblem('S-1', contrary)).toContain('has forgotten it');
      await expect(batch.settle('S-1', contrary, BY)).rejects.toMatchObject({ code: 'ENTRY_FORGOTTEN' });
      expect(await batch.askAgain()).toBe(0);
      expect(await stateOf(batch)).toBe('unknown');
      expect(await batch.settlementProblem('S-1', outcome)).toBeUndefined();
      await batch.settle('S-1', outcome, BY);
      expect(await stateOf(batch)).toBe(outcome);
      await place.database.pass(2 * DAY_MS);
      expect(await purge()).toBe(1);
      expect(place.sandbox.payouts()).toHaveLength(1);
    },
  );

  it.each(['paid', 'failed'] as const)(
    'can be settled as %s when the tombstone is gone as well, and nothing sends it again',
    async (outcome) => {
      const batch = await forgotten('paid');
      await withoutTombstones();
      expect(await batch.settlementProblem('S-1', outcome)).toBeUndefined();
      await batch.settle('S-1', outcome, BY);
      expect(await stateOf(batch)).toBe(outcome);
      expect(await batch.askAgain()).toBe(0);
      expect(await stateOf(batch)).toBe(outcome);
      const audit: object[] = [];
      for await (const entry of batch.audit()) audit.push(entry);
      expect(audit.at(-1)).toMatchObject({ action: 'settle', by: 'support' });
      expect(place.sandbox.payouts()).toHaveLength(1);
    },
  );

  it.each([
    ['', '{}'],
    [', also if its call had found the payment of somebody else', '{"isOfAnother":true}'],
  ])('takes the next attempt away from a run when it has failed without a tombstone%s', async (_, result) => {
    const batch = await forgotten('paid');
    await withoutTombstones();
    await place.database.pool.query('UPDATE payments_batch_lines SET result = $1', [result]);
    await batch.settle('S-1', 'failed', BY);
    const [line] = knownLines(place.sandbox, 1, `${100 + names}`);
    const late = running.disbursements.bank(
      {
        reference: `${name}.S-1`,
        amount: line?.amount ?? '',
        remarks: name,
        bank_code: String(line?.bank_code),
        account_number: String(line?.account_number),
        account_name: line?.name ?? '',
      },
      { attempt: 1 },
    );
    await expect(late).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
    expect(place.sandbox.payouts()).toHaveLength(1);
  });

  it('cannot be settled without a tombstone while its batch is being paid', async () => {
    const batch = await forgotten('paid');
    await withoutTombstones();
    await place.database.pool.query("UPDATE payments_batches SET state = 'paused'");
    expect(await batch.settlementProblem('S-1', 'paid')).toContain('has forgotten it');
    await expect(batch.settle('S-1', 'paid', BY)).rejects.toMatchObject({ code: 'ENTRY_NOT_FOUND' });
    expect(await stateOf(batch)).toBe('unknown');
  });

  it('is named by the purge that keeps its batch, which names ten batches and says what to do', async () => {
    const count = 12;
    for (let index = 1; index <= count; index += 1) {
      names += 1;
      await unknownLine(`${name}-${index}`);
    }
    const batch = await running.batches.open(`${name}-1`);
    const warn = vi.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
    expect(await purge()).toBe(0);
    expect(warn).not.toHaveBeenCalled();
    await place.database.pass(2 * DAY_MS);
    expect(await purge()).toBe(0);
    const named = Array.from({ length: 10 }, (_, index) => `"${name}-${index + 1}" of the account "default"`);
    const rest = ', and 2 more. Call askAgain() of each, and settle() the lines that stay unknown.';
    const because = 'because some of their lines are sending or unknown: ';
    expect(warn.mock.calls).toEqual([
      [`Old batches stay, with the data of all their lines, ${because}${named.join(', ')}${rest}`],
    ]);
    await batch.settle('S-1', 'paid', BY);
    await place.database.pass(2 * DAY_MS);
    expect(await purge()).toBe(1);
    expect(warn.mock.calls.at(-1)?.[0]).toContain(', and 1 more.');
  });

  it.each(['checked', 'blocked', 'refused', 'failed'])(
    'is not called paid by the tombstone of another payment if it is %s: it was never sent',
    async (state) => {
      const batch = await forgotten('paid');
      await place.database.pool.query('UPDATE payments_batch_lines SET state = $1', [state]);
      await expect(batch.settle('S-1', 'paid', BY)).rejects.toMatchObject({ code: 'ENTRY_FORGOTTEN' });
      expect(await stateOf(batch)).toBe(state);
    },
  );

  it('was never paid if its call had found the payment of somebody else, whatever the tombstone says', async () => {
    const batch = await forgotten('paid');
    await place.database.pool.query(`UPDATE payments_batch_lines SET result = '{"isOfAnother":true}'`);
    await expect(batch.settle('S-1', 'paid', BY)).rejects.toMatchObject({ name: 'ReferenceReusedError' });
    await batch.settle('S-1', 'failed', BY);
    expect(await stateOf(batch)).toBe('failed');
  });
});
