import { afterEach, expect, it, vi } from 'vitest';
import { Logger } from '@nestjs/common';
import { reportNotSent } from '../../../../lib/journal/payment/write-failures.js';
import { KeyServiceError } from '../../../../lib/storage/sealed/encryption.js';
import { journalRecord } from '../../../support/journal-contract.js';

afterEach(() => {
  vi.restoreAllMocks();
});

it.each([
  ['the journal does not answer', undefined, 'the journal is unreachable', 'the storage answers'],
  ['the journal fails', new Error('away'), 'the journal is unreachable', 'the storage answers'],
  [
    'no key can seal it',
    new KeyServiceError('away'),
    'it cannot be sealed',
    'the key service of the option encryption works',
  ],
])(
  'a payment that is not written down because %s is reported with what to wait for',
  (_, cause, what, once) => {
    const error = vi.spyOn(Logger.prototype, 'error').mockImplementation(() => {});
    const payment = { ...journalRecord('order-1'), body: '{}' };
    expect(reportNotSent(payment, 'why', cause)).toMatchObject({
      name: 'PaymentsStorageError',
      mayHaveBeenProcessed: 'not-by-this-call',
      message: 'The journal could not be written, so this call sent nothing for this collection.',
      hint: `Make the same call again once ${once}. If the reference was used before, that earlier call may have been processed.`,
    });
    expect(error.mock.calls).toEqual([[`Not sent: ${what}: collection.mobile-money "order-1": why`]]);
  },
);
