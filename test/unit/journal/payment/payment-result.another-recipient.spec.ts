import { expect, it } from 'vitest';
import { type MoneyCall } from '../../../../lib/gateway/gateway-call.js';
import { answerText, existingPaymentResult } from '../../../../lib/journal/payment/payment-result.js';
import { AnotherRecipientError } from '../../../../lib/journal/payment/repeated-call-errors.js';
import { journalRecord } from '../../../support/journal-contract.js';

const ASKED = { bank_code: 'BSB', account_number: '0150000000799', account_name: 'Asha Mushi' };

/** Whether a call is told that its reference belongs to a payment to somebody else. */
function isToAnother(
  asked: Record<string, unknown>,
  kept: { readonly body?: string; readonly answer?: string },
): boolean {
  const call = { body: asked } as unknown as MoneyCall<object>;
  const { body: _body, ...record } = journalRecord('salaries.S-1', { state: 'accepted' });
  const existing = { ...record, ...kept };
  const result = existingPaymentResult(call, existing, { act: 'refuse', because: 'another-payment' });
  return !result.ok && result.error instanceof AnotherRecipientError;
}

function answered(data: object): { readonly answer: string } {
  const envelope = { code: 'PAYMENT_INITIATED', message: 'm', httpStatus: 200, requestId: 'r' };
  return { answer: answerText({ envelope, text: JSON.stringify({ status: 'success', data }) }) };
}

it.each<[string, boolean, object]>([
  ['another account', true, { account_number: '0150000000798' }],
  ['another name', false, { account_name: 'MUSHI ASHA' }],
  ['another spelling of the bank', false, { bank_code: ' bsb' }],
  ['a masked account', false, { account_number: '****799' }],
  ['an account that the gateway writes as a number', false, { account_number: 150000000799 }],
  ['no account', false, { account_number: undefined }],
])('takes %s for another recipient: %s', (_what, isOther, sent) => {
  const data = { ...ASKED, ...sent };
  expect(isToAnother(ASKED, answered(data))).toBe(isOther);
  expect(isToAnother(ASKED, { body: JSON.stringify(data) })).toBe(isOther);
});

it('takes another bank in the request for another recipient, and not in the answer, which may spell its code otherwise', () => {
  const data = { ...ASKED, bank_code: 'BSBX' };
  expect(isToAnother(ASKED, { body: JSON.stringify(data) })).toBe(true);
  expect(isToAnother(ASKED, answered(data))).toBe(false);
});

it('knows a phone in each spelling, and nothing without a request and an answer', () => {
  const asked = { recipient_phone: '255712345603', recipient_name: 'Neema', network: 'NET_ONE' };
  expect(isToAnother(asked, answered({ recipient_phone: '+255 712 345 603' }))).toBe(false);
  expect(isToAnother(asked, answered({ recipient_phone: '0712345604' }))).toBe(true);
  expect(isToAnother(asked, {})).toBe(false);
});
