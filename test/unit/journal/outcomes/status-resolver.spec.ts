import { afterEach, expect, it, vi } from 'vitest';
import { Logger } from '@nestjs/common';
import { OutcomeRecorder, OutcomeNotifier } from '../../../../lib/journal/outcomes/outcome-recorder.js';
import { StatusResolver } from '../../../../lib/journal/outcomes/status-resolver.js';
import { memoryStorage } from '../../../../lib/storage/memory/memory-storage.js';
import { GatewayAnswerError, PaymentsRateLimitError } from '../../../../lib/errors/payments-errors.js';
import { type GatewayClient } from '../../../../lib/gateway/gateway-client.js';
import { SEALED } from '../../../support/stored-record.js';
import { journalRecord, storedBy } from '../../../support/journal-contract.js';

const LEASE_MS = 60_000;

afterEach(() => {
  vi.restoreAllMocks();
});

it.each([
  ['pending', { state: 'accepted' }],
  ['on-hold', { state: 'unknown', acknowledged: true }],
  ['success', { state: 'settled', outcome: 'success', settledBy: 'status' }],
])(
  'writes down that a payment is %s, and leaves the lease to the call that may still run',
  async (status, known) => {
    const { journal } = memoryStorage({ now: () => 1_800_000_000_000 });
    const record = journalRecord('order-1', { state: 'unknown', evidence: 'no-answer' });
    const existing = storedBy(await journal.insert(record, LEASE_MS));
    const read = (): Promise<object> =>
      Promise.resolve({ reference: record.reference, amount: record.amount, status });
    const resolver = new StatusResolver(
      { collection: '/payments/{reference}', disbursement: undefined },
      { read } as unknown as GatewayClient,
      journal,
      new OutcomeNotifier(),
    );
    expect(await resolver.ask(existing)).toMatchObject({ record: known, leaseLeftMs: LEASE_MS });
    expect(await journal.get(record)).toMatchObject({ record: known, leaseLeftMs: LEASE_MS });
  },
);

it.each([
  ['no path is configured for it', undefined, {}],
  ['its record cannot be read', '/payments/{reference}', { damaged: 'its record is a list' }],
  [
    'another process has sealed it',
    '/payments/{reference}',
    { record: journalRecord('order-1', { bodyHash: SEALED }) },
  ],
  ['the path would be another one', '/payments/{reference}', { record: journalRecord('..') }],
])('asks nothing about a payment if %s', async (_, collection, change) => {
  const { journal } = memoryStorage();
  const existing = { ...storedBy(await journal.insert(journalRecord('order-1'), 0)), ...change };
  const read = vi.fn();
  const client = { read } as unknown as GatewayClient;
  const paths = { collection, disbursement: '/payouts/{reference}' };
  const resolver = new StatusResolver(paths, client, journal, new OutcomeNotifier());
  expect(await resolver.ask(existing)).toBe(existing);
  expect(read).not.toHaveBeenCalled();
});

it.each([
  [new PaymentsRateLimitError(60_000, 'Too many requests.'), 1],
  [new GatewayAnswerError('SERVER_ERROR', 'The gateway failed.'), 0],
])(
  'leaves a payment as it is after %s, and says whether the gateway limits the queries',
  async (failure, times) => {
    const { journal } = memoryStorage();
    const existing = storedBy(await journal.insert(journalRecord('order-1', { state: 'accepted' }), 0));
    const gateway = { read: () => Promise.reject(failure) } as unknown as GatewayClient;
    const paths = { collection: '/payments/{reference}', disbursement: undefined };
    const resolver = new StatusResolver(paths, gateway, journal, new OutcomeNotifier());
    const onRateLimit = vi.fn();
    expect(await resolver.ask(existing, {}, onRateLimit)).toBe(existing);
    expect(onRateLimit).toHaveBeenCalledTimes(times);
    expect(await resolver.ask(existing)).toBe(existing);
  },
);

it('ends no attempt that began while the gateway was asked about the one before', async () => {
  const { journal } = memoryStorage();
  const first = journalRecord('order-1', { state: 'unknown', evidence: 'no-answer' });
  const existing = storedBy(await journal.insert(first, 0));
  const second = journalRecord('order-1', { state: 'in-flight', attempt: 2, intent: 'second' });
  const read = async (): Promise<object> => {
    await journal.replace(existing.version, second, LEASE_MS);
    return { reference: first.reference, amount: first.amount, status: 'failed' };
  };
  const watch = new OutcomeNotifier();
  const changes = vi.fn();
  watch.on(first, changes);
  const paths = { collection: '/payments/{reference}', disbursement: undefined };
  const resolver = new StatusResolver(paths, { read } as unknown as GatewayClient, journal, watch);
  const known = { ...second, acknowledged: true };
  expect(await resolver.ask(existing)).toMatchObject({ record: known });
  expect((await journal.get(first))?.record).toEqual(known);
  expect(changes).toHaveBeenCalledTimes(1);
});

it.each([
  ['pending', { state: 'unknown', evidence: 'conflict' }, 1],
  ['success', { state: 'unknown', evidence: 'conflict' }, 1],
  ['failed', { state: 'settled', outcome: 'failed', settledBy: 'operator' }, 0],
])(
  'tells an operator who called a payment failed while the gateway was asked that it is %s',
  async (status, known, lines) => {
    const error = vi.spyOn(Logger.prototype, 'error').mockImplementation(() => {});
    const { journal } = memoryStorage();
    const record = journalRecord('order-1', { state: 'unknown', evidence: 'no-answer' });
    const existing = storedBy(await journal.insert(record, 0));
    const read = async (): Promise<object> => {
      await new OutcomeRecorder(journal).settle(record, 'failed');
      return { reference: record.reference, amount: record.amount, status };
    };
    const paths = { collection: '/payments/{reference}', disbursement: undefined };
    const gateway = { read } as unknown as GatewayClient;
    const resolver = new StatusResolver(paths, gateway, journal, new OutcomeNotifier());
    expect((await resolver.ask(existing)).record).toMatchObject({ ...known, acknowledged: true });
    expect(error).toHaveBeenCalledTimes(lines);
    if (lines > 0) {
      expect(error).toHaveBeenCalledWith(
        expect.stringMatching(
          /"order-1", which was written down as failed: it is unknown again\. .*settle\(\)/,
        ),
      );
    }
  },
);
