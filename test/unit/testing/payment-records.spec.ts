import { describe, expect, it } from 'vitest';
import {
  bankDisbursement,
  collectionPayment,
  mobileMoneyDisbursement,
} from '../../../lib/testing/payment-records.js';

describe.each([
  ['collectionPayment', collectionPayment, 'PAYMENT_INITIATED'],
  ['bankDisbursement', bankDisbursement, 'DISBURSEMENT_INITIATED'],
  ['mobileMoneyDisbursement', mobileMoneyDisbursement, 'DISBURSEMENT_INITIATED'],
] as const)('%s', (_, fixture, code) => {
  it('takes what a test says, and makes a reference up', () => {
    expect(fixture({ reference: 'order-1', amount: '5.00' })).toMatchObject({
      reference: 'order-1',
      amount: '5.00',
    });
    expect(fixture().reference).not.toBe(fixture().reference);
  });

  it('tells of one try that went well, beside its fields', () => {
    const record = fixture();
    expect(record.lastResponse).toMatchObject({ code, httpStatus: 200, warnings: [] });
    expect(record.lastResponse.attempts).toHaveLength(1);
    expect(Object.keys(record)).not.toContain('lastResponse');
  });
});
