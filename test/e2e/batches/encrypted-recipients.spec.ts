import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { aesGcm, envelope, type PaymentsEncryption, type PaymentsModuleOptions } from 'nestjs-payments';
import { type BatchProgress, type PayoutBatch, type PayoutLine } from 'nestjs-payments/batches';
import { approvedBatch, type BatchesApp, knownLines, startBatchesApp } from '../../support/batches-app.js';
import { type BatchLine } from '../../support/batch-contract.js';
import { type BatchesPlace, keyOf, startBatchesPlace } from '../../support/batches-place.js';

type GivenEncryption = PaymentsModuleOptions['encryption'];

const KEYS = { k1: randomBytes(32), k2: randomBytes(32) };
const onlyOld = aesGcm({ keys: { k1: KEYS.k1 }, current: 'k1' });
const both = (current: keyof typeof KEYS): PaymentsEncryption => aesGcm({ keys: KEYS, current });
const service = envelope({
  kms: {
    wrap: ({ dataKey }) => Promise.resolve(dataKey.map((byte) => byte ^ 0xff)),
    unwrap: ({ wrapped }) => Promise.resolve(wrapped.map((byte) => byte ^ 0xff)),
  },
  keys: { service: 'payments' },
  current: 'service',
  fingerprintKey: randomBytes(32),
});

describe('a person who is in two batches while the encryption changes', () => {
  let place: BatchesPlace;
  let lines: readonly PayoutLine[];
  const running: BatchesApp[] = [];

  beforeAll(async () => {
    place = await startBatchesPlace();
  });
  beforeEach(async () => {
    await place.sandbox.reset();
    lines = knownLines(place.sandbox, 2, '500000');
  });
  afterEach(async () => {
    await Promise.all(running.splice(0).map(({ app }) => app.close()));
    await place.database.clear();
  });
  afterAll(() => place.close());

  const start = async (encryption: GivenEncryption): Promise<BatchesApp> => {
    const { sandbox, storage } = place;
    const app = await startBatchesApp({ sandbox, storage, options: encryption ? { encryption } : {} });
    running.push(app);
    return app;
  };
  /** The same recipients and amounts in lines of their own. */
  const copies = (): readonly PayoutLine[] => lines.map((line) => ({ ...line, key: `copy-${line.key}` }));
  const blockedOf = async ({ batches }: BatchesApp, name: string): Promise<number> => {
    const batch = await batches.create(name, copies(), { by: 'maker', again: ['second', 'third'] });
    return (await batch.check({ by: 'maker' })).blocked;
  };
  const pay = async (batch: PayoutBatch): Promise<BatchProgress> => {
    await batch.start({ by: 'maker' });
    return batch.finished();
  };

  it.each<readonly [string, GivenEncryption, GivenEncryption]>([
    ['the key is changed', onlyOld, both('k2')],
    ['encryption is turned on', undefined, aesGcm({ keys: { k2: KEYS.k2 }, current: 'k2' })],
    ['a key service takes over', onlyOld, [service, onlyOld]],
    ['the application goes back from the key service', [service, onlyOld], [onlyOld, service]],
    ['the key is changed back', both('k2'), both('k1')],
  ])('is found by the check of the second one: %s', async (_what, before, after) => {
    const old = await start(before);
    await pay(await approvedBatch(old.batches, 'first', lines));
    expect(place.sandbox.payouts()).toHaveLength(2);
    expect(await blockedOf(old, 'second')).toBe(2);
    const next = await start(after);
    expect(await blockedOf(next, 'third')).toBe(2);
    expect(await next.journal.reseal()).toMatchObject({ busy: 0, unreadable: 0, unavailable: 0 });
    expect(await blockedOf(next, 'fourth')).toBe(2);
  });

  it('is paid once by replicas of which one has made the new key current, and the other one has not', async () => {
    const [early, late] = [await start(both('k2')), await start(both('k1'))];
    const one = await approvedBatch(early.batches, 'first', lines);
    const other = await approvedBatch(late.batches, 'second', copies());
    expect((await pay(one)).byState).toMatchObject({ accepted: { lines: 2 } });
    expect((await pay(other)).byState).toMatchObject({ blocked: { lines: 2 } });
    expect(place.sandbox.payouts()).toHaveLength(2);
  });

  it('is found in one batch whose first line is not sealed again yet', async () => {
    const [line] = lines as [PayoutLine];
    const old = await start(onlyOld);
    await old.batches.create('twice', [line, { ...line, key: 'again' }], { by: 'maker' });
    const { store } = place;
    const { load } = (await store.get(keyOf('twice')))!.record;
    const firstLine = async (): Promise<BatchLine> => (await store.lines(load, { after: 0, limit: 1 }))[0]!;
    const before = await firstLine();
    const next = await start(both('k2'));
    await next.journal.reseal();
    const after = await firstLine();
    expect(after.recipient).not.toBe(before.recipient);
    expect(await store.replaceLine(load, after, before)).toBe(true);
    expect(await (await next.batches.open('twice')).check({ by: 'maker' })).toMatchObject({ blocked: 1 });
  });
});
