import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type PayoutBatch, type PayoutLine } from 'nestjs-payments/batches';
import { type BatchesApp, knownLines, startBatchesApp } from '../../support/batches-app.js';
import { type BatchesPlace, keyOf, startBatchesPlace, withBatches } from '../../support/batches-place.js';
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

  /** A batch with a line that nobody could look up, and one that may be paid; and an application that stands still in a check. */
  const stumbledOver = async (
    name: string,
    begun: () => Promise<unknown>,
  ): Promise<{ readonly batch: PayoutBatch; readonly slow: PayoutBatch; close: () => Promise<void> }> => {
    const [one, other] = knownLines(place.sandbox, 2, name.length.toString()) as [PayoutLine, PayoutLine];
    const lines = [{ ...one, account_number: STUMBLING }, other];
    const batch = await running.batches.create(name, lines, { by: 'maker' });
    await batch.check({ by: 'maker' });
    const { app, batches } = await startBatchesApp({
      sandbox: place.sandbox,
      storage: withBatches(place.storage, (store) => ({
        replace: async (version, record, event) => {
          const replaced = await store.replace(version, record, event);
          if (event.action === 'check') await begun();
          return replaced;
        },
      })),
      engine: eagerEngine(),
      options: { retry: { maxAttempts: 1 } },
    });
    return { batch, slow: await batches.open(name), close: () => app.close() };
  };
  const lookupsOf = (account: string): number =>
    place.sandbox.requests().filter(({ body }) => JSON.stringify(body).includes(account)).length;

  it('stays blocked for everyone to see, although the process that began its check stood still until it was paid', async () => {
    const { batch, slow, close } = await stumbledOver('wages', async () => {
      const same = await running.batches.open('wages');
      await same.check({ by: 'maker' });
      await same.approve({ by: 'checker', withoutBlocked: true });
      await same.start({ by: 'maker' });
      await same.finished();
    });
    await slow.check({ by: 'maker' });
    await close();
    const one = { lines: 1 };
    expect(await batch.progress()).toMatchObject({
      state: 'ended',
      byState: { blocked: one, accepted: one },
    });
  });

  it('is looked up again by the next process, although that which began the check died', async () => {
    const { batch, slow, close } = await stumbledOver('tips', () => Promise.reject(new Error('It dies.')));
    const before = lookupsOf(STUMBLING);
    await expect(slow.check({ by: 'maker' })).rejects.toThrow('It dies.');
    await close();
    expect(lookupsOf(STUMBLING)).toBe(before);
    expect((await batch.check({ by: 'maker' })).blocked).toBe(1);
    expect(lookupsOf(STUMBLING)).toBe(before + 3);
  });

  it('is blocked in the end if it is to be looked up again when the batch is paid', async () => {
    const { batch, close } = await stumbledOver('prizes', () => Promise.resolve());
    await close();
    await batch.approve({ by: 'checker', withoutBlocked: true });
    const { load } = (await place.store.get(keyOf('prizes')))!.record;
    await place.store.change(load, [{ number: 1, from: ['blocked'], to: 'waiting', result: '{}' }]);
    await batch.start({ by: 'maker' });
    expect((await batch.finished()).state).toBe('ended');
    for await (const line of batch.lines({ state: 'blocked' })) {
      expect(line).toMatchObject({
        key: 'S-1',
        problems: ['lookup'],
        detail: 'it was not looked up before the batch was paid',
      });
    }
    const one = { lines: 1 };
    expect((await batch.progress()).byState).toMatchObject({ blocked: one, accepted: one });
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
