import { describe, expect, it, vi } from 'vitest';
import {
  type JournalEntry,
  PaymentOutcomeUnknownError,
  PaymentRejectedError,
  PaymentsAccountError,
  PaymentsAuthenticationError,
  PaymentsRateLimitError,
  PaymentsStorageError,
  PaymentsValidationError,
} from 'nestjs-payments';
import { type LineJournal } from '../../../../lib/batches/jobs/journal-state.js';
import { payLine } from '../../../../lib/batches/jobs/pay-line.js';
import { referenceReused } from '../../../../lib/journal/payment/repeated-call-errors.js';
import { type BatchLine } from '../../../../lib/storage/batch-store.js';

const LINE: BatchLine = {
  number: 1,
  key: 'S-1',
  cents: 100,
  recipient: 'r',
  content: JSON.stringify({
    name: 'Asha',
    amount: '1.00',
    recipient: { kind: 'bank', bankCode: 'BSB', account: '0150' },
  }),
  state: 'sending',
  result: '{}',
  updatedAt: 0,
};
/** What the journal says of the payment of the line. */
const OWN = { amount: '1.00', operation: 'disbursement.bank' } as const;
const VALIDATION = new PaymentsValidationError({ amount: ['amount is more than the option limits allows'] });
const REFUSAL = new PaymentRejectedError('INVALID_ACCOUNT', 'The gateway refused.');
const EMPTY = new PaymentRejectedError('INSUFFICIENT_BALANCE', 'The gateway refused.');
const WRONG_KEYS = new PaymentsAuthenticationError('UNAUTHORIZED', 'The keys are wrong.');
const ENDED = referenceReused(
  { operation: 'disbursement.bank', reference: 'run.S-1', state: 'settled' },
  'ended',
  true,
);
const TOO_MANY = new PaymentsRateLimitError(undefined, 'Too many.');

/** A call that fails, and what the journal holds then. */
async function sentAfter(
  error: Error,
  entry: Partial<JournalEntry> | undefined,
  tombstone: LineJournal['tombstone'] = () => Promise.resolve(undefined),
  later = entry,
): ReturnType<typeof payLine> {
  const get = vi.fn().mockResolvedValueOnce(entry).mockResolvedValue(later);
  const journal = { get, tombstone } satisfies LineJournal;
  const bank = (): Promise<never> => Promise.reject(error);
  const services = { disbursements: { bank, mobileMoney: bank }, journal } as unknown as Parameters<
    typeof payLine
  >[0];
  return payLine(services, 'run', LINE);
}

const stateAfter = async (...args: Parameters<typeof sentAfter>): Promise<string | undefined> =>
  (await sentAfter(...args)).change?.to;

describe('a call of a line that fails', () => {
  it.each<readonly [string, Error, Partial<JournalEntry> | undefined, string | undefined]>([
    ['refused before anything was sent', VALIDATION, undefined, 'refused'],
    ['not sent, because the gateway has too many calls', TOO_MANY, undefined, 'checked'],
    [
      'begun, because the gateway turned it away and the next run sends it with the same key',
      TOO_MANY,
      { state: 'rejected', final: false },
      undefined,
    ],
    [
      'begun, because the gateway refused the keys',
      WRONG_KEYS,
      { state: 'rejected', final: false },
      undefined,
    ],
    [
      'unknown: the keys are wrong after a call without an answer',
      WRONG_KEYS,
      { state: 'unknown' },
      'unknown',
    ],
    [
      'failed, although the payment that ended under its reference was to another recipient',
      ENDED,
      undefined,
      'failed',
    ],
    ['refused, as the journal says, too', REFUSAL, { state: 'rejected', final: true }, 'refused'],
    ['not sent, because the wallet is empty', EMPTY, { state: 'rejected', final: true }, 'checked'],
    [
      'unknown: the refusal came after an answer that proves nothing',
      REFUSAL,
      { state: 'rejected', final: false },
      'unknown',
    ],
    [
      'unknown: the wallet is empty after an answer that proves nothing',
      EMPTY,
      { state: 'rejected', final: false },
      'unknown',
    ],
    ['unknown: an earlier call was cut off', VALIDATION, { state: 'in-flight' }, 'unknown'],
    ['unknown: an earlier call got no answer', TOO_MANY, { state: 'unknown' }, 'unknown'],
    [
      'unknown: the payment that was accepted before was not compared',
      VALIDATION,
      { ...OWN, state: 'accepted' },
      'unknown',
    ],
    [
      'unknown: the payment that somebody settled as paid was not compared',
      TOO_MANY,
      { ...OWN, state: 'settled', outcome: 'paid' },
      'unknown',
    ],
    [
      'unknown: a payment of another amount was accepted under its reference',
      VALIDATION,
      { ...OWN, state: 'accepted', amount: '2.00' },
      'unknown',
    ],
    [
      'unknown: a payment to a phone was paid under its reference',
      TOO_MANY,
      { ...OWN, state: 'settled', outcome: 'paid', operation: 'disbursement.mobile-money' },
      'unknown',
    ],
    [
      'unknown: the journal cannot read the payment that was accepted',
      VALIDATION,
      { ...OWN, state: 'accepted', damaged: 'it is sealed with another key' },
      'unknown',
    ],
  ])('leaves it %s', async (_what, error, entry, state) => {
    expect(await stateAfter(error, entry)).toBe(state);
  });

  it('leaves it as it is while another process makes it, and unknown when nobody does any more', async () => {
    const inFlight = new PaymentOutcomeUnknownError('in-flight', 'It is being made.');
    const interrupted = new PaymentOutcomeUnknownError('interrupted', 'It was cut off.');
    expect(await stateAfter(inFlight, { state: 'in-flight' })).toBeUndefined();
    expect(await stateAfter(interrupted, { state: 'in-flight' })).toBe('unknown');
  });

  it('leaves it unknown if the journal has forgotten its payment', async () => {
    const forgotten = { attempt: 1, end: 'accepted' } as const;
    expect(await stateAfter(VALIDATION, undefined, () => Promise.resolve(forgotten))).toBe('unknown');
  });

  it.each(['in-flight', 'rejected'] as const)(
    'leaves it unknown if a call has written its payment a moment ago, as %s',
    async (state) => {
      expect(await stateAfter(VALIDATION, undefined, undefined, { state })).toBe('unknown');
    },
  );

  it.each([
    new PaymentsStorageError('The journal did not answer in time.'),
    new PaymentsAccountError('ACCOUNT_UNAVAILABLE', 'The keys are of another environment.'),
    new TypeError('Nobody expects it.'),
  ])('leaves it begun, and says why, if the journal cannot be asked: %s', async (failure) => {
    await expect(sentAfter(VALIDATION, undefined, () => Promise.reject(failure))).rejects.toBe(failure);
  });

  it.each([
    ['ACCOUNT_UNKNOWN', undefined],
    ['ACCOUNT_UNAVAILABLE', 'gateway'],
  ] as const)('leaves it begun and pauses if its account is gone: %s', async (code, until) => {
    const gone = new PaymentsAccountError(code, 'The account is gone.');
    expect(await sentAfter(gone, undefined)).toEqual({ stop: { reason: 'The account is gone.', until } });
  });
});
