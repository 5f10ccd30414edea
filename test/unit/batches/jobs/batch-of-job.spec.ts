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
const EMPTY = { state: 'paused', pause: { reason: 'Top it up.', until: 'balance' } } as const;
const OTHER = { environment: 'production' } as const;
const CHECKING = { state: 'checking' } as const;

interface Case {
  readonly kind?: 'check' | 'pay' | 'wake';
  /** Of the account's keys. */
  readonly environment?: 'sandbox' | 'production';
  readonly hasResolver?: boolean;
  readonly stored?: { readonly state: BatchRecord['state']; readonly pause?: object } | undefined;
  readonly load?: string;
  readonly round?: number;
  readonly resumeAfterTopUp?: boolean;
}

/** What becomes of a job. */
async function endOf({
  kind = 'pay',
  environment = 'sandbox',
  hasResolver = true,
  load = 'l',
  round = 2,
  resumeAfterTopUp = false,
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
    const found = await batchOfJob({ ...JOB, kind }, account, { resumeAfterTopUp });
    expect(asked).toEqual([{ account: 'shop', environment: 'sandbox', batch: 'run' }]);
    return found ? 'is worked on' : 'is over';
  } catch (error) {
    return String((error as { code?: unknown }).code);
  }
}

it.each<readonly [string, Case, string]>([
  ['of its run', {}, 'is worked on'],
  ['of its run, which has ended', { stored: { state: 'ended' } }, 'is over'],
  ['of its run, which was cancelled', { stored: { state: 'cancelled' } }, 'is over'],
  ['of its run, which pauses until something happens', { stored: WAITING }, 'is worked on'],
  ['of its run, which a person resumes', { stored: PAUSED }, 'is over'],
  ['of its run, if nobody knows why it pauses', { stored: { state: 'paused' } }, 'is over'],
  ['of a run, whose batch is checked now', { stored: CHECKING }, 'is over'],
  ['of its check', { kind: 'check', stored: CHECKING }, 'is worked on'],
  ['of a check that is over', { kind: 'check' }, 'is over'],
  ['of a check, whose batch pauses now', { kind: 'check', stored: WAITING }, 'is over'],
  ['that wakes a batch', { kind: 'wake', stored: WAITING }, 'is worked on'],
  ['that wakes a batch, which a person resumes', { kind: 'wake', stored: PAUSED }, 'is over'],
  ['that wakes a batch without money', { kind: 'wake', stored: EMPTY }, 'is over'],
  [
    'that wakes a batch without money, if a top-up resumes it',
    { kind: 'wake', stored: EMPTY, resumeAfterTopUp: true },
    'is worked on',
  ],
  ['that looks for the keys of a run', { kind: 'wake' }, 'is worked on'],
  ['that looks for the keys of a check', { kind: 'wake', stored: CHECKING }, 'is worked on'],
  ['that looks for the keys of an earlier check', { kind: 'wake', stored: CHECKING, round: 3 }, 'is over'],
  ['that wakes an earlier pause', { kind: 'wake', stored: WAITING, round: 3 }, 'is over'],
  ['of another load', { load: 'm' }, 'is over'],
  ['of an earlier run', { round: 3 }, 'is over'],
  ['of a later run', { round: 1 }, 'is over'],
  ['that may have begun the next run', { kind: 'wake', round: 3 }, 'is worked on'],
  ['that woke an earlier run', { kind: 'wake', round: 4 }, 'is over'],
  ['without its batch', { stored: undefined }, 'BATCH_NOT_FOUND'],
  ['of other keys, which a resolver may change', OTHER, 'is worked on'],
  ['of other keys, whose batch was cancelled', { ...OTHER, stored: { state: 'cancelled' } }, 'is over'],
  ['of other keys without its batch', { ...OTHER, stored: undefined }, 'BATCH_NOT_FOUND'],
  ['of another environment than a registered account', { ...OTHER, hasResolver: false }, 'BATCH_NOT_FOUND'],
])('a job %s', async (_which, given, end) => {
  expect(await endOf(given)).toBe(end);
});
