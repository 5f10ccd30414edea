import { AsyncLocalStorage } from 'node:async_hooks';
import { describe, expect, it, vi } from 'vitest';
import { NestedTransactions } from '../../../../lib/storage/sql/nested-transactions.js';

const NAMES = /^sp\d+$/;

describe('the nested transactions of a connection', () => {
  it('admit what their own code and that outside of them says, in turn', () => {
    const transactions = new NestedTransactions(NAMES);
    const inner = transactions.begin(() => [
      transactions.admits('SAVEPOINT sp1'),
      transactions.admits('INSERT INTO orders VALUES (1)'),
      transactions.admits('RELEASE SAVEPOINT sp1'),
    ]);
    expect([...inner, transactions.admits('INSERT INTO orders VALUES (2)')]).toEqual([
      true,
      true,
      true,
      true,
    ]);
  });

  it('refuse what comes from outside while one of them is open, and from inside when it is over', () => {
    const transactions = new NestedTransactions(NAMES);
    const inside = transactions.begin((nested) => {
      transactions.admits('SAVEPOINT sp1');
      return (text: string) => transactions.within(nested, () => transactions.admits(text));
    });
    expect([transactions.admits('SELECT 1'), inside('SELECT 1')]).toEqual([false, true]);
    expect([inside('RELEASE SAVEPOINT sp1'), transactions.areOpen]).toEqual([true, false]);
    expect([transactions.admits('SELECT 1'), inside('SELECT 1')]).toEqual([true, false]);
  });

  it('know nothing of those of another connection, in which they were begun', () => {
    const [one, other] = [new NestedTransactions(NAMES), new NestedTransactions(NAMES)];
    const seen = one.begin(() => {
      one.admits('SAVEPOINT sp1');
      return other.begin(() => [
        other.admits('SAVEPOINT sp1'),
        one.admits('SELECT 1'),
        other.admits('SELECT 1'),
      ]);
    });
    expect(seen).toEqual([true, true, true]);
  });

  it('leave nothing behind that makes later promises slower', () => {
    const run = vi.spyOn(AsyncLocalStorage.prototype, 'run');
    for (let delivery = 0; delivery < 3; delivery += 1) new NestedTransactions(NAMES).begin(() => undefined);
    const storages = new Set(run.mock.contexts);
    run.mockRestore();
    expect(storages.size).toBe(1);
  });
});
