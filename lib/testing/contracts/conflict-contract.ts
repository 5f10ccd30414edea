import { type ConflictStore } from '../../storage/conflict-store.js';
import { ACCOUNT_LISTING } from './account-listing.cases.js';
import { ALIKE_FINGERPRINTS, ALIKE_REFERENCES, longText } from './alike-texts.js';
import { CONFLICT_RACING } from './conflict-racing.cases.js';
import {
  CONFLICT_SCOPE as SCOPE,
  type ConflictsTest,
  type ConflictsUnderTest,
  OTHER_SCOPES,
  PAGE,
  setAside,
} from './conflict-test.js';
import { type Cases, type ContractFramework, eachCase, registerCases } from './contract-framework.js';
import { measureTime } from './passed-time.js';

/**
 * Registers the tests of what every `ConflictStore` must do. Call it inside a `describe`.
 *
 * @param framework `describe`, `it` and `expect` of Jest, Vitest or another one.
 * @param open Makes an empty store, for each test.
 *
 * @publicApi
 */
export function conflictContract(
  framework: ContractFramework,
  open: () => Promise<ConflictsUnderTest> | ConflictsUnderTest,
): void {
  registerCases(framework, { ...CONFLICT_CASES, ...CONFLICT_RACING }, async () => {
    const { conflicts, inbox, pass } = await open();
    return { conflicts, inbox, pass, expect: framework.expect };
  });
  framework.describe('the accounts that it lists', () => {
    registerCases(framework, ACCOUNT_LISTING, async () => {
      const { conflicts } = await open();
      return {
        expect: framework.expect,
        store: conflicts,
        write: (scope, fingerprint) => conflicts.setAside(setAside({ ...scope, fingerprint })),
      };
    });
  });
}

