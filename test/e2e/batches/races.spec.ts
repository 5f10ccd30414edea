import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type PaymentsStorage } from 'nestjs-payments';
import { type BatchPolicy, type PayoutBatch, type PayoutLine } from 'nestjs-payments/batches';
import { type LineChange } from '../../support/batch-contract.js';
import { approvedBatch, type BatchesApp, knownLines, startBatchesApp } from '../../support/batches-app.js';
import { type BatchesPlace, keyOf, startBatchesPlace, withBatches } from '../../support/batches-place.js';

const isMarking = ([change]: readonly LineChange[]): boolean => change?.to === 'sending';

describe('two who work on batches at the same moment', () => {
  let place: BatchesPlace;
  let first: BatchesApp;
  let lines: readonly PayoutLine[];
  let names = 0;
  const name = (which = ''): string => `run-${names}${which}`;

  const start = (storage: PaymentsStorage = place.storage, policy?: BatchPolicy): Promise<BatchesApp> =>
    startBatchesApp({ sandbox: place.sandbox, storage, ...(policy && { policy }) });
  /** An application in which something happens right before it marks the lines that it sends, once. */
  const startSlow = (meanwhile: () => Promise<unknown>): Promise<BatchesApp> => {
    let isFirst = true;
    const change = async (load: string, changes: readonly LineChange[]): Promise<readonly number[]> => {
      const happens = isFirst && isMarking(changes);
      if (happens) isFirst = false;
      if (happens) await meanwhile();
      return place.store.change(load, changes);
    };
    return start(withBatches(place.storage, () => ({ change })));
  };
  const begun = async (batch: PayoutBatch): Promise<PayoutBatch> => {
    await batch.start({ by: 'maker' });
    return batch;
  };
  const sent = (): number => place.sandbox.payouts().length;

  beforeAll(async () => {
    place = await startBatchesPlace();
  });
  beforeEach(async () => {
    await place.sandbox.reset();
    names += 1;
    lines = knownLines(place.sandbox, 2, `${100 + names}`);
    first = await start();
    return () => first.app.close();
  });
  afterAll(() => place.close());

  /** The same recipients and amounts, so that only their owners and not the lines are the same. */
  const copies = (): readonly PayoutLine[] => lines.map((line) => ({ ...line, key: `copy-${line.key}` }));

  it('pay nobody twice, although both batches were checked before one of them was paid', async () => {
    const one = await approvedBatch(first.batches, name('-a'), lines);
    const other = await approvedBatch(first.batches, name('-b'), copies());
    expect((await (await begun(one)).finished()).byState).toMatchObject({ accepted: { lines: 2 } });
    expect(await (await begun(other)).finished()).toMatchObject({
      state: 'ended',
      byState: { blocked: { lines: 2 } },
    });
    for await (const { problems, detail } of other.lines()) {
      expect({ problems, detail }).toEqual({
        problems: ['same-recipient'],
        detail: expect.stringMatching(
          `the line S-. of the batch ${name('-a')} goes to the same recipient`,
        ) as unknown,
      });
    }
    expect(sent()).toBe(2);
  });

  it('pay nobody twice, although one looked right before the other one marked its lines', async () => {
    const one = await approvedBatch(first.batches, name('-a'), lines);
    const slow = await startSlow(async () => (await begun(one)).finished());
    const other = await approvedBatch(slow.batches, name('-b'), copies());
    expect((await (await begun(other)).finished()).byState).toMatchObject({ blocked: { lines: 2 } });
    await slow.app.close();
    expect(sent()).toBe(2);
  });

  it('pay nobody twice, although a process died between its mark and its look at other batches', async () => {
    const one = await approvedBatch(first.batches, name('-a'), lines);
    const other = await approvedBatch(first.batches, name('-b'), copies());
    await (await begun(one)).finished();
    const { load } = (await place.store.get(keyOf(name('-b'))))!.record;
    const marks = [1, 2].map((number) => ({ number, from: ['checked'], to: 'sending' }) as const);
    expect(await place.store.change(load, marks)).toEqual([1, 2]);
    expect(await (await begun(other)).finished()).toMatchObject({
      state: 'ended',
      byState: { blocked: { lines: 2 } },
    });
    expect(sent()).toBe(2);
  });

  it('pay a recipient again for whom somebody gave a word', async () => {
    await (await begun(await approvedBatch(first.batches, name('-a'), lines))).finished();
    const other = await first.batches.create(name('-b'), copies(), { by: 'maker' });
    expect((await other.check({ by: 'maker' })).blocked).toBe(2);
    await other.accept(['copy-S-1', 'copy-S-2'], { by: 'maker', because: 'a second salary' });
    await other.approve({ by: 'checker' });
    expect((await (await begun(other)).finished()).byState).toMatchObject({ accepted: { lines: 2 } });
    expect(sent()).toBe(4);
  });

  it('pay a recipient whom two batches paid, and somebody gave a word for, though the older one is settled then', async () => {
    const made = async (which: string): Promise<PayoutBatch> => {
      const keyed = lines.slice(0, 1).map((line) => ({ ...line, key: `key${which}` }));
      const batch = await first.batches.create(name(which), keyed, { by: 'maker' });
      const { blockedLines } = await batch.check({ by: 'maker' });
      const keys = blockedLines.map(({ key }) => key);
      if (keys.length > 0) await batch.accept(keys, { by: 'maker', because: 'a weekly wage' });
      await batch.approve({ by: 'checker' });
      return batch;
    };
    const oldest = await made('-a');
    await (await begun(oldest)).finished();
    await (await begun(await made('-b'))).finished();
    const [last, unseen] = [await made('-c'), await made('-d')];
    await oldest.settle('key-a', 'paid', { by: 'statement' });
    expect((await (await begun(last)).finished()).byState).toMatchObject({ accepted: { lines: 1 } });
    // Nobody who gave the word for this one has seen the third payment.
    expect((await (await begun(unseen)).finished()).byState).toMatchObject({ blocked: { lines: 1 } });
    for await (const { detail } of unseen.lines()) {
      expect(detail.split(', and ').sort()).toEqual(
        ['a', 'b', 'c'].map(
          (each) => `the line key-${each} of the batch ${name(`-${each}`)} goes to the same recipient`,
        ),
      );
    }
    expect(sent()).toBe(3);
  });

  it('send nothing of a batch that was cancelled right before its lines were marked', async () => {
    const batch = await approvedBatch(first.batches, name(), lines);
    const slow = await startSlow(() => batch.cancel({ by: 'checker' }));
    const seen = await slow.batches.open(name());
    await begun(seen);
    await seen.finished();
    await slow.app.close();
    expect(await batch.progress()).toMatchObject({ state: 'cancelled', byState: { checked: { lines: 2 } } });
    expect(sent()).toBe(0);
  });

  it('send a line that a process took from another one, and died', async () => {
    const batch = await approvedBatch(first.batches, name(), lines);
    const { record } = (await place.store.get(keyOf(name()))) ?? {};
    const slow = await startSlow(() =>
      place.store.change(record?.load ?? '', [{ number: 2, from: ['checked'], to: 'sending' }]),
    );
    await begun(await slow.batches.open(name()));
    expect(await batch.finished()).toMatchObject({ state: 'ended', byState: { accepted: { lines: 2 } } });
    await slow.app.close();
    expect(sent()).toBe(2);
  });

  it('leave the marks of a run that was paused and resumed to the next run, which sends each line once', async () => {
    const batch = await approvedBatch(first.batches, name(), lines);
    const released: (readonly LineChange[])[] = [];
    let isFirst = true;
    const change = async (load: string, changes: readonly LineChange[]): Promise<readonly number[]> => {
      if (changes[0]?.to === 'checked') released.push(changes);
      const changed = await place.store.change(load, changes);
      if (isFirst && isMarking(changes)) {
        isFirst = false;
        await batch.pause({ by: 'maker' });
        await batch.resume({ by: 'maker' });
      }
      return changed;
    };
    const slow = await start(withBatches(place.storage, () => ({ change })));
    const sameBatch = await slow.batches.open(name());
    await sameBatch.start({ by: 'maker' });
    expect((await sameBatch.finished()).byState).toMatchObject({ accepted: { lines: 2 } });
    await slow.app.close();
    expect(released).toEqual([]);
    expect(sent()).toBe(2);
  });

  it('never show a line as blocked that one of them has sent', async () => {
    const batch = await approvedBatch(first.batches, name(), lines);
    // Another process that marked the line thinks that it was paid elsewhere, while this one sends it.
    const change = async (load: string, changes: readonly LineChange[]): Promise<readonly number[]> => {
      if (changes[0]?.to === 'accepted') {
        await place.store.change(load, [{ number: 1, from: ['sending'], to: 'blocked' }]);
      }
      return place.store.change(load, changes);
    };
    const other = await start(withBatches(place.storage, () => ({ change })));
    await begun(await other.batches.open(name()));
    expect(await batch.finished()).toMatchObject({ state: 'ended', byState: { accepted: { lines: 2 } } });
    await other.app.close();
    expect(sent()).toBe(2);
  });

  it('never end a check that another one began after they had counted', async () => {
    const ends: boolean[] = [];
    let joined: Promise<unknown> | undefined;
    const slow = await start(
      withBatches(place.storage, (store) => ({
        replace: async (version, record, event) => {
          const isEnd = event.action === 'check-end';
          if (isEnd && !joined) {
            const { version: now, record: current } = (await store.get(keyOf(name())))!;
            const details = JSON.parse(current.details) as { readonly round: number };
            const next = { ...current, details: JSON.stringify({ ...details, round: details.round + 1 }) };
            await store.replace(now, next, { action: 'check', by: 'another', details: '{}' });
            joined = first.batches.open(name()).then((same) => same.check({ by: 'another' }));
          }
          const replaced = await store.replace(version, record, event);
          if (isEnd) ends.push(replaced !== undefined);
          return replaced;
        },
      })),
    );
    const batch = await slow.batches.create(name(), lines, { by: 'maker' });
    await batch.check({ by: 'maker' });
    await joined;
    await slow.app.close();
    expect(ends.length).toBeGreaterThan(0);
    expect(ends).not.toContain(true);
  });

  it('are told that a batch was removed while they settled a line of it', async () => {
    const batch = await approvedBatch(first.batches, name(), lines);
    await (await begun(batch)).finished();
    const append = (): Promise<boolean> => Promise.resolve(false);
    const late = await start(withBatches(place.storage, () => ({ append })));
    const same = await late.batches.open(name());
    await expect(same.settle('S-1', 'paid', { by: 'maker' })).rejects.toMatchObject({
      code: 'BATCH_NOT_FOUND',
    });
    await late.app.close();
  });

  it('cannot approve a batch as it was before a line was accepted', async () => {
    const [one, other] = lines as [PayoutLine, PayoutLine];
    const shown = [one, { ...other, name: 'Somebody Else' }];
    const batch = await first.batches.create(name(), shown, { by: 'maker' });
    await batch.check({ by: 'maker' });
    const form = await first.batches.open(name());
    await batch.accept(['S-2'], { by: 'maker', because: 'please' });
    const approval = { by: 'checker', withoutBlocked: true };
    await expect(form.approve(approval)).rejects.toMatchObject({ code: 'BATCH_APPROVAL' });
    const { digest } = form;
    await expect(batch.approve({ ...approval, digest })).rejects.toMatchObject({ code: 'BATCH_APPROVAL' });
    const reopened = await first.batches.open(name());
    expect(reopened.digest).toBe(batch.digest);
    await reopened.approve(approval);
    expect((await (await begun(reopened)).finished()).byState).toMatchObject({ accepted: { lines: 2 } });
  });

  it('never show a line as blocked that somebody else accepts', async () => {
    const [one, other] = lines as [PayoutLine, PayoutLine];
    const shown = [one, { ...other, name: 'Somebody Else' }];
    const batch = await first.batches.create(name(), shown, { by: 'maker' });
    await batch.check({ by: 'maker' });
    let blocked: number | undefined;
    // The process of the maker stands still between two statements, and continues when everything was paid.
    const change = async (load: string, changes: readonly LineChange[]): Promise<readonly number[]> => {
      ({ blocked } = await batch.check({ by: 'checker' }));
      await (await first.batches.open(name())).approve({ by: 'checker', withoutBlocked: true });
      await (await begun(batch)).finished();
      return place.store.change(load, changes);
    };
    const slow = await start(withBatches(place.storage, () => ({ change })));
    const seen = await slow.batches.open(name());
    expect(await seen.accept(['S-2'], { by: 'maker', because: 'please' })).toBe(1);
    await slow.app.close();
    expect(blocked).toBe(0);
    expect(await batch.progress()).toMatchObject({ state: 'ended', byState: { accepted: { lines: 2 } } });
    expect(sent()).toBe(2);
  });

  it('are told if a change was not made because other processes keep changing the batch', async () => {
    const batch = await approvedBatch(first.batches, name(), lines);
    const busy = await start(
      withBatches(place.storage, () => ({ replace: () => Promise.resolve(undefined) })),
    );
    const seen = await busy.batches.open(name());
    await expect(seen.cancel({ by: 'checker' })).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
    await busy.app.close();
    expect((await batch.progress()).state).toBe('approved');
  });
});
