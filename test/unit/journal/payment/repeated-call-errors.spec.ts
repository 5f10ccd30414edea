import { describe, expect, it } from 'vitest';
import { type JournalState } from '../../../../lib/common/vocabulary.js';
import { type JournalRecord, type PaymentTombstone } from '../../../../lib/storage/journal-store.js';
import { PaymentRejectedError } from '../../../../lib/errors/payments-errors.js';
import { type ReuseReason } from '../../../../lib/journal/payment/repeated-call.js';
import {
  attemptRefused,
  endNotWritten,
  enlistedRefused,
  referenceForgotten,
  referenceReused,
  existingPaymentUnknown,
} from '../../../../lib/journal/payment/repeated-call-errors.js';

const PAYMENT = {
  operation: 'collection.mobile-money',
  reference: 'order-1',
  idempotencyKey: 'its-key',
} as const;
const NEW = 'Use a new reference for every payment.';
const ASK =
  'Ask the gateway what happened to it, and use a new reference only after the gateway confirmed that it made nothing.';
const WAIT =
  'Wait for the outcome of the payment with this reference before making another one; every other payment needs a reference of its own.';
const ANOTHER = 'belongs to a payment with another body or through another operation, which';
const UNLISTED =
  'belongs to a payment with another body or idempotency key, which the gateway refused or turned away without a listed refusal';
const SAME_AGAIN =
  'Make the same call again with the same reference and content, or ask the gateway. Use a new reference, or list the code in the refusalCodes option, only after the gateway confirmed that it made nothing.';
const KEY = 'belongs to a payment under another idempotency key, which';

describe('a reference that cannot be used', () => {
  it.each<[because: ReuseReason, state: JournalState, why: string, hint: string, mayBeMade: boolean]>([
    ['another-payment', 'in-flight', `${ANOTHER} is being made`, WAIT, true],
    ['another-payment', 'accepted', `${ANOTHER} the gateway has accepted`, WAIT, true],
    ['another-payment', 'unknown', `${ANOTHER} may have been made`, WAIT, true],
    ['another-payment', 'settled', `${ANOTHER} was made`, NEW, true],
    ['another-payment', 'planned', `${ANOTHER} is planned and will be sent`, WAIT, true],
    ['another-key', 'planned', `${KEY} is planned and will be sent`, WAIT, true],
    ['another-key', 'accepted', `${KEY} the gateway has accepted`, WAIT, true],
    ['another-key', 'settled', `${KEY} was made`, NEW, true],
    ['ended', 'settled', 'belongs to a payment that has ended without success', NEW, false],
    ['ended', 'rejected', 'belongs to a payment that has ended without success', NEW, false],
    ['unlisted-refusal', 'rejected', UNLISTED, SAME_AGAIN, true],
  ])('because of %s (%s) has a hint that fits', (because, state, why, hint, mayBeMade) => {
    expect(referenceReused({ ...PAYMENT, state }, because)).toMatchObject({
      ...PAYMENT,
      name: 'ReferenceReusedError',
      message: expect.stringContaining(`Nothing was sent by this call: the reference ${why}.`) as unknown,
      hint,
      mayHaveBeenProcessed: mayBeMade,
    });
  });

  it('because a person said that no money moved is no reason to pay under a new one unasked', () => {
    const settled = { ...PAYMENT, state: 'settled', settledBy: 'operator' } as const;
    expect(referenceReused(settled, 'ended')).toMatchObject({ code: 'REFERENCE_REUSED', hint: ASK });
    expect(referenceReused({ ...settled, settledBy: 'webhook' }, 'ended').hint).toBe(NEW);
    expect(referenceForgotten(PAYMENT, { attempt: 1, end: 'failed', settledBy: 'operator' }).hint).toBe(ASK);
  });
});

describe('a reference whose payment is forgotten', () => {
  it.each<[end: PaymentTombstone['end'], what: string, mayBeMade: boolean, hint?: string]>([
    ['unlisted-refusal', 'the gateway refused or turned away without a listed refusal', true, ASK],
    ['accepted', 'the gateway has accepted', true],
    ['success', 'was made', true],
    ['paid', 'was made', true],
    ['rejected', 'the gateway refused', false],
    ['failed', 'has failed', false],
    ['cancelled', 'was cancelled', false],
    ['expired', 'has expired', false],
  ])('(%s) is not used again', (end, what, mayBeMade, hint = NEW) => {
    expect(referenceForgotten(PAYMENT, { attempt: 1, end })).toMatchObject({
      ...PAYMENT,
      name: 'ReferenceReusedError',
      message: expect.stringContaining(
        `Nothing was sent by this call: the reference belongs to an earlier payment that ${what}. The journal has`,
      ) as unknown,
      hint,
      mayHaveBeenProcessed: mayBeMade,
    });
  });
});

describe('a payment that was not made, and whose end could not be written', () => {
  const notWritten = { ...PAYMENT, name: 'PaymentOutcomeUnknownError', evidence: 'interrupted' };

  it('shows the tries of the call', () => {
    const attempts = [{ number: 1, phase: 'answered', httpStatus: 422, durationMs: 5 }] as const;
    const error = new PaymentRejectedError('REFUSED', 'refused', { attempts });
    const verdict = { end: 'rejected', proven: true } as const;
    expect(endNotWritten(PAYMENT, { ...verdict, error, openProbe: undefined, answered: true })).toMatchObject(
      {
        ...notWritten,
        attempts,
      },
    );
  });

  it('has no tries if the caller gave up before anything was sent', () => {
    const error = endNotWritten(PAYMENT, { end: 'aborted', reason: 'enough', answered: false });
    expect(error).toMatchObject(notWritten);
    expect(error.attempts).toBeUndefined();
  });
});

it('names the payment whose outcome was unknown before', () => {
  expect(existingPaymentUnknown(PAYMENT, 'in-flight')).toMatchObject({
    ...PAYMENT,
    name: 'PaymentOutcomeUnknownError',
    evidence: 'in-flight',
    mayHaveBeenProcessed: true,
  });
});

it.each([
  ['definitely', undefined, true],
  ['without proof', true as const, false],
])('says whether a refusal of an enlisted payment is final: %s', (_how, keepsKey, final) => {
  const record = { ...PAYMENT, ...(keepsKey && { keepsKey }) } as JournalRecord;
  expect(enlistedRefused(record)).toMatchObject({ name: 'PaymentRejectedError', code: 'REJECTED', final });
});

it('says which attempt comes next', () => {
  expect(attemptRefused(PAYMENT, 3)).toMatchObject({
    name: 'PaymentsValidationError',
    message: expect.stringMatching(/^Nothing was sent: the request is wrong: /) as unknown,
    operation: 'collection.mobile-money',
    reference: 'order-1',
    errors: {
      attempt: ['options.attempt has ended already: leave it out, or write 3, the next one'],
    },
  });
});
