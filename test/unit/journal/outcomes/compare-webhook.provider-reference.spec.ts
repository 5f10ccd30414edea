import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { providerReferenceOf, transactionName } from '../../../../lib/journal/outcomes/compare-webhook.js';
import { paymentEvent } from '../../../../lib/testing/payment-event.js';

describe("the provider's reference", () => {
  it.each([
    ['MP240101.1200', 'MP240101.1200'],
    [' p1 ', 'p1'],
    [7_001, '7001'],
    [0, '0'],
    ['', undefined],
    ['  ', undefined],
    [null, undefined],
    [undefined, undefined],
    [true, undefined],
    [{ id: 'p1' }, undefined],
  ])('%j is read as %j', (given, name) => {
    expect(transactionName(given)).toBe(name);
  });

  it('is kept as a hash, of a success only', () => {
    const event = (name: string, provider_reference: string | null) =>
      paymentEvent(name, { provider_reference });
    const hashed = createHash('sha256').update('p1').digest('hex');
    expect(providerReferenceOf(event('payment.success', ' p1'))).toBe(hashed);
    expect(providerReferenceOf(event('payment.success', null))).toBeUndefined();
    expect(providerReferenceOf(event('payment.failed', 'p1'))).toBeUndefined();
  });
});
