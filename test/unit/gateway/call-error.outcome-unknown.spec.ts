import { describe, expect, it } from 'vitest';
import { outcomeUnknownError } from '../../../lib/gateway/call-error.js';

describe('the error for an unknown outcome', () => {
  it('says what was seen and what to do next', () => {
    const error = outcomeUnknownError(
      'no-answer',
      { code: 'ECONNRESET' },
      { operation: 'collection.mobile-money' },
    );
    expect(error.message).toBe(
      'It is not known whether the money moved: the request was sent and no complete answer came (ECONNRESET).',
    );
    expect(error.hint).toContain('wait for the webhook');
  });

  it.each([
    ['no-answer', 'the request was sent and no complete answer came'],
    ['bad-answer', 'the request was sent and its answer says nothing for certain'],
    ['server-error', 'the gateway failed after it had the request'],
    ['provider-error', 'the provider failed at an unknown moment'],
    ['echo-mismatch', 'the answer names another reference, amount, currency, account or phone than was sent'],
    [
      'duplicate-request',
      'the gateway has processed this idempotency key before, so the payment was most likely accepted',
    ],
    ['duplicate-reference', 'the gateway already holds a payment under this reference'],
    ['unlisted-code', 'the gateway answered with a code that does not say whether the payment was made'],
    [
      'refused-after-ambiguity',
      'an earlier try of this call may have arrived, so the refusal of a later one proves nothing',
    ],
    ['aborted', 'the call was aborted after the request was sent'],
    ['in-flight', 'the same payment is being made elsewhere right now'],
    ['interrupted', 'the process ended while the payment was under way'],
  ] as const)('says what %s means', (evidence, seen) => {
    const { message } = outcomeUnknownError(evidence, {}, { operation: 'collection.mobile-money' });
    expect(message).toBe(`It is not known whether the money moved: ${seen}.`);
  });

  it('tells a payout from a collection: no webhook comes for it', () => {
    const error = outcomeUnknownError('bad-answer', { httpStatus: 200 }, { operation: 'disbursement.bank' });
    expect(error.hint).toContain('Look the payout up');
    expect(error.message).toContain('(HTTP 200)');
  });

  it('does not repeat the hint of a refusal that proves nothing', () => {
    const error = outcomeUnknownError(
      'refused-after-ambiguity',
      { code: 'INSUFFICIENT_BALANCE' },
      { operation: 'disbursement.bank', hint: 'Top up the wallet' },
    );
    expect(error.hint).not.toContain('Top up');
  });

  it('says to look up a used reference, even if the gateway gave field messages and no code', () => {
    const error = outcomeUnknownError('duplicate-reference', {}, {});
    expect(error.hint).toContain('Look that reference up');
  });

  it('says that an operator must look again if the gateway contradicted itself or the operator', () => {
    const error = outcomeUnknownError('conflict', {}, { operation: 'disbursement.bank' });
    expect(error.message).toBe(
      'It is not known whether the money moved: it was written down as refused, planned, or ended without success, and the gateway acknowledged it afterwards.',
    );
    expect(error.hint).toContain('PaymentsJournal.settle()');
    expect(error.hint).toContain('do not pay again under another reference');
    expect(error.mayHaveBeenProcessed).toBe(true);
  });
});
