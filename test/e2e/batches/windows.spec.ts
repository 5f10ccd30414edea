import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { approvedBatch, type BatchesApp, knownLines, startBatchesApp } from '../../support/batches-app.js';
import { type BatchesPlace, startBatchesPlace } from '../../support/batches-place.js';
import { eventually } from '../../support/eventually.js';

const WORKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri'] as const;
/** Local time of Friday and Monday: the time zone of the policy is three hours ahead. */
const FRIDAY_EVENING = Date.parse('2026-11-27T16:59:00+03:00');
const MONDAY_MORNING = Date.parse('2026-11-30T08:00:00+03:00');

describe('a batch with windows', () => {
  let place: BatchesPlace;
  let running: BatchesApp;
  let now = FRIDAY_EVENING;

  beforeAll(async () => {
    place = await startBatchesPlace();
    running = await startBatchesApp({
      sandbox: place.sandbox,
      storage: place.storage,
      now: () => now,
      concurrency: 1,
      policy: { windows: [{ days: WORKDAYS, from: '08:00', to: '17:00' }], checkedWithinMs: 5 * 86_400_000 },
    });
  });
  afterAll(async () => {
    await running.app.close();
    await place.close();
  });

  it('begins no line after the end of a window, and pays the rest in the next one', async () => {
    const batch = await approvedBatch(running.batches, 'salaries', knownLines(place.sandbox, 5, '100'));
    place.sandbox.on('exchange', ({ request }) => {
      const isPayout = request.path.includes('/disbursements/bank');
      // The window ends during the second payout. The next one opens in a moment, so that the batch looks soon.
      if (isPayout && place.sandbox.payouts().length === 2) now = MONDAY_MORNING - 10;
    });
    await batch.start({ by: 'maker' });
    await eventually(async () => {
      expect(await batch.progress()).toMatchObject({
        state: 'paused',
        pauseReason: 'No window of the policy is open.',
        byState: { accepted: { lines: 2 }, checked: { lines: 3 } },
      });
    });
    expect(place.sandbox.payouts()).toHaveLength(2);
    now = MONDAY_MORNING;
    await eventually(async () => {
      expect(await batch.progress()).toMatchObject({ state: 'ended', byState: { accepted: { lines: 5 } } });
    });
  });
});
