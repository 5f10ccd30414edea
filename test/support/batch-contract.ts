import { createHash, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { aesGcm, envelope, type PaymentsEncryption } from 'nestjs-payments';
import { expect, it } from 'vitest';
import {
  type BatchKey,
  type BatchLine,
  type BatchRecord,
  type BatchStore,
  LINE_STATES,
  type LineChange,
  type LineRecipient,
  type LineState,
  type NewBatchLine,
} from '../../lib/storage/batch-store.js';
import { patientLibrary } from './patient-library.js';
import { type Encryption } from '../../lib/storage/sealed/encryption.js';
import { oneEncryption } from '../../lib/storage/sealed/encryption-list.js';
import { sealedBatches } from '../../lib/storage/sealed/sealed-batches.js';
import { ValueSealer } from '../../lib/storage/sealed/value-sealer.js';

export { type BatchKey, type BatchLine, type BatchRecord, type BatchStore, type LineChange, type LineState };

/** A store to try, and a way to let time pass for it. */
export interface BatchStoreUnderTest {
  readonly store: () => BatchStore;
  readonly pass: (ms: number) => Promise<void>;
}

const SCOPE = { account: 'default', environment: 'sandbox' } as const;
const EVENT = { action: 'create', by: 'maker \u0000 \ud800', details: '{"a":"\u0000\ud800"}' };
const DAY_MS = 86_400_000;
let batches = 0;

/** A new batch that no other test has. */
function newBatch(state: BatchRecord['state'] = 'loading'): BatchRecord {
  batches += 1;
  const number = String(batches).padStart(32, '0');
  return { ...SCOPE, batch: `batch-${number}`, state, load: number, details: '{"name":"\u0000\ud800é"}' };
}

function line(number: number, more: Partial<NewBatchLine> = {}): NewBatchLine {
  return {
    number,
    key: `S-${number}`,
    cents: 100 * number,
    recipient: `recipient-${number}`,
    content: JSON.stringify({ name: `\u0000\ud800 ${number}` }),
    ...more,
  };
}

/** Lines that are asked about, whose recipients may have been stored in one form. */
function asked(lines: readonly NewBatchLine[]): readonly LineRecipient[] {
  return lines.map(({ number, cents, recipient }) => ({ number, cents, recipients: [recipient] }));
}

/** What stands for a recipient that no other test has. */
function recipientOf(name: string): string {
  return createHash('sha256').update(`${batches} ${name}`).digest('hex');
}

const KEYS = { old: randomBytes(32), now: randomBytes(32) };
const bothKeys = (current: keyof typeof KEYS) => aesGcm({ keys: KEYS, current });
const oldKey = aesGcm({ keys: { old: KEYS.old }, current: 'old' });
const fingerprintKey = randomBytes(32);
const serviceWith = (id: string) =>
  envelope({
    kms: {
      wrap: ({ dataKey }) => Promise.resolve(dataKey.map((byte) => byte ^ 0xff)),
      unwrap: ({ wrapped }) => Promise.resolve(wrapped.map((byte) => byte ^ 0xff)),
    },
    keys: { [id]: 'payments' },
    current: id,
    fingerprintKey,
  });
const [service, nextService] = [serviceWith('service'), serviceWith('next')];
/** How one process wrote lines, and how the next one does. */
const ENCRYPTIONS: readonly (readonly [string, PaymentsEncryption[], PaymentsEncryption[]])[] = [
  ['none, and then a key', [], [oldKey]],
  ['a key, and then another one', [oldKey], [bothKeys('now')]],
  ['a key that a replica has not made current yet', [bothKeys('now')], [bothKeys('old')]],
  ['a key, and then a key service', [oldKey], [service, oldKey]],
  ['a key service that a replica does not seal with yet', [service, oldKey], [oldKey, service]],
  ['a key service, and then another one with the same hashes', [service], [nextService, service]],
];

/** What every store of batches must do. */
export function batchContract({ store, pass }: BatchStoreUnderTest): void {
  patientLibrary();
  const loaded = async (
    lines: readonly NewBatchLine[],
    size = 2,
    addedBy = (_chunk: number): BatchStore => store(),
  ): Promise<BatchRecord> => {
    const record = newBatch('loaded');
    await store().create(record, EVENT);
    for (let first = 0; first < lines.length; first += size) {
      const chunk = { chunk: first / size + 1, digest: `digest-${first}` };
      const added = await addedBy(chunk.chunk).addChunk(record.load, chunk, lines.slice(first, first + size));
      expect(added).toEqual([]);
    }
    return record;
  };
  /** As a process sees it whose account has these encryptions. */
  const sealedBy = ([first, ...earlier]: readonly PaymentsEncryption[]): BatchStore => {
    if (!first) return store();
    const encryption = oneEncryption([first, ...earlier] as [Encryption, ...Encryption[]]);
    return sealedBatches(store(), SCOPE, new ValueSealer(encryption));
  };
  const to = (state: LineState, numbers: readonly number[], from: readonly LineState[] = LINE_STATES) =>
    numbers.map((number) => ({ number, from, to: state }));

  it('writes a batch once, and returns the one that is there', async () => {
    const record = newBatch();
    const [one, other] = await Promise.all([
      store().create(record, EVENT),
      store().create({ ...record, load: `x${record.load}`.slice(0, 32), details: '{}' }, EVENT),
    ]);
    expect([one.created, other.created].filter(Boolean)).toHaveLength(1);
    expect(one.stored).toMatchObject({ record: other.stored.record, version: other.stored.version });
    expect(await store().get(record)).toMatchObject({ record: one.stored.record });
    expect(await store().get({ ...record, account: 'other' })).toBeUndefined();
    expect(await store().get({ ...record, environment: 'production' })).toBeUndefined();
  });

  it('keeps every text as it is', async () => {
    const record = newBatch();
    const { stored } = await store().create(record, EVENT);
    expect(stored.record).toEqual(record);
    expect(await store().events(record, { after: 0, limit: 10 })).toEqual([
      { ...EVENT, number: 1, at: stored.createdAt },
    ]);
    await store().addChunk(record.load, { chunk: 1, digest: 'd' }, [line(1)]);
    const result = JSON.stringify({ holder: '\u0000\udc00é' });
    await store().change(record.load, [{ number: 1, from: ['waiting'], to: 'checked', result }]);
    expect(await store().linesOf(record.load, 1)).toMatchObject([{ ...line(1), state: 'checked', result }]);
  });

  it('replaces only the version that was read, and numbers the audit trail without gaps', async () => {
    const { stored } = await store().create(newBatch(), EVENT);
    const { record, version } = stored;
    const changed = { ...record, state: 'loaded', digest: 'd' } as const;
    const results = await Promise.all(
      ['a', 'b', 'c'].map((by) => store().replace(version, changed, { ...EVENT, by })),
    );
    const winner = results.filter((result) => result !== undefined);
    expect(winner).toMatchObject([{ record: changed }]);
    await Promise.all(Array.from({ length: 10 }, () => store().append(record, { ...EVENT, action: 'note' })));
    expect((await store().get(record))?.version).toBe(winner[0]?.version);
    const events = await store().events(record, { after: 0, limit: 100 });
    expect(events.map(({ number }) => number)).toEqual(Array.from({ length: 12 }, (_, index) => index + 1));
    expect(await store().events(record, { after: 5, limit: 1 })).toMatchObject([{ number: 6 }]);
    expect(await store().append({ ...record, batch: 'missing' }, EVENT)).toBe(false);
    const latest = await store().get(record);
    expect(latest?.record).toEqual(changed);
    expect(await store().remove(record, version)).toBe(false);
    expect(await store().remove(record, latest?.version ?? 0)).toBe(true);
    expect(await store().get(record)).toBeUndefined();
    expect(await store().events(record, { after: 0, limit: 100 })).toEqual([]);
  });

  it('lists the batches of an account by name, those that are not finished, and those with the same lines', async () => {
    const records = [newBatch('running'), newBatch('ended'), newBatch('paused'), newBatch('checking')];
    for (const record of records) await store().create({ ...record, digest: 'same' }, EVENT);
    const names = (listed: readonly { readonly record: BatchKey }[]): readonly string[] =>
      listed.map(({ record }) => record.batch);
    const [first, second, third, fourth] = records.map(({ batch }) => batch) as [
      string,
      string,
      string,
      string,
    ];
    expect(names(await store().list(SCOPE, { after: first, limit: 2 }))).toEqual([second, third]);
    const open = await store().unfinished({ after: records[0]?.load ?? '', limit: 10 });
    expect(names(open)).toEqual([third, fourth]);
    expect(await store().withDigest({ ...SCOPE, batch: first }, 'same', 2)).toEqual([second, third]);
    expect(await store().withDigest({ ...SCOPE, account: 'other', batch: first }, 'same', 2)).toEqual([]);
  });

  it('adds a chunk whole, or names the keys that are used and adds nothing', async () => {
    const { load } = await loaded([line(1), line(2), line(3)]);
    const chunk = { chunk: 3, digest: 'd' };
    expect(await store().addChunk(load, chunk, [line(4), line(5, { key: 'S-2' })])).toEqual(['S-2']);
    expect(await store().counts(load)).toEqual([{ state: 'waiting', lines: 3, cents: 600n }]);
    expect(await store().chunks(load, { after: 1, limit: 5 })).toEqual([{ chunk: 2, digest: 'digest-2' }]);
    expect(await store().lines(load, { after: 0, limit: 10 })).toMatchObject([line(1), line(2), line(3)]);
    expect(await store().line(load, 'S-3')).toMatchObject(line(3));
    expect(await store().line(load, 'S-4')).toBeUndefined();
    await store().removeLoad(load);
    expect(await store().lines(load, { after: 0, limit: 10 })).toEqual([]);
    expect(await store().counts(load)).toEqual([]);
    expect(await store().chunks(load, { after: 0, limit: 5 })).toEqual([]);
  });

  it('gives its chunks in the order of their numbers, page after page', async () => {
    const { load } = await loaded(
      Array.from({ length: 24 }, (_, index) => line(index + 1)),
      2,
    );
    const all = Array.from({ length: 12 }, (_, index) => index + 1);
    for (const after of [0, 1, 2, 9]) {
      const page = all.slice(after, after + 3);
      const chunks = await store().chunks(load, { after, limit: 3 });
      expect(chunks.map(({ chunk }) => chunk)).toEqual(page);
      expect(await store().chunksIn(load, ['paid', 'waiting'], { after, limit: 3 })).toEqual(page);
      const lines = await store().lines(load, { after, limit: 12, states: ['waiting', 'paid'] });
      expect(lines.map(({ number }) => number)).toEqual(all.map((number) => number + after));
    }
    expect(await store().chunksIn(load, ['paid'], { after: 0, limit: 3 })).toEqual([]);
    expect(await store().chunksIn(load, [], { after: 0, limit: 3 })).toEqual([]);
    expect(await store().lines(load, { after: 0, limit: 3, states: [] })).toEqual([]);
    expect(await store().linesOf(load, 13)).toEqual([]);
  });

  it('adds chunks of one load at the same time', async () => {
    const { load } = await loaded([]);
    await Promise.all(
      [0, 1, 2, 3].map((chunk) =>
        store().addChunk(load, { chunk: chunk + 1, digest: 'd' }, [line(2 * chunk + 1), line(2 * chunk + 2)]),
      ),
    );
    expect(await store().counts(load)).toEqual([{ state: 'waiting', lines: 8, cents: 3_600n }]);
    expect(await store().lines(load, { after: 0, limit: 10 })).toHaveLength(8);
  });

  it('removes old batches that have ended, with all that belongs to them, and none that may have money on its way', async () => {
    const states = [
      'ended',
      'cancelled',
      'loading',
      'loaded',
      'running',
      'paused',
      'ended',
      'ended',
      'ended',
    ] as const;
    const records = states.map((state) => newBatch(state));
    for (const [index, record] of records.entries()) {
      await store().create(record, EVENT);
      await store().addChunk(record.load, { chunk: 1, digest: 'd' }, [line(1), line(2)]);
      const to = index === 6 ? 'unknown' : index > 6 ? 'sending' : 'accepted';
      await store().change(record.load, [{ number: 2, from: ['waiting'], to }]);
    }
    const orphan = newBatch();
    await store().addChunk(orphan.load, { chunk: 1, digest: 'd' }, [line(1)]);
    await pass(DAY_MS);
    const young = newBatch('ended');
    await store().create(young, EVENT);
    await store().addChunk(young.load, { chunk: 1, digest: 'd' }, [line(1)]);
    // Somebody wrote down a moment ago how its last line ended.
    const settled = records.at(-1) ?? young;
    await store().change(settled.load, [{ number: 2, from: ['sending'], to: 'paid' }]);
    await store().append(settled, { ...EVENT, action: 'settle' });
    expect(await store().purge(DAY_MS)).toBeGreaterThanOrEqual(3);
    expect(await store().purge(DAY_MS)).toBe(0);
    const { batches, oldest } = await store().kept(DAY_MS, 1_000);
    const names = [...records, young].map(({ batch }) => batch);
    expect(oldest.map(({ batch }) => batch).filter((name) => names.includes(name))).toEqual(
      names.slice(6, 8),
    );
    expect(batches).toBe(oldest.length);
    expect(await store().kept(DAY_MS, 1)).toEqual({ batches, oldest: oldest.slice(0, 1) });
    for (const [index, record] of [...records, young].entries()) {
      const stays = index > 2;
      const events = record === settled ? 2 : 1;
      expect((await store().get(record)) !== undefined).toBe(stays);
      expect(await store().events(record, { after: 0, limit: 9 })).toHaveLength(stays ? events : 0);
    }
    const gone = [...records.slice(0, 3), orphan];
    for (const { load } of gone) {
      expect(await store().lines(load, { after: 0, limit: 9 })).toEqual([]);
      expect(await store().chunks(load, { after: 0, limit: 9 })).toEqual([]);
      expect(await store().counts(load)).toEqual([]);
    }
    for (const { load } of [...records.slice(3), young]) {
      expect(await store().lines(load, { after: 0, limit: 1 })).toHaveLength(1);
    }
  });

  it('removes every line of a load, also those that change meanwhile', async () => {
    const { load } = newBatch();
    const lines = Array.from({ length: 2_500 }, (_, index) => line(index + 1));
    for (let round = 1; round <= 5; round += 1) {
      expect(await store().addChunk(load, { chunk: 1, digest: 'd' }, lines)).toEqual([]);
      const changing = Array.from({ length: 40 }, (_, index) =>
        store().change(load, to('checked', [1_000 - 5 * index])),
      );
      await Promise.all([store().removeLoad(load), ...changing]);
      expect(await store().lines(load, { after: 0, limit: 9 })).toEqual([]);
      expect(await store().chunks(load, { after: 0, limit: 9 })).toEqual([]);
      expect(await store().counts(load)).toEqual([]);
    }
  }, 180_000);

  it('adds keys once that two chunks have which are added at the same time', async () => {
    const { load } = await loaded([]);
    const lines = Array.from({ length: 20 }, (_, index) => line(index + 1));
    const used = await Promise.all(
      [1, 2, 3].map((chunk) => store().addChunk(load, { chunk, digest: `d-${chunk}` }, lines)),
    );
    const keys = lines.map(({ key }) => key).sort();
    expect(used.map((some) => some.toSorted()).toSorted()).toEqual([[], keys, keys]);
    expect(await store().counts(load)).toEqual([{ state: 'waiting', lines: 20, cents: 21_000n }]);
    expect(await store().chunks(load, { after: 0, limit: 5 })).toHaveLength(1);
  });

  it('makes the last one of two changes of a line, and keeps a result that is not changed', async () => {
    const { load } = await loaded([line(1), line(2)]);
    const [waiting, result] = [['waiting'] as const, '{"a":"\u0000\ud800"}'];
    const changes = [
      { number: 1, from: waiting, to: 'checked' },
      { number: 1, from: waiting, to: 'blocked', result },
      { number: 2, from: waiting, to: 'checked' },
    ] as const;
    expect(await store().change(load, changes)).toEqual([1, 2]);
    expect(await store().counts(load)).toHaveLength(2);
    expect(await store().change(load, to('checked', [1], ['blocked']))).toEqual([1]);
    expect(await store().counts(load)).toEqual([{ state: 'checked', lines: 2, cents: 300n }]);
    expect(await store().linesOf(load, 1)).toMatchObject([{ result }, { result: '{}' }]);
  });

  it('adds up amounts that are larger than a number can hold', async () => {
    const cents = Number.MAX_SAFE_INTEGER;
    const { load } = await loaded([line(1, { cents }), line(2, { cents }), line(3, { cents: 1 })]);
    await store().change(load, to('checked', [1, 2, 3]));
    expect(await store().counts(load)).toEqual([
      { state: 'checked', lines: 3, cents: 2n * BigInt(cents) + 1n },
    ]);
  });

  it('changes only lines in an allowed state, and counts what it changed', async () => {
    const { load } = await loaded([line(1), line(2), line(3)]);
    expect(await store().change(load, [])).toEqual([]);
    expect(await store().change(load, to('checked', [1, 3]))).toEqual([1, 3]);
    expect(await store().change(load, to('sending', [1, 2, 3, 9], ['checked']))).toEqual([1, 3]);
    expect(await store().change(load, to('sending', [1], ['sending']))).toEqual([1]);
    const counts = await store().counts(load);
    expect(counts.toSorted((one, other) => (one.state < other.state ? -1 : 1))).toEqual([
      { state: 'sending', lines: 2, cents: 400n },
      { state: 'waiting', lines: 1, cents: 200n },
    ]);
    expect(await store().chunksIn(load, ['waiting'], { after: 0, limit: 5 })).toEqual([1]);
    expect(await store().chunksIn(load, ['sending', 'waiting'], { after: 0, limit: 5 })).toEqual([1, 2]);
    expect(await store().chunksIn(load, ['sending'], { after: 1, limit: 5 })).toEqual([2]);
    const sending = await store().lines(load, { after: 1, limit: 5, states: ['sending', 'checked'] });
    expect(sending.map(({ number }) => number)).toEqual([3]);
  });

  it('replaces what is sealed of a line only if it is as it was read, and no time', async () => {
    const { load } = await loaded([line(1), line(2)]);
    const [before] = await store().linesOf(load, 1);
    if (!before) throw new Error('The chunk has lines.');
    const after = { number: 1, recipient: 'other', content: '"\u0000"', result: '{"a":"\ud800"}' };
    expect(await store().replaceLine(load, { ...before, content: '{}' }, after)).toBe(false);
    expect(await store().replaceLine(load, { ...before, result: '' }, after)).toBe(false);
    expect(await store().replaceLine(load, before, after)).toBe(true);
    expect(await store().replaceLine(load, before, after)).toBe(false);
    expect(await store().linesOf(load, 1)).toEqual([{ ...before, ...after }, expect.anything()]);
  });

  it('changes a line only if nobody has since it was read, however often it changes within a millisecond', async () => {
    const { load } = await loaded([line(1), line(2)]);
    let [read] = await store().linesOf(load, 1);
    for (let round = 0; round < 20; round += 1) {
      const at = read?.updatedAt ?? 0;
      const change = { number: 1, from: ['waiting'], to: 'waiting' } as const;
      expect(await store().change(load, [{ ...change, at: at - 1 }])).toEqual([]);
      expect(
        await store().change(load, [
          { ...change, at },
          { ...change, number: 2, from: ['paid'] },
        ]),
      ).toEqual([1]);
      expect(await store().change(load, [{ ...change, at }])).toEqual([]);
      [read] = await store().linesOf(load, 1);
      expect(read?.updatedAt).toBeGreaterThan(at);
    }
    expect(await store().counts(load)).toEqual([{ state: 'waiting', lines: 2, cents: 300n }]);
  });

  it('lets one of two changes of a line win', async () => {
    const { load } = await loaded([line(1), line(2)]);
    const results = await Promise.all(
      (['accepted', 'refused', 'unknown'] as const).map((state) =>
        store().change(load, to(state, [2, 1], ['waiting'])),
      ),
    );
    expect(results.flat().sort()).toEqual([1, 2]);
    const counts = await store().counts(load);
    expect(counts.reduce((sum, { lines }) => sum + lines, 0)).toBe(2);
  });

  it('counts to the same sums as the lines have, whatever is changed', async () => {
    const state = fc.constantFrom(...LINE_STATES);
    const changes = fc.array(
      fc.record({ number: fc.integer({ min: 1, max: 6 }), from: fc.uniqueArray(state), to: state }),
      { maxLength: 6 },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(changes, { maxLength: 5 }), async (rounds) => {
        const { load } = await loaded(
          [1, 2, 3, 4, 5, 6].map((number) => line(number)),
          4,
        );
        await Promise.all(
          rounds.map((round) => {
            const once = [...new Map(round.map((change) => [change.number, change])).values()];
            return store().change(load, once);
          }),
        );
        const sums = new Map<LineState, { lines: number; cents: bigint }>();
        for (const { state: now, cents } of await store().lines(load, { after: 0, limit: 10 })) {
          const sum = sums.get(now) ?? { lines: 0, cents: 0n };
          sums.set(now, { lines: sum.lines + 1, cents: sum.cents + BigInt(cents) });
        }
        const counted = (await store().counts(load)).map(({ state: now, ...sum }) => [now, sum] as const);
        expect(new Map(counted)).toEqual(sums);
      }),
      { numRuns: 15 },
    );
  });

  it('finds who gets money a second time: in the same batch, or the same amount in another one lately', async () => {
    const owner = `owner-${batches}`;
    const other = await loaded([
      line(1, { recipient: owner, cents: 500 }),
      line(2, { recipient: `${owner}-2`, cents: 700 }),
      line(3, { recipient: `${owner}-3`, cents: 900 }),
    ]);
    await store().change(other.load, [...to('accepted', [1]), ...to('refused', [2]), ...to('unknown', [3])]);
    const lines = [
      line(1, { recipient: owner, cents: 500 }),
      line(2, { recipient: `${owner}-2`, cents: 700 }),
      line(3, { recipient: `${owner}-3`, cents: 901 }),
      line(4, { recipient: `${owner}-3`, cents: 1 }),
      line(5, { recipient: owner, cents: 500 }),
    ];
    const { batch, load } = await loaded(lines, 5);
    const found = await store().sameRecipients(load, asked(lines), DAY_MS, 10);
    const ofBoth = [
      { number: 5, batch: other.batch, key: 'S-1', state: 'accepted' },
      { number: 5, batch, key: 'S-1', state: 'waiting' },
    ];
    expect(found).toHaveLength(4);
    expect(found.slice(0, 2)).toEqual([
      { number: 1, batch: other.batch, key: 'S-1', state: 'accepted' },
      { number: 4, batch, key: 'S-3', state: 'waiting' },
    ]);
    expect(found.slice(2)).toEqual(expect.arrayContaining(ofBoth));
    // Of another batch rather than of its own.
    expect(await store().sameRecipients(load, asked(lines), DAY_MS, 1)).toMatchObject([
      { number: 1, batch: other.batch },
      { number: 4, batch },
      { number: 5, batch: other.batch },
    ]);
    await pass(DAY_MS + 1);
    expect(await store().sameRecipients(load, asked(lines), DAY_MS, 10)).toMatchObject([
      { number: 4 },
      { number: 5, batch },
    ]);
  });

  it('takes a line for paid whose money went out, or may have', async () => {
    const owner = `owner-${batches}`;
    const all = LINE_STATES.map((_state, index) => line(index + 1, { recipient: owner, cents: 500 }));
    const other = await loaded(all);
    const changes = LINE_STATES.flatMap((state, index) => to(state, [index + 1]));
    await store().change(other.load, changes);
    const one = line(1, { recipient: owner, cents: 500 });
    const { load } = await loaded([one]);
    const found = await store().sameRecipients(load, asked([one]), DAY_MS, LINE_STATES.length);
    const states = new Set(found.map(({ state }) => state));
    expect(states).toEqual(new Set(['sending', 'accepted', 'unknown', 'paid']));
  });

  it.each(ENCRYPTIONS)('finds them under every key that it has: %s', async (_what, before, after) => {
    const owner = recipientOf('owner');
    const [first, next] = [sealedBy(before), sealedBy(after)];
    const other = await loaded([line(1, { recipient: owner, cents: 500 })], 1, () => first);
    await store().change(other.load, to('accepted', [1]));
    const lines = [1, 2, 3].map((number) => line(number, { recipient: owner, cents: 500 }));
    const stranger = line(4, { recipient: recipientOf('stranger'), cents: 500 });
    // One process loads and seals the first lines, or seals them again; another one the rest.
    const addedBy = (chunk: number): BatchStore => (chunk === 2 ? first : next);
    const { batch, load } = await loaded([...lines, stranger], 1, addedBy);
    const opened = await next.lines(load, { after: 0, limit: 9 });
    expect(opened.map(({ recipient }) => recipient)).toEqual(
      [...lines, stranger].map((one) => one.recipient),
    );
    const found = await next.sameRecipients(load, asked(opened), DAY_MS, 10);
    expect(found.map(({ number, batch: of, key }) => `${number}: ${of} ${key}`).sort()).toEqual(
      [
        ...[1, 2, 3].map((number) => `${number}: ${other.batch} S-1`),
        `2: ${batch} S-1`,
        `3: ${batch} S-1`,
        `3: ${batch} S-2`,
      ].sort(),
    );
  });

  it('finds no more than the limit for each line, whatever the form: those that changed last', async () => {
    const forms = ['plain', 'old', 'now'].map((form) => recipientOf(form));
    const [plain = '', old = '', now = ''] = forms;
    const others: BatchRecord[] = [];
    for (const recipient of [old, now, plain, now]) {
      const other = await loaded([line(1, { recipient, cents: 500 })]);
      await pass(1_000);
      await store().change(other.load, to('paid', [1]));
      others.push(other);
    }
    const { load } = await loaded([line(1, { recipient: old, cents: 500 })]);
    const lines = [{ number: 1, cents: 500, recipients: forms }];
    const found = await store().sameRecipients(load, lines, DAY_MS, 3);
    expect(found.map(({ batch }) => batch).sort()).toEqual(others.slice(1).map(({ batch }) => batch));
    expect(await store().sameRecipients(load, lines, DAY_MS, 9)).toHaveLength(4);
  });

  it('finds those of a whole chunk in ten forms, of some of its lines, and of none', async () => {
    const owners = Array.from({ length: 100 }, (_, index) =>
      Array.from({ length: 10 }, (_form, form) => recipientOf(`${index} ${form}`)),
    );
    const storedIn = (form: number): readonly NewBatchLine[] =>
      owners.map((forms, index) => line(index + 1, { recipient: forms[form] ?? '', cents: 500 }));
    const other = await loaded(storedIn(9), 100);
    const numbers = owners.map((_, index) => index + 1);
    await store().change(other.load, to('unknown', numbers));
    const { load } = await loaded(storedIn(0), 100);
    const all = owners.map((recipients, index) => ({ number: index + 1, cents: 500, recipients }));
    const found = await store().sameRecipients(load, all, DAY_MS, 20);
    expect(found).toEqual(
      numbers.map((number) => ({ number, batch: other.batch, key: `S-${number}`, state: 'unknown' })),
    );
    const again = await loaded(storedIn(9), 100);
    const isSome = ({ number }: LineRecipient): boolean => number % 30 === 0;
    for (const [of, lines] of [
      [load, all],
      [again.load, asked(storedIn(9))],
    ] as const) {
      const ofSome = await store().sameRecipients(of, lines.filter(isSome), DAY_MS, 20);
      expect(ofSome.map(({ number }) => number)).toEqual([30, 60, 90]);
    }
    expect(await store().sameRecipients(load, [], DAY_MS, 20)).toEqual([]);
  });
}
