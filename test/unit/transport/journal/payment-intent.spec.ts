import { afterEach, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { PaymentOutcomeUnknownError } from '../../../../lib/errors/payment-outcome-unknown.error.js';
import { memoryStorage } from '../../../../lib/storage/memory.storage.js';
import { PaymentIntent } from '../../../../lib/transport/journal/payment-intent.js';
import { journalRecord } from '../../../support/journal-contract.js';

afterEach(() => {
  jest.restoreAllMocks();
});

it('leaves a later attempt alone, also where the caller gave both attempts one key', async () => {
  const error = jest.spyOn(Logger.prototype, 'error').mockImplementation(() => {});
  const { journal } = memoryStorage();
  const first = journalRecord('order-1', { state: 'in-flight', attempt: 1, idempotencyKey: 'own-key' });
  const intent = await PaymentIntent.begin(journal, first, undefined, performance.now() + 1_000);
  const standing = await journal.get(first);
  const second = journalRecord('order-1', { state: 'in-flight', attempt: 2, idempotencyKey: 'own-key' });
  await journal.replace(standing!.version, second, 0);

  await intent!.end({
    end: 'failed',
    verdict: { end: 'unknown', evidence: 'no-answer' },
    error: new PaymentOutcomeUnknownError('no-answer', 'no answer came'),
    openProbe: undefined,
  });

  expect((await journal.get(first))?.record).toMatchObject({ attempt: 2, state: 'in-flight' });
  expect(error).toHaveBeenCalledWith(expect.stringContaining('earlier attempt'));
});
