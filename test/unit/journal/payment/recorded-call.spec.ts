import { expect, it } from 'vitest';
import { recordedCall } from '../../../../lib/journal/payment/recorded-call.js';
import { journalRecord } from '../../../support/journal-contract.js';

it('makes the call of a payment that was written down', () => {
  const { read, ...call } = recordedCall(journalRecord('order-1', { body: '{"reference":"order-1"}' }));
  expect(call).toMatchObject({
    kind: 'collection',
    operation: 'collection.mobile-money',
    method: 'POST',
    payment: { reference: 'order-1', amount: '1180.50', currency: 'TZS' },
    body: { reference: 'order-1' },
  });
  expect(read({ status: 'pending' })).toEqual({ value: { status: 'pending' }, warnings: [] });
  for (const other of [null, 'pending', []]) expect(read(other)).toBeUndefined();
});

it('has an empty body if it was erased', () => {
  const { body: _erased, ...record } = journalRecord('order-1');
  expect(recordedCall(record).body).toEqual({});
});
