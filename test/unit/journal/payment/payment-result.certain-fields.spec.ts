import { describe, expect, it } from 'vitest';
import { type WireRecord } from '../../../../lib/gateway/answer/wire-record.js';
import { type CallResult } from '../../../../lib/gateway/call-result.js';
import {
  answerText,
  paymentResult,
  type PaymentResult,
  repeatedAnswer,
} from '../../../../lib/journal/payment/payment-result.js';
import { recordedCall } from '../../../../lib/journal/payment/recorded-call.js';
import { journalRecord } from '../../../support/journal-contract.js';

const record = journalRecord('order-1', { state: 'accepted' });
const call = recordedCall(record);
const envelope = { code: 'PAYMENT_INITIATED', message: '', httpStatus: 200 };
const { amount } = record;

const ANSWERS: readonly (readonly [what: string, data: WireRecord, expected: WireRecord])[] = [
  ['nothing', {}, { reference: 'order-1', amount, currency: 'TZS', status: 'pending' }],
  [
    'null',
    { reference: null, amount: null, currency: null, status: null, fee: null },
    { reference: 'order-1', amount, currency: 'TZS', status: 'pending', fee: null },
  ],
  [
    'a reference that is a number, perhaps rounded to that of another payment',
    { reference: 9_007_199_254_740_992, amount, currency: 'TZS', status: 'pending' },
    { reference: 'order-1', amount, currency: 'TZS', status: 'pending' },
  ],
  [
    'another status, and a field of its own',
    { reference: 'order-1', status: 'on-hold', extra: 1 },
    { reference: 'order-1', amount, currency: 'TZS', status: 'on-hold', extra: 1 },
  ],
];

function answered(value: object): PaymentResult<WireRecord> {
  const success = { value, text: '{}', envelope, warnings: ['odd'] };
  const end = { end: 'success', success, attempts: [] } as unknown as CallResult<WireRecord>;
  return paymentResult(call, end, { written: true, existing: record }, record);
}

describe('a result names the payment, whatever the answer leaves out', () => {
  it.each(ANSWERS)('an answer with %s', (_, data, expected) => {
    expect(answered(data)).toEqual({ ok: true, value: expected });
  });

  it('hands a complete answer out as it was read', () => {
    const value = { reference: 'order-1', amount, currency: 'TZS', status: 'processing' };
    expect(answered(value)).toHaveProperty('value', value);
    expect((answered(value) as { value: object }).value).toBe(value);
  });

  it.each(ANSWERS)('a repeated answer with %s', (_, data, expected) => {
    const answer = answerText({ envelope, text: JSON.stringify({ status: 'success', data }) });
    expect(repeatedAnswer(call, { ...record, answer })).toEqual(expected);
  });

  it('says of a repeated answer what it lacked, and nothing of one that is complete', () => {
    const warnings = (data: object): readonly string[] => {
      const answer = answerText({ envelope, text: JSON.stringify({ status: 'success', data }) });
      return repeatedAnswer(call, { ...record, answer }).lastResponse.warnings;
    };
    expect(warnings({ status: 'pending', currency: 'TZS' })).toEqual([
      'the answer has no reference',
      'the answer has no amount',
    ]);
    expect(warnings({ reference: 'order-1', amount, currency: 'TZS', status: 'pending' })).toEqual([]);
  });

  it('has the outcome for a status once the payment has ended', () => {
    const answer = answerText({ envelope, text: '{"status":"success","data":{"status":"pending"}}' });
    const ended = journalRecord('order-1', { state: 'settled', outcome: 'success', answer });
    expect(repeatedAnswer(call, ended)).toEqual({
      reference: 'order-1',
      amount,
      currency: 'TZS',
      status: 'success',
    });
  });
});
