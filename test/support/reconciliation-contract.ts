import { expect, it } from 'vitest';
import fc from 'fast-check';
import {
  type ReconciliationEntry,
  type ReconciliationKind,
  type ReconciliationStore,
  type StoredReconciliationEntry,
} from '../../lib/storage/reconciliation-store.js';

export { type ReconciliationEntry, type ReconciliationStore };

/** A store to try, and a way to let time pass for it. */
export interface ReconciliationStoreUnderTest {
  readonly store: () => ReconciliationStore;
  readonly pass: (ms: number) => Promise<void>;
}

type Scope = Pick<ReconciliationEntry, 'account' | 'environment'>;

const DAY_MS = 86_400_000;
/** In the order of their bytes. */
const IDS = [
  ' a',
  '!',
  '"',
  '%',
  "'",
  '-',
  '0',
  '10',
  '9',
  'A',
  'Z',
  '\\',
  '_',
  'a',
  'a ',
  'a-',
  'aa',
  'b',
  '~',
];
let scopes = 0;

/** An account that no other test has. */
function newScope(): Scope {
  scopes += 1;
  return { account: `reconciled-${scopes}`, environment: 'sandbox' };
}

function entry(scope: Scope, id: string, more: Partial<ReconciliationEntry> = {}): ReconciliationEntry {
  return { ...scope, kind: 'exception', id, state: 'open', details: `{"id":${JSON.stringify(id)}}`, ...more };
}

const idsOf = (stored: readonly StoredReconciliationEntry[]): readonly string[] =>
  stored.map(({ entry: { id } }) => id);

/** How many entries of a kind are in each state. */
async function counts(
  store: ReconciliationStore,
  scope: Scope,
  kind: ReconciliationKind,
): Promise<Readonly<Record<string, number>>> {
  const found: Record<string, number> = {};
  for (const {
    entry: { state },
  } of await store.list(scope, kind, { limit: 2_000 }))
    found[state] = (found[state] ?? 0) + 1;
  return found;
}

/** What every store of reconciliation must do. */
export function reconciliationContract(tested: ReconciliationStoreUnderTest): void {
  writing(tested);
  reading(tested);
  purging(tested);
  anything(tested);
}

function writing({ store, pass }: ReconciliationStoreUnderTest): void {
  it('writes an entry once, by its own clock, and keeps every text as it is', async () => {
    const scope = newScope();
    const first = entry(scope, 'one', { details: '{"name":"\u0000\ud800é\\"}', state: 'x'.repeat(32) });
    await store().add([first]);
    const stored = await store().get(scope, 'exception', 'one');
    expect(stored).toMatchObject({ entry: first, version: 1, updatedAt: stored?.createdAt });
    expect(stored?.now).toBeGreaterThanOrEqual(stored?.createdAt ?? Infinity);
    await pass(DAY_MS);
    await store().add([entry(scope, 'one'), entry(scope, 'two')]);
    const [again, two] = await store().list(scope, 'exception', { limit: 9 });
    expect(again).toMatchObject({ entry: first, version: 1, createdAt: stored?.createdAt });
    expect(two?.createdAt).toBeGreaterThanOrEqual((stored?.createdAt ?? Infinity) + DAY_MS);
    expect(two?.now).toBe(again?.now);
    await store().add([]);
  });

  it('keeps accounts, environments and kinds apart', async () => {
    const scope = newScope();
    const production = { ...scope, environment: 'production' } as const;
    const other = newScope();
    const kinds: readonly ReconciliationKind[] = ['balance', 'close', 'run', 'exception'];
    const all = [scope, production, other].flatMap((of) => kinds.map((kind) => entry(of, 'one', { kind })));
    await store().add(all);
    for (const [index, { kind, ...of }] of all.entries()) {
      const replaced = { ...of, kind, state: `s-${'abcdefghijkl'.charAt(index)}` };
      expect(await store().replace(1, replaced)).toMatchObject({ entry: replaced, version: 2 });
    }
    for (const [index, { kind, ...of }] of all.entries()) {
      const state = `s-${'abcdefghijkl'.charAt(index)}`;
      expect(await store().list(of, kind, { limit: 9 })).toMatchObject([{ entry: { ...of, kind, state } }]);
      expect(await store().get(of, kind, 'one')).toMatchObject({ entry: { ...of, kind, state } });
      expect(await store().purge(of, kind, [state], -1_000)).toBe(1);
      expect(await store().get(of, kind, 'one')).toBeUndefined();
    }
  });

  it('replaces only the version that was read, and lets one of many win', async () => {
    const scope = newScope();
    await store().add([entry(scope, 'one'), entry(scope, 'two')]);
    await pass(1_000);
    const results = await Promise.all(
      ['a', 'b', 'c', 'd'].map((details) =>
        store().replace(1, entry(scope, 'one', { state: 'settled', details })),
      ),
    );
    const [won, ...rest] = results.filter((result) => result !== undefined);
    expect(rest).toEqual([]);
    expect(won).toMatchObject({ version: 2, entry: { state: 'settled' } });
    expect(won?.updatedAt).toBeGreaterThanOrEqual((won?.createdAt ?? Infinity) + 1_000);
    const stored = await store().get(scope, 'exception', 'one');
    expect(stored).toEqual({ ...won, now: stored?.now });
    expect(await store().replace(1, entry(scope, 'one'))).toBeUndefined();
    expect(await store().replace(1, entry(scope, 'three'))).toBeUndefined();
    expect(await store().replace(2, entry(scope, 'one'))).toMatchObject({ version: 3 });
    expect(await store().get(scope, 'exception', 'two')).toMatchObject({
      version: 1,
      entry: { state: 'open' },
    });
  });

  it('adds 1,000 entries at once, and each of them once if many add them in another order', async () => {
    const scope = newScope();
    const ids = Array.from({ length: 1_000 }, (_, index) => `${index}`.padStart(6, '0'));
    const writers = ['a', 'b', 'c', 'd'].map((details, index) => {
      const ordered = index % 2 === 0 ? ids : ids.toReversed();
      return store().add(ordered.map((id) => entry(scope, id, { details })));
    });
    await Promise.all(writers);
    const stored = await store().list(scope, 'exception', { limit: 2_000 });
    expect(idsOf(stored)).toEqual(ids);
    expect(new Set(stored.map(({ entry: { details } }) => details)).size).toBe(1);
    expect(await counts(store(), scope, 'exception')).toEqual({ open: 1_000 });
    await store().add([
      ...stored.map(({ entry: kept }) => ({ ...kept, state: 'settled' })),
      entry(scope, 'new'),
    ]);
    expect(await counts(store(), scope, 'exception')).toEqual({ open: 1_001 });
  });

  it('writes all entries of a call or none, and the first of those with one id', async () => {
    const scope = newScope();
    const broken = entry(scope, 'two', { state: null as unknown as string });
    await expect(store().add([entry(scope, 'one'), broken, entry(scope, 'zero')])).rejects.toMatchObject({
      name: 'PaymentsStorageError',
    });
    expect(await counts(store(), scope, 'exception')).toEqual({});
    await store().add([entry(scope, 'one', { state: 'first' }), entry(scope, 'one', { state: 'second' })]);
    expect(await counts(store(), scope, 'exception')).toEqual({ first: 1 });
  });
}

