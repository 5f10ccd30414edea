import fc from 'fast-check';
import { expect, it } from 'vitest';
import { paymentReference } from '../../../../lib/batches/batch/payment-reference.js';

it('no two lines of two batches have the same reference', () => {
  const name = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9_-]{0,8}$/);
  fc.assert(
    fc.property(name, name, name, name, (batch, key, otherBatch, otherKey) => {
      const isSame = batch === otherBatch && key === otherKey;
      expect(paymentReference(batch, key) === paymentReference(otherBatch, otherKey)).toBe(isSame);
    }),
  );
});
