import { expect, it } from 'vitest';
import { type MoneyCall } from '../../../../lib/gateway/gateway-call.js';
import { answerText, repeatedAnswer } from '../../../../lib/journal/payment/payment-result.js';
import { asRecord, type WireRecord } from '../../../../lib/gateway/answer/wire-record.js';
import { journalRecord } from '../../../support/journal-contract.js';

const call = {
  read: (data: unknown) => ({ value: asRecord(data), warnings: [] }),
} as unknown as MoneyCall<WireRecord>;
const envelope = { code: 'PAYMENT_INITIATED', message: 'm', httpStatus: 200, requestId: 'r' };
const data = {
  reference: 'order-1',
  amount: '1180.50',
  currency: 'TZS',
  status: 'pending',
  provider_reference: 'PA-1',
};

it.each([
  [
    'this build',
    answerText({ envelope, text: JSON.stringify({ status: 'success', data, request_id: 'other' }) }),
  ],
  ['an earlier build', JSON.stringify({ data, envelope })],
])('hands out the answer that %s wrote down', (_, answer) => {
  const value = repeatedAnswer(call, journalRecord('order-1', { state: 'accepted', answer }));
  expect(value).toEqual(data);
  expect(value.lastResponse).toMatchObject({ ...envelope, attempts: [], warnings: [] });
});

it.each(['{"envelope":', '[]', '{}', '{"data":{},"envelope":null'])(
  'hands out what the journal itself knows if the stored answer is damaged (%s)',
  (answer) => {
    const value = repeatedAnswer(call, journalRecord('order-1', { state: 'accepted', answer }));
    expect(value).toMatchObject({ reference: 'order-1', status: 'pending' });
    expect(value.lastResponse.warnings).toEqual([expect.stringContaining('cannot be read from the journal')]);
  },
);
