import { afterEach, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { type JournalStore } from '../../../../lib/common/journal-port.js';
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
  const intent = (await PaymentIntent.begin(
    journal,
    first,
    undefined,
    performance.now() + 1_000,
  )) as PaymentIntent;
  const standing = await journal.get(first);
  const second = journalRecord('order-1', { state: 'in-flight', attempt: 2, idempotencyKey: 'own-key' });
  await journal.replace(standing!.version, second, 0);

  await intent.end({
    end: 'failed',
    verdict: { end: 'unknown', evidence: 'no-answer' },
    error: new PaymentOutcomeUnknownError('no-answer', 'no answer came'),
    openProbe: undefined,
  });

  expect((await journal.get(first))?.record).toMatchObject({ attempt: 2, state: 'in-flight' });
  expect(error).toHaveBeenCalledWith(expect.stringContaining('earlier attempt'));
});

it.each([
  ['the first attempt', undefined],
  ['a later attempt', journalRecord('order-1', { intent: 'the-call-before', state: 'rejected' })],
] as const)('takes %s for its own where a client of the store wrote it twice', async (_what, before) => {
  const { journal } = memoryStorage();
  const standing = before && (await journal.insert(before, 0)).stored;
  const twice: JournalStore = Object.assign(Object.create(journal) as JournalStore, {
    insert: async (...args: Parameters<JournalStore['insert']>) => {
      await journal.insert(...args);
      return journal.insert(...args);
    },
    replace: async (...args: Parameters<JournalStore['replace']>) => {
      await journal.replace(...args);
      return journal.replace(...args);
    },
  });
  const record = journalRecord('order-1', { attempt: 2 });

  const intent = await PaymentIntent.begin(twice, record, standing, performance.now() + 1_000);

  expect(intent).toBeInstanceOf(PaymentIntent);
  expect(intent?.record).toEqual(record);
  const another = journalRecord('order-1', { intent: 'another-call' });
  const stands = await PaymentIntent.begin(twice, another, standing, performance.now() + 1_000);
  expect(stands).not.toBeInstanceOf(PaymentIntent);
  expect(stands?.record).toEqual(record);
});

it('writes its end without reading first', async () => {
  const { journal } = memoryStorage();
  const record = journalRecord('order-1');
  const deadline = performance.now() + 1_000;
  const intent = (await PaymentIntent.begin(journal, record, undefined, deadline)) as PaymentIntent;
  const get = jest.spyOn(journal, 'get');
  const verdict = { end: 'unknown', evidence: 'no-answer' } as const;
  const error = new PaymentOutcomeUnknownError('no-answer', 'no answer came');

  const ended = await intent.end({ end: 'failed', verdict, error, openProbe: undefined });

  expect(ended?.record.state).toBe('unknown');
  expect(get).not.toHaveBeenCalled();
});
