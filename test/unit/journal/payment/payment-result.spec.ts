import { describe, expect, it } from 'vitest';
import { type JournalRecord } from '../../../../lib/storage/journal-store.js';
import {
  GatewayUnreachableError,
  PaymentOutcomeUnknownError,
  PaymentRejectedError,
  type PaymentsError,
} from '../../../../lib/errors/payments-errors.js';
import { type FailureVerdict } from '../../../../lib/gateway/call-error.js';
import { type CallResult } from '../../../../lib/gateway/call-result.js';
import {
  paymentResult,
  type Recorded,
  existingPaymentResult,
} from '../../../../lib/journal/payment/payment-result.js';
import { recordedCall } from '../../../../lib/journal/payment/recorded-call.js';
import { type Refusal } from '../../../../lib/journal/payment/repeated-call.js';
import { SEALED } from '../../../support/stored-record.js';
import { journalRecord } from '../../../support/journal-contract.js';

type End = CallResult<object>;

const record = journalRecord('order-1');
const call = recordedCall({ ...record, body: '{}' });
const refusal = new PaymentRejectedError('REFUSED', 'refused');
const unreachable = new GatewayUnreachableError('nothing was sent');
const doubt = new PaymentOutcomeUnknownError('server-error', 'failed');

const failed = (verdict: FailureVerdict, error: PaymentsError): End => ({
  ...verdict,
  error,
  openProbe: undefined,
  answered: true,
});
const SUCCESS = {
  end: 'success',
  success: {
    value: { status: 'pending' },
    text: '{}',
    envelope: { code: 'OK', message: '', httpStatus: 200 },
    warnings: ['odd'],
  },
  attempts: [],
} as unknown as End;
const REJECTED = failed({ end: 'rejected', proven: true }, refusal);
const NOT_SENT = failed({ end: 'unreachable' }, unreachable);
const UNKNOWN = failed({ end: 'unknown', evidence: 'server-error' }, doubt);
const ABORTED: End = { end: 'aborted', reason: 'enough', answered: false };

const written = (change?: Partial<JournalRecord>): Recorded => ({
  written: true,
  existing: change && journalRecord('order-1', change),
});
const lost = (mayBeSentAgain: boolean): Recorded => ({ written: false, mayBeSentAgain });
const unknownBecause = (evidence: string): object => ({
  ok: false,
  error: expect.objectContaining({ name: 'PaymentOutcomeUnknownError', evidence }) as unknown,
});
const made = (status: string): object => ({
  ok: true,
  value: expect.objectContaining({ status }) as unknown,
});
const error = (thrown: unknown): object => ({ ok: false, error: thrown });
const GIVEN_UP = { ok: false, error: 'enough', unsent: true };
const OTHER_BODY = { bodyHash: '1:another' };

