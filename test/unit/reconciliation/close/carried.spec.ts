import { expect, it } from 'vitest';
import { listEntries, readList } from '../../../../lib/reconciliation/close/carried.js';
import {
  type ReconciliationEntry,
  type ReconciliationStore,
} from '../../../../lib/storage/reconciliation-store.js';

const SCOPE = { account: 'default', environment: 'sandbox' } as const;

it('a long list is read as it was written, and nothing of another run', async () => {
  const payments = Array.from({ length: 4_150 }, (_, number) => ({
    family: 'collection' as const,
    reference: `order-${number}`,
  }));
  const place = (token: string) => ({ scope: SCOPE, day: '2026-11-20', token });
  const kept: ReconciliationEntry[] = ['a', 'b', 'c'].flatMap((token) => [
    ...listEntries(place(token), 'carried', token === 'b' ? payments : payments.slice(0, 10)),
  ]);
  const list: ReconciliationStore['list'] = (_scope, _kind, { after = '', limit }) =>
    Promise.resolve(
      kept
        .filter(({ id }) => id > after)
        .slice(0, limit)
        .map((entry) => ({ entry, version: 1, createdAt: 0, updatedAt: 0, now: 0 })),
    );
  const read: unknown[] = [];
  const store = { list } as unknown as ReconciliationStore;
  for await (const items of readList(store, place('b'), 'carried')) read.push(...items);
  expect(read).toEqual(payments);
});
