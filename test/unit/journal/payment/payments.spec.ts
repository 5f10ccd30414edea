import { beforeEach, describe, expect, it, vi, type Mock } from 'vitest';
import { type JournalStore } from '../../../../lib/common/journal-port.js';
import {
  PaymentOutcomeUnknownError,
  PaymentRejectedError,
  type PaymentsError,
} from '../../../../lib/errors/payments-errors.js';
import { memoryStorage } from '../../../../lib/storage/memory/memory-storage.js';
import { type CallEnd } from '../../../../lib/gateway/call-result.js';
import { type RequestRules } from '../../../../lib/gateway/gateway-client.js';
import { createPayments, type Payments, recordedCall } from '../../../../lib/journal/payment/payments.js';
import { journalRecord, storedBy } from '../../../support/journal-contract.js';

const record = journalRecord('order-1', {
  body: '{"reference":"order-1"}',
  state: 'unknown',
  evidence: 'no-answer',
});
const failed = (
  verdict: Extract<CallEnd<object>, { end: 'failed' }>['verdict'],
  error: PaymentsError,
): CallEnd<object> => ({
  end: 'failed',
  verdict,
  error,
  openProbe: undefined,
  answered: false,
});
const UNKNOWN = failed(
  { end: 'unknown', evidence: 'no-answer' },
  new PaymentOutcomeUnknownError('no-answer', 'no answer came'),
);
const REJECTED = failed({ end: 'rejected', listed: true }, new PaymentRejectedError('REFUSED', 'refused'));
const SUCCESS = {
  end: 'success',
  success: {
    value: {},
    text: '{}',
    envelope: { code: 'OK', message: '', httpStatus: 200 },
    warnings: [],
  },
  attempts: [],
} as unknown as CallEnd<object>;

describe('the calls that move money', () => {
  let journal: JournalStore;
  let end: CallEnd<object>;
  let sent: number;
  let tell: Mock;
  let payments: Payments;

  beforeEach(() => {
    ({ journal } = memoryStorage());
    end = UNKNOWN;
    sent = 0;
    tell = vi.fn();
    payments = createPayments(
      {
        account: 'default',
        environment: 'sandbox',
        probe: { collection: { afterAnswerMs: 0, afterSilenceMs: 0 }, disbursement: undefined },
        recoveryWindowMs: 900_000,
        timeoutMs: 1_000,
        deadlineMs: 60_000,
        retry: { maxAttempts: 1, baseDelayMs: 1, maxDelayMs: 1 },
      },
      journal,
      { tell },
      {
        rules: {} as RequestRules,
        send: <T extends object>() => {
          sent += 1;
          return Promise.resolve(end as CallEnd<T>);
        },
      },
    );
  });

  it.each<[what: string, came: CallEnd<object>, announced: boolean]>([
    ['nobody knows what came of it', UNKNOWN, true],
    ['it was refused', REJECTED, false],
    ['it was accepted', SUCCESS, false],
  ])('announce a payment as unknown, or not: %s', async (_, came, announced) => {
    end = came;
    await payments.make(recordedCall(record)).catch(() => {});
    expect(sent).toBe(1);
    expect(tell.mock.calls).toEqual(
      announced
        ? [
            [
              'payment.unknown',
              expect.objectContaining({ account: 'default', reference: 'order-1', evidence: 'no-answer' }),
            ],
          ]
        : [],
    );
  });

  it('leave the one further try to whoever took it first', async () => {
    const seen = storedBy(await journal.insert(record, 0));
    await journal.replace(seen.version, seen.record, 60_000);
    expect(await payments.probe(seen)).toBeUndefined();
    expect(sent).toBe(0);
  });

  it('make the one further try where nobody else did', async () => {
    const seen = storedBy(await journal.insert(record, 0));
    end = SUCCESS;
    expect(await payments.probe(seen)).toMatchObject({ standing: { state: 'accepted' } });
    expect(sent).toBe(1);
  });
});
