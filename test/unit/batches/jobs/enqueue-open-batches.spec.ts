import { Logger } from '@nestjs/common';
import { expect, it, onTestFinished, vi } from 'vitest';
import { type BatchJob } from 'nestjs-payments/batches';
import { type BatchContext } from '../../../../lib/batches/batch/batch-context.js';
import { enqueueOpenBatches } from '../../../../lib/batches/jobs/enqueue-open-batches.js';
import { KeysWait } from '../../../../lib/batches/jobs/keys-wait.js';
import { type BatchRecord, type StoredBatch } from '../../../../lib/storage/batch-store.js';

interface OpenBatch {
  readonly hasResolver: boolean;
  readonly state: BatchRecord['state'];
  readonly pause?: object;
}

const KEYS =
  'The batch "run" of the account "shop" waits until accounts.resolve returns keys of the sandbox environment.';
const TOP_UP = { reason: 'Top it up.', until: 'balance' };

/** What a process does that starts with keys of production: the jobs that it gives to the engine, with their delays, and its log. */
async function enqueued({
  hasResolver,
  state,
  pause,
}: OpenBatch): Promise<readonly [readonly (readonly [BatchJob['kind'], number])[], readonly string[]]> {
  const warn = vi.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
  onTestFinished(() => {
    warn.mockRestore();
  });
  const details = JSON.stringify({ round: 1, pause });
  const record = { account: 'shop', environment: 'sandbox', batch: 'run', load: 'l', state, details };
  const jobs: (readonly [BatchJob['kind'], number])[] = [];
  const context = {
    accounts: {
      stores: () => [{ unfinished: () => Promise.resolve([{ record } as StoredBatch]) }],
      open: () => Promise.resolve({ scope: { account: 'shop', environment: 'production' }, hasResolver }),
    },
    engine: {
      add: (added: readonly BatchJob[], delayMs: number) => {
        for (const job of added) {
          expect(job).toMatchObject({ environment: 'sandbox', batch: 'run', load: 'l', round: 1 });
          jobs.push([job.kind, delayMs]);
        }
        return Promise.resolve();
      },
    },
    policy: { resumeAfterTopUp: false },
    now: () => 0,
    stopping: new AbortController().signal,
  } as unknown as BatchContext;
  await enqueueOpenBatches(context, new KeysWait(context));
  return [jobs, warn.mock.calls.map(([line]) => String(line))];
}

it.each([
  ['keys are of production for good', { hasResolver: false, state: 'running' }],
  ['pause ends by a person', { hasResolver: true, state: 'paused', pause: { reason: 'Paused by maker.' } }],
  ['top-up resumes nothing', { hasResolver: true, state: 'paused', pause: TOP_UP }],
] as const)('gives no work of a batch to the engine whose %s', async (_which, batch) => {
  expect(await enqueued(batch)).toEqual([[], []]);
});

it.each(['running', 'checking'] as const)(
  'lets the engine look later for the keys of a batch that is %s, and says so once',
  async (state) => {
    expect(await enqueued({ hasResolver: true, state })).toEqual([[['wake', 30_000]], [KEYS]]);
  },
);

it('says nothing of keys that a batch will need only when it is woken', async () => {
  const pause = { reason: 'It is away.', until: 'gateway' };
  const woken = await enqueued({ hasResolver: true, state: 'paused', pause });
  expect(woken).toEqual([[['wake', 30_000]], []]);
});

it.each([
  ['nothing', 'the storage is closed because the application stops', true],
  ['so', 'a running application cannot read its batches', false],
])('says %s if %s', async (_what, _when, stops) => {
  const error = vi.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
  onTestFinished(() => {
    error.mockRestore();
  });
  const controller = new AbortController();
  const unfinished = (): Promise<never> => {
    if (stops) controller.abort();
    // Otherwise it would be asked again later.
    else
      setImmediate(() => {
        controller.abort();
      });
    return Promise.reject(new Error('closed'));
  };
  const context = {
    accounts: { stores: () => [{ unfinished }] },
    stopping: controller.signal,
  } as unknown as BatchContext;
  await enqueueOpenBatches(context, new KeysWait(context));
  const said = error.mock.calls.map(([line]): unknown => line);
  expect(said).toEqual(
    stops ? [] : [expect.stringContaining('Batches that were being worked on could not be resumed yet')],
  );
});