function reading({ store }: ReconciliationStoreUnderTest): void {
  it('lists entries in the order of the bytes of their ids, page after page', async () => {
    const scope = newScope();
    await store().add(IDS.toReversed().map((id) => entry(scope, id)));
    const seen: string[] = [];
    for (let pages = 0; pages * 4 <= IDS.length; pages += 1) {
      const after = seen.at(-1);
      const page = await store().list(scope, 'exception', {
        limit: 4,
        ...(after !== undefined && { after }),
      });
      seen.push(...idsOf(page));
    }
    expect(seen).toEqual(IDS);
    expect(idsOf(await store().list(scope, 'exception', { after: 'A', limit: 3 }))).toEqual(['Z', '\\', '_']);
    expect(idsOf(await store().list(scope, 'exception', { after: 'B', limit: 1 }))).toEqual(['Z']);
    expect(await store().list(scope, 'exception', { after: '~', limit: 9 })).toEqual([]);
    for (const id of IDS) {
      const details = `{"id":${JSON.stringify(id)}}`;
      expect((await store().get(scope, 'exception', id))?.entry).toMatchObject({ id, details });
    }
    expect(await store().get(scope, 'exception', 'a  ')).toBeUndefined();
  });

  it('finds the entries in some states, their numbers, and the last one before an id', async () => {
    const scope = newScope();
    const states = ['open', 'explained', 'settled', 'open', 'explained', 'settled', 'open'];
    await store().add(states.map((state, index) => entry(scope, `2026-11-0${index + 1}`, { state })));
    const list = async (wanted: readonly string[], after = '', limit = 9): Promise<readonly string[]> =>
      idsOf(await store().list(scope, 'exception', { states: wanted, after, limit })).map((id) =>
        id.slice(-1),
      );
    expect(await list(['open'])).toEqual(['1', '4', '7']);
    expect(await list(['settled', 'open', 'settled'])).toEqual(['1', '3', '4', '6', '7']);
    expect(await list(['explained', 'open'], '2026-11-02', 2)).toEqual(['4', '5']);
    expect(await list(['ended', 'opened'])).toEqual([]);
    expect(await list([])).toEqual([]);
    const last = async (before: string, wanted: readonly string[]): Promise<string | undefined> =>
      (await store().last(scope, 'exception', before, wanted))?.entry.id.slice(-1);
    expect(await last('~', ['settled', 'explained'])).toBe('6');
    expect(await last('2026-11-06', ['settled', 'explained', 'settled'])).toBe('5');
    expect(await last('2026-11-06', ['settled'])).toBe('3');
    expect(await last('2026-11-03', ['settled'])).toBeUndefined();
    expect(await last('~', ['ended'])).toBeUndefined();
    expect(await last('~', [])).toBeUndefined();
    expect(await store().last(scope, 'close', '~', ['open'])).toBeUndefined();
    expect(await counts(store(), scope, 'exception')).toEqual({ open: 3, explained: 2, settled: 2 });
    expect(await counts(store(), scope, 'close')).toEqual({});
  });
}

