import { describe, expect, it } from 'vitest';
import {
  writeExceptions,
  type WritingRun,
} from '../../../../lib/reconciliation/exceptions/write-exceptions.js';
import { type Finding } from '../../../../lib/reconciliation/matching/finding.js';
import {
  type ReconciliationEntry,
  type ReconciliationStore,
} from '../../../../lib/storage/reconciliation-store.js';
import { type JournalStore } from '../../../../lib/storage/journal-store.js';

const SCOPE = { account: 'default', environment: 'sandbox' } as const;
const AT = Date.parse('2026-11-20T08:00:00Z');

/** A store that takes exceptions, and nothing else. */
function takingStore(): { readonly store: ReconciliationStore; readonly added: ReconciliationEntry[][] } {
  const added: ReconciliationEntry[][] = [];
  const store = {
    list: () => Promise.resolve([]),
    add: (entries: readonly ReconciliationEntry[]) => {
      added.push([...entries]);
      return Promise.resolve();
    },
  } as unknown as ReconciliationStore;
  return { store, added };
}

const unknownRow = (reference: string, row: number): Finding => ({
  kind: 'missing-here',
  family: 'collection',
  reference,
  row: { row, kind: 'collection', isFailed: false, cents: 100, feeCents: undefined, at: AT },
});

const write = (store: ReconciliationStore, findings: readonly Finding[], goOn: WritingRun['goOn']) =>
  writeExceptions(
    { store, journal: {} as JournalStore, scope: SCOPE },
    { scope: SCOPE, day: '2026-11-20', statement: 'a.csv', token: '01234567-89ab-cdef-0123-456789abcdef' },
    { findings, proofs: [] },
    {
      closes: { of: () => Promise.resolve(undefined), proofsOf: () => (async function* () {})() },
      goOn,
    },
  );

describe('the exceptions of a run', () => {
  it('are not all written if another run takes over meanwhile', async () => {
    const { store, added } = takingStore();
    const findings = Array.from({ length: 3_000 }, (_, index) => unknownRow(`order-${index}`, index));
    const goOn = (): Promise<void> | undefined =>
      added.length === 2 ? Promise.reject(new Error('taken over')) : undefined;
    await expect(write(store, findings, goOn)).rejects.toThrow('taken over');
    expect(added.map(({ length }) => length)).toEqual([1_000, 1_000]);
  });

  it('have ids of their own, and no reference that is longer than that of a payment', async () => {
    const { store, added } = takingStore();
    const long = 'x'.repeat(70_000);
    await write(store, [unknownRow(`${long}1`, 1), unknownRow(`${long}2`, 2)], () => undefined);
    const entries = added.flat();
    expect(new Set(entries.map(({ id }) => id)).size).toBe(2);
    for (const { id, details } of entries) {
      expect(id).toMatch(/^2026-11-20\.missing-here\.[0-9a-f]{16}\.0123456789ab$/);
      expect(JSON.parse(details)).toMatchObject({ reference: `${'x'.repeat(255)}…` });
      expect(details.length).toBeLessThan(2_000);
    }
  });

  it('are all kept if two rows have the same place, as those of two files may', async () => {
    const written = async (): Promise<readonly ReconciliationEntry[]> => {
      const { store, added } = takingStore();
      const [one, other] = [unknownRow('', 2), unknownRow('', 2)].map((row) => ({
        ...row,
        reference: undefined,
      }));
      const larger = { ...other!, row: { ...other!.row!, cents: 900 } };
      await write(store, [one!, larger, unknownRow('order-1', 2)], () => undefined);
      return added.flat();
    };
    const entries = await written();
    expect(new Set(entries.map(({ id }) => id)).size).toBe(3);
    expect(entries.map(({ details }) => JSON.parse(details) as unknown)).toMatchObject([
      { theirs: { amount: '1.00' } },
      { theirs: { amount: '9.00' } },
      { reference: 'order-1' },
    ]);
    // The same run writes the same entries.
    expect(await written()).toEqual(entries);
  });

  it('take what their own row proves, and not the row of an earlier statement', async () => {
    const { store, added } = takingStore();
    const proof = { family: 'collection', reference: 'order-1', outcome: 'success', row: 2, at: AT } as const;
    const proofs = [{ ...proof, readOn: '2026-11-19' }, proof];
    const late: Finding = { ...unknownRow('order-1', 2), kind: 'late' };
    const { proposals } = await writeExceptions(
      { store, journal: {} as JournalStore, scope: SCOPE },
      { scope: SCOPE, day: '2026-11-20', statement: 'a.csv', token: '01234567-89ab-cdef-0123-456789abcdef' },
      { findings: [late], proofs },
      {
        closes: { of: () => Promise.resolve(undefined), proofsOf: () => (async function* () {})() },
        goOn: () => undefined,
      },
    );
    expect([...proposals]).toEqual([{ ...proof, readOn: '2026-11-19' }]);
    expect(added.flat().map(({ details }) => JSON.parse(details) as unknown)).toMatchObject([
      { kind: 'late', proves: 'success' },
    ]);
  });

  it.each([
    ['the journal holds an outcome since', 'accepted', { state: 'settled', outcome: 'paid' }, true],
    ['an operator settled a refused payment', 'rejected', { state: 'settled', outcome: 'paid' }, true],
    ['the journal held the outcome before', 'paid', { state: 'settled', outcome: 'paid' }, false],
    ['the payment is still open', 'accepted', { state: 'accepted' }, false],
    ['the gateway refused the payment since, which one row denies', 'unknown', { state: 'rejected' }, false],
  ])('that tell of contradicting rows: %s', async (_, before, now, isOver) => {
    const token = '01234567-89ab-cdef-0123-456789abcdef';
    const own = { status: before, amount: '10.00', fee: undefined, createdAt: AT };
    const contradiction = { kind: 'status', isContradiction: true };
    const withdrawn = { kind: 'proven', proves: 'failed', isWithdrawn: true };
    const stored = [contradiction, withdrawn].map((details, number) => {
      const of = { token, day: '2026-11-19', reason: '', family: 'disbursement', reference: 'a', own };
      const entry = { ...SCOPE, kind: 'exception', id: `id-${number}`, state: 'open' };
      return { version: 1, entry: { ...entry, details: JSON.stringify({ ...of, attempt: 1, ...details }) } };
    });
    const record = { family: 'disbursement', reference: 'a', amount: '10.00', attempt: 1, ...now };
    const store = { list: () => Promise.resolve(stored) } as unknown as ReconciliationStore;
    const journal = {
      get: () => Promise.resolve({ record, createdAt: AT, updatedAt: AT, idleMs: 0, ageMs: 0 }),
    } as unknown as JournalStore;
    const { changes } = await writeExceptions(
      { store, journal, scope: SCOPE },
      { scope: SCOPE, day: '2026-11-20', statement: 'a.csv', token },
      { findings: [], proofs: [] },
      {
        closes: {
          of: () => Promise.resolve({ token, statement: undefined }),
          proofsOf: () => (async function* () {})(),
        },
        goOn: () => undefined,
      },
    );
    expect(changes.over).toHaveLength(isOver ? 2 : 0);
  });
});
