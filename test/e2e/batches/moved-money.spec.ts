import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type PaymentsModuleOptions } from 'nestjs-payments';
import { type PayoutBatch, type PayoutLine } from 'nestjs-payments/batches';
import { approvedBatch, type BatchesApp, knownLines, startBatchesApp } from '../../support/batches-app.js';
import {
  type BatchesPlace,
  leaveBatch,
  startBatchesPlace,
  withBatches,
} from '../../support/batches-place.js';
import { startSandbox } from '../../support/sandbox.js';
import { eventually } from '../../support/eventually.js';

/** What a later version of the application may bring: only smaller amounts are allowed. */
const SMALLER: Partial<PaymentsModuleOptions> = { limits: { disbursement: { max: '1' } } };

describe('a batch of which money may have moved', () => {
  let place: BatchesPlace;
  let running: BatchesApp;
  let names = 0;
  const name = (): string => `run-${names}`;

  const start = (options: Partial<PaymentsModuleOptions> = {}): Promise<BatchesApp> =>
    startBatchesApp({
      sandbox: place.sandbox,
      storage: place.storage,
      policy: { sameRecipientWithinDays: 0 },
      options,
    });
  /** The next process, whose application may have other options. */
  const restart = async (options?: Partial<PaymentsModuleOptions>): Promise<PayoutBatch> => {
    await running.app.close();
    running = await start(options);
    return running.batches.open(name());
  };
  const lines = (count: number): readonly PayoutLine[] => knownLines(place.sandbox, count, `${100 + names}`);

  beforeAll(async () => {
    place = await startBatchesPlace();
  });
  beforeEach(async () => {
    await place.sandbox.reset();
    names += 1;
    running = await start();
    return () => running.app.close();
  });
  afterAll(() => place.close());

  it('never calls an unknown line refused, although it could not be sent today', async () => {
    place.sandbox.next('POST /disbursements/bank').dropAfterProcessing().times(9);
    const batch = await approvedBatch(running.batches, name(), lines(1));
    await batch.start({ by: 'maker' });
    expect((await batch.finished()).byState).toMatchObject({ unknown: { lines: 1 } });
    const next = await restart(SMALLER);
    expect(await next.askAgain()).toBe(0);
    expect((await next.progress()).byState).toMatchObject({ unknown: { lines: 1 } });
  });

  it('finds the payment of a line that a dead process had sent, once a call can compare them', async () => {
    const batch = await approvedBatch(running.batches, name(), lines(1));
    await batch.start({ by: 'maker' });
    await batch.finished();
    await leaveBatch(place.store, name(), 'running', { numbers: [1], state: 'sending' });
    const next = await restart(SMALLER);
    expect(await next.finished()).toMatchObject({ state: 'ended', byState: { unknown: { lines: 1 } } });
    const later = await restart();
    expect(await later.askAgain()).toBe(1);
    expect((await later.progress()).byState).toMatchObject({ accepted: { lines: 1 } });
    expect(place.sandbox.payouts()).toHaveLength(1);
  });

  it.each([
    ['before', 'accepted'],
    ['after', 'unknown'],
  ] as const)(
    'never calls a line failed that somebody settled while its call was running, if the word is written %s the answer',
    async (when, state) => {
      const sandbox = await startSandbox({ startingBalance: '100000000', clock: 'manual' });
      sandbox.next('POST /disbursements/bank').delay('5s');
      let answered: () => Promise<unknown> = () => Promise.resolve();
      const storage = withBatches(place.storage, (store) => ({
        change: async (load, changes) => {
          if (when === 'after' && changes[0]?.to === 'failed') await answered();
          return store.change(load, changes);
        },
      }));
      const slow = await startBatchesApp({ sandbox, storage, policy: { sameRecipientWithinDays: 0 } });
      const batch = await approvedBatch(
        slow.batches,
        name(),
        knownLines(sandbox, 1, `${when === 'after' ? 6 : 7}${names}`),
      );
      await batch.start({ by: 'maker' });
      await eventually(() => {
        expect(sandbox.payouts()).toHaveLength(1);
      });
      answered = async () => {
        await sandbox.clock.advance('5s');
        await batch.finished();
      };
      await batch.settle('S-1', 'failed', { by: 'support' });
      await answered();
      expect((await batch.progress()).byState).toEqual({
        [state]: { lines: 1, amount: expect.any(String) as unknown },
      });
      await slow.app.close();
    },
  );
});