describe('what a call gives by its answer and by the current entry', () => {
  it.each<[what: string, end: End, recorded: Recorded, expected: object]>([
    ['accepted', SUCCESS, written({ state: 'accepted' }), made('pending')],
    [
      'accepted, and paid meanwhile',
      SUCCESS,
      written({ state: 'settled', outcome: 'success' }),
      made('success'),
    ],
    [
      'accepted, and another attempt has ended meanwhile',
      SUCCESS,
      written({ state: 'settled', outcome: 'failed', idempotencyKey: 'another-key' }),
      made('pending'),
    ],
    [
      'accepted, and another payment has ended under the reference',
      SUCCESS,
      written({ ...OTHER_BODY, state: 'settled', outcome: 'failed' }),
      made('pending'),
    ],

    ['refused', REJECTED, written({ state: 'rejected' }), error(refusal)],
    ['refused, and there is no entry', REJECTED, written(), error(refusal)],
    ['refused, and accepted meanwhile', REJECTED, written({ state: 'accepted' }), made('pending')],
    ['refused, and paid meanwhile', REJECTED, written({ state: 'settled', outcome: 'paid' }), made('paid')],
    [
      'refused, and a success meanwhile',
      REJECTED,
      written({ state: 'settled', outcome: 'success' }),
      made('success'),
    ],
    [
      'refused, and failed meanwhile',
      REJECTED,
      written({ state: 'settled', outcome: 'failed' }),
      error(refusal),
    ],
    [
      'refused, and another payment was accepted under the reference',
      REJECTED,
      written({ ...OTHER_BODY, state: 'accepted' }),
      error(refusal),
    ],
    [
      'refused, and a success meanwhile, which another process has sealed',
      REJECTED,
      written({ bodyHash: SEALED, state: 'settled', outcome: 'success' }),
      made('success'),
    ],
    [
      'refused, and a payment of another call was accepted, which another process has sealed',
      REJECTED,
      written({ bodyHash: SEALED, intent: 'another-call', state: 'accepted' }),
      error(refusal),
    ],
    [
      'refused, and another try is unknown',
      REJECTED,
      written({ state: 'unknown', evidence: 'no-answer' }),
      unknownBecause('refused-after-ambiguity'),
    ],
    [
      'refused, and another try is under way',
      REJECTED,
      written({ state: 'in-flight' }),
      unknownBecause('refused-after-ambiguity'),
    ],
    [
      'refused, and another try is unknown that had a success before',
      REJECTED,
      written({ state: 'unknown', outcome: 'success' }),
      unknownBecause('refused-after-ambiguity'),
    ],
    ['refused, and not written', REJECTED, lost(false), error(refusal)],
    ['refused, and may be sent again', REJECTED, lost(true), unknownBecause('interrupted')],

    ['not sent', NOT_SENT, written(), error(unreachable)],
    [
      'not sent, and another try is under way',
      NOT_SENT,
      written({ state: 'in-flight' }),
      unknownBecause('in-flight'),
    ],
    [
      'not sent, and another try is unknown',
      NOT_SENT,
      written({ state: 'unknown', evidence: 'no-answer' }),
      unknownBecause('no-answer'),
    ],
    ['not sent, and may be sent again', NOT_SENT, lost(true), unknownBecause('interrupted')],

    ['unknown', UNKNOWN, written({ state: 'unknown', evidence: 'no-answer' }), error(doubt)],
    ['unknown, and accepted meanwhile', UNKNOWN, written({ state: 'accepted' }), made('pending')],
    ['unknown, and may be sent again', UNKNOWN, lost(true), error(doubt)],

    ['given up', ABORTED, written(), GIVEN_UP],
    ['given up, and refused before', ABORTED, written({ state: 'rejected' }), GIVEN_UP],
    ['given up, and not written', ABORTED, lost(false), GIVEN_UP],
    ['given up, and may be sent again', ABORTED, lost(true), unknownBecause('interrupted')],
    [
      'given up, and another try is unknown',
      ABORTED,
      written({ state: 'unknown' }),
      unknownBecause('aborted'),
    ],
    [
      'given up, and another try is under way',
      ABORTED,
      written({ state: 'in-flight' }),
      unknownBecause('aborted'),
    ],
    ['given up, and accepted meanwhile', ABORTED, written({ state: 'accepted' }), made('pending')],
  ])('%s', (_, end, recorded, expected) => {
    expect(paymentResult(call, end, recorded, record)).toEqual(expected);
  });

  it('has the tries of a call whose payment a webhook reported first', () => {
    const attempts = [{ number: 1, phase: 'ambiguous', durationMs: 1 }] as const;
    const silent = new PaymentOutcomeUnknownError('no-answer', 'no answer', { attempts });
    const end = failed({ end: 'unknown', evidence: 'no-answer' }, silent);
    const paid = written({ state: 'settled', outcome: 'success' });
    expect(paymentResult(call, end, paid, record)).toMatchObject({ value: { lastResponse: { attempts } } });
    expect(paymentResult(call, ABORTED, paid, record)).toMatchObject({
      value: { lastResponse: { attempts: [], httpStatus: 0 } },
    });
  });

  it.each([
    ['written', written({ state: 'accepted' }), ['odd']],
    ['not written', lost(false), ['odd', expect.stringContaining('could not be written') as unknown]],
  ])('warns of an answer that was not written: %s', (_, recorded, warnings) => {
    expect(paymentResult(call, SUCCESS, recorded, record)).toMatchObject({
      value: { lastResponse: { idempotencyKey: record.idempotencyKey, warnings } },
    });
  });
});

describe('what a call gives that sends nothing', () => {
  it.each<[refusal: Refusal, existing: Partial<JournalRecord>, expected: object]>([
    [{ act: 'repeat-answer' }, { state: 'accepted' }, made('pending')],
    [{ act: 'repeat-answer' }, { state: 'settled', outcome: 'success' }, made('success')],
    [{ act: 'unknown', evidence: 'in-flight' }, { state: 'in-flight' }, unknownBecause('in-flight')],
    [
      { act: 'refuse', because: 'ended' },
      { state: 'settled', outcome: 'failed' },
      error(expect.objectContaining({ name: 'ReferenceReusedError', mayHaveBeenProcessed: false })),
    ],
    [
      { act: 'refuse-attempt', next: 3 },
      { state: 'rejected' },
      error(
        expect.objectContaining({ errors: { attempt: [expect.stringContaining('write 3') as unknown] } }),
      ),
    ],
    [
      { act: 'refuse-key' },
      { state: 'rejected' },
      error(
        expect.objectContaining({
          name: 'PaymentsValidationError',
          errors: { idempotencyKey: [expect.stringContaining('leave it out') as unknown] },
        }),
      ),
    ],
  ])('because of %j', (refusal, change, expected) => {
    expect(existingPaymentResult(call, journalRecord('order-1', change), refusal)).toEqual(expected);
  });
});
