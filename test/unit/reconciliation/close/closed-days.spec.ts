import { expect, it } from 'vitest';
import { statementDaysOf } from '../../../../lib/reconciliation/close/closed-days.js';
import { type ReconciliationStore } from '../../../../lib/storage/reconciliation-store.js';

const DAY = 86_400_000;
const FIRST = Date.parse('2026-01-01');
const SCOPE = { account: 'default', environment: 'sandbox' } as const;

/** A close as it is kept, also by versions that wrote down since when each day had a statement. */
const closeOf = (number: number, hasStatement: boolean, statementsSince?: number) => {
  const [from, to] = [new Date(FIRST + number * DAY), new Date(FIRST + (number + 1) * DAY)];
  const day = from.toISOString().slice(0, 10);
  const summary = { day, from, to, ...(hasStatement && { statement: { name: 'a.csv' } }) };
  const details = JSON.stringify({ summary, token: 'a', statementsSince });
  return { ...SCOPE, kind: 'close', id: day, state: 'closed', details } as const;
};

it('the days with a statement are read from all closes, however old', async () => {
  const kept = [
    closeOf(0, true, FIRST),
    closeOf(1, false),
    ...Array.from({ length: 250 }, (_, number) => closeOf(number + 2, true)),
  ];
  const list: ReconciliationStore['list'] = (_scope, kind, { after = '', limit }) =>
    Promise.resolve(
      kept
        .filter((entry) => entry.kind === kind && entry.id > after)
        .slice(0, limit)
        .map((entry) => ({ entry, version: 1, createdAt: 0, updatedAt: 0, now: 0 })),
    );
  const days = await statementDaysOf({ store: { list } as unknown as ReconciliationStore, scope: SCOPE });
  const has = [-1, 0, 1, 2, 100, 251, 252].map((number) => days.has(FIRST + number * DAY));
  expect(has).toEqual([false, true, false, true, true, true, false]);
});
