import { describe, expect, it } from 'vitest';
import { interpretAttempt } from '../../../../lib/gateway/answer/interpret-attempt.js';
import { nameLookupCall } from '../../../../lib/name-lookup/name-lookup-call.js';
import { statusCall } from '../../../../lib/journal/outcomes/status-query.js';
import { recordedCall } from '../../../../lib/journal/payment/payments.js';
import { journalRecord } from '../../../support/journal-contract.js';

const CALL = recordedCall(journalRecord('order-1'));

describe('a try without an answer', () => {
  it.each([
    [{ sent: false, aborted: false }, 'not-sent'],
    [{ sent: true, aborted: false }, 'no-answer'],
    [{ sent: false, aborted: true }, 'aborted-unsent'],
    [{ sent: true, aborted: true }, 'aborted'],
  ] as const)('%j is %s', (failure, event) => {
    const result = { result: 'failure', code: 'TIMEOUT', ...failure } as const;
    expect(interpretAttempt(CALL, result, new Set())).toEqual({
      report: { event, code: 'TIMEOUT', errors: {} },
    });
  });

  it('that was held back says for how long', () => {
    expect(interpretAttempt(CALL, { result: 'held-back', retryAfterMs: 70_000 }, new Set())).toEqual({
      report: { event: 'held-back', code: 'HELD_BACK', retryAfterMs: 70_000, errors: {} },
    });
  });
});

it('a success answer that names no code has an empty one, never the code of another answer', () => {
  const text = JSON.stringify({ status: 'success', message: 'ok', data: { status: 'pending' } });
  const headers = { contentType: 'application/json' };
  const call = statusCall('/payments/{reference}', journalRecord('order-1'));
  const { success } = interpretAttempt(
    call,
    { result: 'response', httpStatus: 200, text, headers },
    new Set(),
  );
  expect(success?.envelope).toEqual({ message: 'ok', httpStatus: 200, code: '' });
});

it('of a refused name lookup only the fields of its own request are named, without the words of the gateway', () => {
  const call = nameLookupCall({ channel: 'BANK', account_number: '0150123456789', bank_code: 'CRDB' });
  const errors = { account_number: ['belongs to Asha Mushi'], holder: ['is Asha Mushi'] };
  const text = JSON.stringify({ status: 'error', message: 'Asha Mushi has closed it', errors });
  const headers = { contentType: 'application/json' };
  const { report } = interpretAttempt(
    call,
    { result: 'response', httpStatus: 422, text, headers },
    new Set(),
  );
  expect(report).toEqual({
    event: 'refused',
    httpStatus: 422,
    errors: { account_number: ['account_number was refused by the gateway'] },
  });
});
