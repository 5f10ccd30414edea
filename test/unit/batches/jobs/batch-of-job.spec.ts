import { expect, it } from 'vitest';
import { type BatchAccount } from '../../../../lib/batches/batch/batch-accounts.js';
import { batchOfJob } from '../../../../lib/batches/jobs/batch-of-job.js';
import { type BatchKey, type BatchRecord, type StoredBatch } from '../../../../lib/storage/batch-store.js';

const JOB = {
  kind: 'pay',
  account: 'shop',
  environment: 'sandbox',
  batch: 'run',
  load: 'l',
  round: 2,
  chunk: 1,
} as const;
const PAUSED = { state: 'paused', pause: { reason: 'Paused by maker.' } } as const;
const WAITING = { state: 'paused', pause: { reason: 'It is away.', until: 'gateway' } } as const;

interface Case {
  readonly kind?: 'check' | 'pay' | 'wake';
  /** Of the account's keys. */
  readonly environment?: 'sandbox' | 'production';
  readonly hasResolver?: boolean;
  readonly stored?: { readonly state: BatchRecord['state']; readonly pause?: object } | undefined;
  readonly load?: string;
  readonly round?: number;
}

/** What becomes of a job. */
async function endOf({
  kind = 'pay',
  environment = 'sandbox',
  hasResolver = true,
  load = 'l',
  round = 2,
  ...given
}: Case): Promise<string> {
  const { state, pause } = ('stored' in given ? given.stored : { state: 'running', pause: undefined }) ?? {};
  const asked: BatchKey[] = [];
  const account = {
    scope: { account: 'shop', environment },
    hasResolver,
    store: {
      get: (key: BatchKey) => {
        asked.push(key);
        const record = { load, state, details: JSON.stringify({ round, pause }) };
        return Promise.resolve(state && ({ record } as StoredBatch));
      },
    },
  } as unknown as BatchAccount;
  try {
    const found = await batchOfJob({ ...JOB, kind }, account);
    expect(asked).toEqual([{ account: 'shop', environment: 'sandbox', batch: 'run' }]);
    return found ? 'is worked on' : 'is over';
  } catch (error) {
    return String((error as { code?: unknown }).code);
  }
}

const OTHER = { environment: 'production' } as const;

it.each<readonly [string, Case, string]>([
  ['of its run', {}, 'is worked on'],
  ['of its run, whatever the state', { stored: { state: 'ended' } }, 'is worked on'],
  ['of another load', { load: 'm' }, 'is over'],
  ['of an earlier run', { round: 3 }, 'is over'],
  ['of a later run', { round: 1 }, 'is over'],
  ['that may have begun the next run', { kind: 'wake', round: 3 }, 'is worked on'],
  ['that woke an earlier run', { kind: 'wake', round: 4 }, 'is over'],
  ['without its batch', { stored: undefined }, 'BATCH_NOT_FOUND'],
  ['of other keys', OTHER, 'ACCOUNT_UNAVAILABLE'],
  [
    'of other keys that checks',
    { ...OTHER, kind: 'check', stored: { state: 'checking' } },
    'ACCOUNT_UNAVAILABLE',
  ],
  ['of other keys that wakes', { ...OTHER, kind: 'wake', stored: WAITING }, 'ACCOUNT_UNAVAILABLE'],
  ['of other keys, which a person resumes', { ...OTHER, stored: PAUSED }, 'is over'],
  ['of other keys, whose batch has ended', { ...OTHER, stored: { state: 'ended' } }, 'is over'],
  ['of other keys, whose batch was cancelled', { ...OTHER, stored: { state: 'cancelled' } }, 'is over'],
  ['of other keys and an earlier run', { ...OTHER, round: 3 }, 'is over'],
  ['of other keys without its batch', { ...OTHER, stored: undefined }, 'BATCH_NOT_FOUND'],
  ['of another environment than a registered account', { ...OTHER, hasResolver: false }, 'BATCH_NOT_FOUND'],
])('a job %s', async (_which, given, end) => {
  expect(await endOf(given)).toBe(end);
});
