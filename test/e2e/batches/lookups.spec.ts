import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type PayoutLine } from 'nestjs-payments/batches';
import { type BatchesApp, knownLines, startBatchesApp } from '../../support/batches-app.js';
import { type BatchesPlace, startBatchesPlace, withBatches } from '../../support/batches-place.js';
import { eagerEngine } from '../../support/eager-engine.js';

/** The emulator answers each lookup of this account with HTTP 500. */
const STUMBLING = '0150000000500';

describe('a recipient about whom the gateway gives no usable answer', () => {
  let place: BatchesPlace;
  let running: BatchesApp;

  beforeAll(async () => {
    place = await startBatchesPlace();
    running = await startBatchesApp({
      sandbox: place.sandbox,
      storage: place.storage,
      engine: eagerEngine(),
      options: { retry: { maxAttempts: 1 } },
    });
  });
  afterAll(async () => {
    await running.app.close();
    await place.close();
  });

  it('does not hold up the others: the line is blocked after three lookups, and check() looks it up again', async () => {
    const [first, second, third] = knownLines(place.sandbox, 3) as [PayoutLine, PayoutLine, PayoutLine];
    const lines = [first, { ...second, account_number: STUMBLING }, third];
    const batch = await running.batches.create('salaries', lines, { by: 'maker' });
    const report = await batch.check({ by: 'maker' });
    expect(report.blockedLines).toMatchObject([{ key: 'S-2', state: 'blocked', problems: ['lookup'] }]);
    const lookups = (): number =>
      place.sandbox.requests().filter(({ body }) => JSON.stringify(body).includes(STUMBLING)).length;
    expect(lookups()).toBe(3);
    expect(await batch.accept(['S-2'], { by: 'checker', because: 'I know her' })).toBe(0);

    await batch.check({ by: 'maker' });
    expect(lookups()).toBe(6);
    await batch.approve({ by: 'checker', withoutBlocked: true });
    await batch.start({ by: 'maker' });
    expect((await batch.finished()).byState).toMatchObject({ blocked: { lines: 1 }, accepted: { lines: 2 } });
  });

  it('is looked up again by a check as soon as the gateway answers', async () => {
    place.sandbox.next('POST /disbursements/name-lookup').html(500).times(3);
    const batch = await running.batches.create('bonuses', knownLines(place.sandbox, 1, '17'), {
      by: 'maker',
    });
    expect((await batch.check({ by: 'maker' })).blocked).toBe(1);
    await expect(batch.approve({ by: 'checker' })).rejects.toMatchObject({ code: 'BATCH_BLOCKED' });
    expect((await batch.check({ by: 'maker' })).blocked).toBe(0);
  });

  it('cannot be paid by an approval of somebody who saw the line blocked', async () => {
    place.sandbox.next('POST /disbursements/name-lookup').html(500).times(3);
    const batch = await running.batches.create('loans', knownLines(place.sandbox, 1, '18'), { by: 'maker' });
    await batch.check({ by: 'maker' });
    const form = await running.batches.open('loans');
    await batch.check({ by: 'maker' });
    await expect(form.approve({ by: 'checker', withoutBlocked: true })).rejects.toMatchObject({
      code: 'BATCH_APPROVAL',
    });
    const { digest } = await running.batches.open('loans');
    expect(batch.digest).toBe(digest);
    // Nothing was blocked any more.
    await batch.check({ by: 'maker' });
    await batch.approve({ by: 'checker', digest });
    await batch.start({ by: 'maker' });
    expect((await batch.finished()).byState).toMatchObject({ accepted: { lines: 1 } });
  });

  it('is not accepted with what a check finds at the same moment', async () => {
    place.sandbox.next('POST /disbursements/name-lookup').html(500).times(3);
    const [line] = knownLines(place.sandbox, 1, '19') as [PayoutLine];
    const lines = [{ ...line, name: 'Somebody Else' }];
    const batch = await running.batches.create('rent', lines, { by: 'maker' });
    await batch.check({ by: 'maker' });
    let checks = 0;
    const other = await startBatchesApp({
      sandbox: place.sandbox,
      storage: withBatches(place.storage, (store) => ({
        line: async (load, key) => {
          const found = await store.line(load, key);
          checks += 1;
          if (checks === 1) await batch.check({ by: 'maker' });
          return found;
        },
      })),
      engine: eagerEngine(),
    });
    const slow = await other.batches.open('rent');
    const word = { by: 'maker', because: 'I know her' };
    await expect(slow.accept(['S-1'], word)).rejects.toMatchObject({ code: 'BATCH_STATE' });
    expect((await batch.progress()).byState).toMatchObject({ blocked: { lines: 1 } });
    expect(await slow.accept(['S-1'], word)).toBe(1);
    await other.app.close();
  });
});