/** What was set aside is kept, listed and removed. */
const CONFLICT_CASES: Cases<ConflictsTest> = {
  'keeps what was set aside as it came last, counts its repetitions and lists the oldest first': async ({
    conflicts,
    pass,
    expect,
  }) => {
    const expectPassed = measureTime(expect);
    await conflicts.setAside(setAside());
    await pass(1_000);
    await conflicts.setAside(setAside({ fingerprint: 'f3', kind: 'mismatch', payload: '{"a":1}' }));
    await conflicts.setAside(setAside({ payload: '{"b":2}' }));
    const listed = await conflicts.list(SCOPE, PAGE);
    expect(listed).toMatchObject([
      { ...setAside({ payload: '{"b":2}' }), seen: 2 },
      { ...setAside({ fingerprint: 'f3', kind: 'mismatch', payload: '{"a":1}' }), seen: 1 },
    ]);
    const [first, second] = listed;
    expectPassed((second?.firstSeenAt ?? 0) - (first?.firstSeenAt ?? 0), 1_000);
    expect(new Date(first?.firstSeenAt ?? 0).getFullYear()).toBeGreaterThan(2_000);
    expect(new Set(listed.map(({ id }) => id)).size).toBe(2);
    for (const other of OTHER_SCOPES) expect(await conflicts.list(other, PAGE)).toEqual([]);
  },

  ...eachCase(['unrecognized', 'unknown-reference'] as const, (kind) => [
    `keeps ${kind} deliveries whole, and forgets old ones of that reason only if it is asked to`,
    async ({ conflicts, inbox, pass, expect }: ConflictsTest) => {
      const payload = JSON.stringify({
        event: 'payment.succeeded',
        data: { reference: 'order-1', x: ['é'] },
      });
      const odd = setAside({ kind, event: 'payment.succeeded', fingerprint: 'b1', payload });
      await conflicts.setAside(odd);
      await conflicts.setAside(setAside({ fingerprint: 'b1' }));
      for (const other of OTHER_SCOPES) await conflicts.setAside({ ...odd, ...other });
      await pass(10_000);
      await conflicts.setAside(odd);
      await conflicts.setAside({ ...odd, fingerprint: 'b2' });
      expect(await conflicts.list(SCOPE, PAGE)).toMatchObject([
        { ...odd, seen: 2 },
        setAside({ fingerprint: 'b1' }),
        { ...odd, fingerprint: 'b2', seen: 1 },
      ]);
      expect(await inbox.purge(SCOPE, 1)).toBe(0);
      expect(await conflicts.purge(SCOPE, kind, 60_000)).toBe(0);
      expect(await conflicts.purge(SCOPE, kind, 5_000)).toBe(1);
      expect(await conflicts.list(SCOPE, PAGE)).toMatchObject([
        { kind: 'conflict', fingerprint: 'b1' },
        { kind, fingerprint: 'b2' },
      ]);
      for (const other of OTHER_SCOPES) {
        expect(await conflicts.list(other, PAGE)).toMatchObject([{ ...odd, ...other, seen: 1 }]);
      }
    },
  ]),

  'keeps events apart whose fingerprints differ only at the end, and gives back each reference as it came':
    async ({ conflicts, expect }) => {
      for (const fingerprint of ALIKE_FINGERPRINTS) await conflicts.setAside(setAside({ fingerprint }));
      const references = ALIKE_REFERENCES.flat();
      for (const [index, reference] of references.entries()) {
        await conflicts.setAside(setAside({ fingerprint: `f${index}`, reference }));
      }
      const listed = await conflicts.list(SCOPE, PAGE);
      expect(listed.slice(0, 2)).toMatchObject(
        ALIKE_FINGERPRINTS.map((fingerprint) => ({ fingerprint, seen: 1 })),
      );
      expect(listed.slice(2).map(({ reference }) => reference)).toEqual(references);
    },

  'gives back an event of 64 KiB as it came': async ({ conflicts, expect }) => {
    // As much as a webhook route takes by default.
    await conflicts.setAside(setAside({ payload: longText(65_536) }));
    const [stored] = await conflicts.list(SCOPE, PAGE);
    expect(stored?.payload).toBe(longText(65_536));
    if (!stored) return;
    await conflicts.replacePayload(stored, longText(65_600));
    expect((await conflicts.get(SCOPE, stored.id))?.payload).toBe(longText(65_600));
  },

  'pages through what was set aside, also while entries go and come': async ({ conflicts, expect }) => {
    const add = (at: number) =>
      conflicts.setAside(setAside({ fingerprint: `f${at}`, reference: `order-${at}` }));
    const references = (page: Awaited<ReturnType<ConflictStore['list']>>) =>
      page.map(({ reference }) => reference);
    for (let at = 1; at <= 5; at += 1) await add(at);
    for (const other of OTHER_SCOPES) await conflicts.setAside(setAside(other));
    const first = await conflicts.list(SCOPE, { limit: 2 });
    expect(references(first)).toEqual(['order-1', 'order-2']);
    for (const { id } of first) await conflicts.remove(SCOPE, id);
    await add(3);
    await add(6);
    await add(1);
    const after = first.at(-1)?.id ?? '';
    const second = await conflicts.list(SCOPE, { limit: 3, after });
    expect(references(second)).toEqual(['order-3', 'order-4', 'order-5']);
    expect(second[0]?.seen).toBe(2);
    const third = await conflicts.list(SCOPE, { limit: 3, after: second.at(-1)?.id ?? '' });
    expect(references(third)).toEqual(['order-6', 'order-1']);
    expect(await conflicts.list(SCOPE, { limit: 3, after: third.at(-1)?.id ?? '' })).toEqual([]);
  },

  ...eachCase(['', 'x', '-1', '1 OR 1=1', '99999999999999999999'], (after) => [
    `refuses ${JSON.stringify(after)} as a place`,
    async ({ conflicts, expect }: ConflictsTest) => {
      const refused: unknown = await (async () => conflicts.list(SCOPE, { limit: 1, after }))().catch(
        (error: unknown) => error,
      );
      expect(refused).toMatchObject({ name: 'PaymentsValidationError' });
    },
  ]),

  'finds one entry by its id, and no other that was set aside again': async ({ conflicts, expect }) => {
    await conflicts.setAside(setAside());
    const [stored] = await conflicts.list(SCOPE, PAGE);
    const id = stored?.id ?? '';
    expect(await conflicts.get(SCOPE, id)).toEqual(stored);
    for (const other of OTHER_SCOPES) expect(await conflicts.get(other, id)).toBeUndefined();
    for (const other of ['', '0', `0${id}`, `${id}0`, "' OR 1=1 --", '__proto__', 'a\0b']) {
      expect(await conflicts.get(SCOPE, other)).toBeUndefined();
    }
    await conflicts.remove(SCOPE, id);
    await conflicts.setAside(setAside());
    expect(await conflicts.get(SCOPE, id)).toBeUndefined();
    await conflicts.remove(SCOPE, id);
    expect(await conflicts.list(SCOPE, PAGE)).toHaveLength(1);
  },

  'replaces the payload of an entry as it was read, and of no other': async ({ conflicts, expect }) => {
    await conflicts.setAside(setAside());
    await conflicts.setAside(setAside({ fingerprint: 'f3' }));
    const [first, second] = await conflicts.list(SCOPE, PAGE);
    if (!first || !second) throw new Error('Both entries should be listed.');
    expect(await conflicts.replacePayload(first, '{"é":"new"}')).toBe(true);
    expect(await conflicts.list(SCOPE, PAGE)).toEqual([{ ...first, payload: '{"é":"new"}' }, second]);
    for (const other of OTHER_SCOPES) {
      expect(await conflicts.replacePayload({ ...first, ...other }, '{"of":"another"}')).toBe(false);
    }
    await conflicts.setAside(setAside({ payload: '{"delivered":"again"}' }));
    expect(await conflicts.replacePayload(first, '{"too":"late"}')).toBe(false);
    expect(await conflicts.get(SCOPE, first.id)).toMatchObject({ payload: '{"delivered":"again"}', seen: 2 });
    await conflicts.remove(SCOPE, second.id);
    await conflicts.setAside(setAside({ fingerprint: 'f3' }));
    expect(await conflicts.replacePayload(second, '{"of":"the one before"}')).toBe(false);
    expect((await conflicts.list(SCOPE, PAGE)).map(({ payload }) => payload)).toEqual([
      '{"delivered":"again"}',
      '{}',
    ]);
  },

  'takes one entry off what was set aside, and only of its own account and environment': async ({
    conflicts,
    expect,
  }) => {
    await conflicts.setAside(setAside());
    const [{ id } = { id: '' }] = await conflicts.list(SCOPE, PAGE);
    for (const other of OTHER_SCOPES) await conflicts.remove(other, id);
    expect(await conflicts.list(SCOPE, PAGE)).toHaveLength(1);
    await conflicts.remove(SCOPE, id);
    await conflicts.remove(SCOPE, id);
    expect(await conflicts.list(SCOPE, PAGE)).toEqual([]);
  },
};