function purging({ store, pass }: ReconciliationStoreUnderTest): void {
  it('removes the old entries in some states, however many there are', async () => {
    const scope = newScope();
    const many = Array.from({ length: 1_000 }, (_, index) =>
      entry(scope, `old-${index}`, { state: 'settled' }),
    );
    await store().add(many);
    await store().add([
      entry(scope, 'old', { state: 'explained' }),
      entry(scope, 'changed', { state: 'settled' }),
      entry(scope, 'open'),
      entry(scope, 'one-more', { state: 'settled' }),
    ]);
    await pass(DAY_MS);
    await store().add([entry(scope, 'young', { state: 'settled' })]);
    await store().replace(1, entry(scope, 'changed', { state: 'settled' }));
    expect(await store().purge(scope, 'close', ['settled', 'explained', 'open'], DAY_MS / 2)).toBe(0);
    expect(await store().purge(scope, 'exception', [], DAY_MS / 2)).toBe(0);
    expect(await store().purge(scope, 'exception', ['settled', 'explained', 'settled'], DAY_MS / 2)).toBe(
      1_002,
    );
    expect(await store().purge(scope, 'exception', ['settled', 'explained'], DAY_MS / 2)).toBe(0);
    expect(idsOf(await store().list(scope, 'exception', { limit: 9 }))).toEqual(['changed', 'open', 'young']);
  });
}

/** What a random story does with a store. */
type Step =
  | { readonly do: 'add'; readonly ids: readonly string[]; readonly state: string }
  | { readonly do: 'replace'; readonly id: string; readonly version: number; readonly state: string }
  | { readonly do: 'purge'; readonly states: readonly string[] };

function anything({ store }: ReconciliationStoreUnderTest): void {
  it('does what a sorted map would do', async () => {
    const id = fc.constantFrom(...IDS);
    const state: fc.Arbitrary<string> = fc.constantFrom('open', 'explained', 'settled');
    const step: fc.Arbitrary<Step> = fc.oneof(
      fc.record({ do: fc.constant('add' as const), ids: fc.array(id, { maxLength: 6 }), state }),
      fc.record({ do: fc.constant('replace' as const), id, version: fc.integer({ min: 1, max: 3 }), state }),
      fc.record({ do: fc.constant('purge' as const), states: fc.uniqueArray(state, { maxLength: 1 }) }),
    );
    const wanted = fc.uniqueArray(state);
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 8 }), wanted, id, async (steps, states, from) => {
        const scope = newScope();
        const kept = new Map<string, { readonly state: string; readonly version: number }>();
        for (const one of steps) await take(one, scope, store(), kept);
        const sorted = IDS.filter((one) => kept.has(one));
        const all = await store().list(scope, 'exception', { limit: 99 });
        expect(idsOf(all)).toEqual(sorted);
        expect(all.map(({ entry: { state: now }, version }) => ({ state: now, version }))).toEqual(
          sorted.map((one) => kept.get(one)),
        );
        const inStates = sorted.filter((one) => states.includes(kept.get(one)?.state ?? ''));
        const place = IDS.indexOf(from);
        const page = await store().list(scope, 'exception', { after: from, states, limit: 3 });
        expect(idsOf(page)).toEqual(inStates.filter((one) => IDS.indexOf(one) > place).slice(0, 3));
        const last = await store().last(scope, 'exception', from, states);
        expect(last?.entry.id).toBe(inStates.findLast((one) => IDS.indexOf(one) < place));
      }),
      { numRuns: 20 },
    );
  });
}

async function take(
  step: Step,
  scope: Scope,
  store: ReconciliationStore,
  kept: Map<string, { readonly state: string; readonly version: number }>,
): Promise<void> {
  if (step.do === 'add') {
    await store.add(step.ids.map((id) => entry(scope, id, { state: step.state })));
    for (const id of step.ids) if (!kept.has(id)) kept.set(id, { state: step.state, version: 1 });
    return;
  }
  if (step.do === 'replace') {
    const { id, version, state } = step;
    const isCurrent = kept.get(id)?.version === version;
    const stored = await store.replace(version, entry(scope, id, { state }));
    expect(stored?.version).toBe(isCurrent ? version + 1 : undefined);
    if (isCurrent) kept.set(id, { state, version: version + 1 });
    return;
  }
  const { states } = step;
  const old = [...kept].filter(([, { state }]) => states.includes(state));
  expect(await store.purge(scope, 'exception', states, -1_000)).toBe(old.length);
  for (const [id] of old) kept.delete(id);
}
