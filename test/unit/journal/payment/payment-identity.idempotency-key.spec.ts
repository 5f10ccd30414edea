import { describe, expect, it } from 'vitest';
import {
  idempotencyKeyFor,
  uuidV5,
  type KeyedPayment,
} from '../../../../lib/journal/payment/payment-identity.js';

const DNS_NAMESPACE = '6ba7b810-9dad-11d1-80b4-00c04fd430c8';

const payment: KeyedPayment = {
  account: 'default',
  environment: 'sandbox',
  operation: 'collection.mobile-money',
  reference: 'order-1',
  attempt: 1,
};

describe('the idempotency key', () => {
  it('is made as RFC 9562 shows it', () => {
    expect(uuidV5(DNS_NAMESPACE, 'www.example.com')).toBe('2ed6657d-e927-568b-95e1-2665a8aea6a2');
  });

  it('never changes from release to release', () => {
    expect(idempotencyKeyFor(payment)).toBe('7f937921-da3f-57c3-98b3-4873ec8b67d1');
  });

  const others: Partial<KeyedPayment>[] = [
    { account: 'payouts' },
    { environment: 'production' },
    { operation: 'collection.partner-wallet' },
    { reference: 'order-2' },
    { reference: 'ORDER-1' },
    { attempt: 2 },
  ];

  for (const other of others) {
    it(`is another one for ${JSON.stringify(other)}`, () => {
      expect(idempotencyKeyFor({ ...payment, ...other })).not.toBe(idempotencyKeyFor(payment));
    });
  }
});
