import { Logger } from '@nestjs/common';
import { expect, it, onTestFinished, vi } from 'vitest';
import { type BatchContext } from '../../../../lib/batches/batch/batch-context.js';
import { enqueueOpenBatches } from '../../../../lib/batches/jobs/enqueue-open-batches.js';
import { type BatchRecord, type StoredBatch } from '../../../../lib/storage/batch-store.js';

interface OpenBatch {
  readonly hasResolver: boolean;
  readonly state: BatchRecord['state'];
  readonly pause?: object;
}

/** Runs until nothing is left to wait for, or three times. Returns how often it looked, and what it logged. */
async function enqueued({
  hasResolver,
  state,
  pause,
}: OpenBatch): Promise<readonly [number, readonly string[]]> {
  const warn = vi.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
  // Nobody waits long before work is tried again.
  const random = vi.spyOn(Math, 'random').mockReturnValue(0);
  onTestFinished(() => {
    warn.mockRestore();
    random.mockRestore();
  });
  const details = JSON.stringify({ round: 1, pause });
  const record = { account: 'shop', environment: 'sandbox', batch: 'run', load: 'l', state, details };
  const stopping = new AbortController();
  let looks = 0;
  const unfinished = (): Promise<readonly StoredBatch[]> => {
    looks += 1;
    return Promise.resolve([{ record } as StoredBatch]);
  };
  const open = (): Promise<object> => {
    if (looks === 3) stopping.abort();
    return Promise.resolve({ scope: { account: 'shop', environment: 'production' }, hasResolver });
  };
  const accounts = { stores: () => [{ unfinished }], open };
  await enqueueOpenBatches({ accounts, stopping: stopping.signal } as unknown as BatchContext);
  return [looks, warn.mock.calls.map(([line]) => String(line))];
}

it.each([
  ['keys are of production for good', { hasResolver: false, state: 'running' }],
  [
    'keys are of production now, and which a person resumes',
    { hasResolver: true, state: 'paused', pause: { reason: 'Paused by maker.' } },
  ],
] as const)('waits for no keys of a batch whose %s', async (_which, batch) => {
  expect(await enqueued(batch)).toEqual([1, []]);
});

it('waits for keys that a resolver may return, and says so once', async () => {
  expect(await enqueued({ hasResolver: true, state: 'running' })).toEqual([
    3,
    [
      'The batch "run" of the account "shop" waits until accounts.resolve returns keys of the sandbox environment.',
    ],
  ]);
});
