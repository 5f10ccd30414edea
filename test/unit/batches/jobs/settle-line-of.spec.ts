import { describe, expect, it } from 'vitest';
import {
  type BankDisbursement,
  type JournalEntry,
  PaymentsOverloadError,
  type PaymentsResponse,
} from 'nestjs-payments';
import { type PayingServices } from '../../../../lib/batches/jobs/pay-line.js';
import { settleLineOf } from '../../../../lib/batches/jobs/settle-line-of.js';
import {
  type BatchLine,
  type BatchStore,
  type LineChange,
  type LineState,
} from '../../../../lib/storage/batch-store.js';

const SCOPE = { account: 'default', environment: 'sandbox' } as const;
const ENTRY = {
  reference: 'run.S-1',
  amount: '1.00',
  operation: 'disbursement.bank',
  state: 'settled',
  outcome: 'paid',
} as JournalEntry;
const OVERLOADED = new PaymentsOverloadError('There are too many.', undefined, 'not-by-this-call');

/** What a statement writes of the only line, and the payments whose next attempt it gives up before. */
async function settled(
  state: LineState,
  bank: () => Promise<PaymentsResponse<BankDisbursement>>,
  outcome: 'paid' | 'failed' = 'paid',
  givenUp: unknown[] = [],
): Promise<readonly LineChange[]> {
  const content = {
    name: 'Asha',
    amount: '1.00',
    recipient: { kind: 'bank', bankCode: 'BSB', account: '0150' },
  };
  const line = { number: 1, key: 'S-1', content: JSON.stringify(content), state, result: '{}' } as BatchLine;
  const changes: LineChange[] = [];
  const store = {
    get: () => Promise.resolve({ record: { ...SCOPE, batch: 'run', load: 'l' } }),
    line: () => Promise.resolve(line),
    append: () => Promise.resolve(true),
    change: (_load: string, made: readonly LineChange[]) => Promise.resolve(changes.push(...made)),
  } as unknown as BatchStore;
  const entry = { ...ENTRY, outcome };
  const giveUp = (payment: unknown): Promise<boolean> => {
    if (changes.length === 0) givenUp.push(payment);
    return Promise.resolve(true);
  };
  const services = { disbursements: { bank }, journal: { get: () => Promise.resolve(entry), giveUp } };
  const end = { outcome, by: 'accountant' } as const;
  await settleLineOf(store, services as unknown as PayingServices, SCOPE, entry, end);
  return changes;
}

describe('a line that a statement shows as paid', () => {
  const repeated = (): Promise<PaymentsResponse<BankDisbursement>> =>
    Promise.resolve({ fee: '0.50' } as PaymentsResponse<BankDisbursement>);

  it.each(['unknown', 'refused', 'blocked'] as const)('is paid, though it was %s', async (state) => {
    const [change] = await settled(state, repeated);
    expect(change).toMatchObject({ number: 1, to: 'paid' });
    expect(JSON.parse(change!.result!)).toMatchObject({ fee: '0.50' });
  });

  it('is an error if nothing can compare it with the payment now, so that nobody takes it for settled', async () => {
    const busy = (): Promise<never> => Promise.reject(OVERLOADED);
    await expect(settled('refused', busy)).rejects.toMatchObject({ code: 'LINE_NOT_COMPARED' });
    expect(await settled('accepted', busy)).toMatchObject([{ to: 'paid' }]);
  });
});

describe('a line that a statement shows as failed', () => {
  it('gives up its next attempt first, which a run that stands still may be about to make', async () => {
    const givenUp: unknown[] = [];
    const never = (): Promise<never> => Promise.reject(new Error('It calls nothing.'));
    expect(await settled('unknown', never, 'failed', givenUp)).toMatchObject([{ to: 'failed' }]);
    expect(givenUp).toEqual([expect.objectContaining({ family: 'disbursement', reference: 'run.S-1' })]);
    await settled('unknown', () => Promise.reject(OVERLOADED), 'paid', givenUp).catch(() => undefined);
    expect(givenUp).toHaveLength(1);
  });
});
