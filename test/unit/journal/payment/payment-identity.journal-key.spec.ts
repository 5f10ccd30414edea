import { expect, it } from 'vitest';
import fc from 'fast-check';
import { journalKeyText } from '../../../../lib/journal/payment/payment-identity.js';
import { type JournalKey } from '../../../../lib/storage/journal-store.js';

it('is the same text for the same payment only', () => {
  const text = fc.string({ unit: fc.constantFrom('a', '1', ' ', '|', '"'), maxLength: 4 });
  const key = fc.record<JournalKey>({
    account: text,
    environment: fc.constantFrom('sandbox', 'production'),
    family: fc.constantFrom('collection', 'disbursement'),
    reference: text,
  });
  fc.assert(
    fc.property(key, key, (one, other) => {
      const same = JSON.stringify(Object.values(one)) === JSON.stringify(Object.values(other));
      expect(journalKeyText(one) === journalKeyText(other)).toBe(same);
    }),
    { numRuns: 5_000 },
  );
  const account = (name: string, reference: string): string =>
    journalKeyText({ account: name, environment: 'sandbox', family: 'collection', reference });
  expect(account('a', 'b c')).not.toBe(account('a b', 'c'));
  expect(account('a', '1 b')).not.toBe(account('a 1', 'b'));
});
