import { sqlStorage } from 'nestjs-payments/sql';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { inboxKey } from '../support/inbox-contract.js';
import { journalRecord } from '../support/journal-contract.js';
import { describeWith, mysqlService } from '../support/services.js';
import { borrowMysql, type MysqlDatabase } from './mysql-database.js';

const LOAD = 'a'.repeat(32);
const SCOPE = inboxKey('order-1');
const MOST_LINES = 100;
const MOST_PAYMENTS = 40;

describeWith([mysqlService], 'a pool of mysql2', () => {
  let database: MysqlDatabase;

  beforeEach(async () => {
    database = await borrowMysql(1);
  });
  afterEach(() => database.close());

  /** Statements that the server keeps for the only connection. */
  async function kept(): Promise<number> {
    const [found] = await database.pool.query("SHOW SESSION STATUS LIKE 'Com_stmt_%'");
    const counts = new Map(
      (found as { readonly Variable_name: string; readonly Value: string }[]).map((row) => [
        row.Variable_name,
        Number(row.Value),
      ]),
    );
    return (counts.get('Com_stmt_prepare') ?? 0) - (counts.get('Com_stmt_close') ?? 0);
  }

  it('keeps few prepared statements, however long the lists are that it sends', async () => {
    const { batches, journal, reconciliation, inbox } = sqlStorage({ executor: database.executor });
    for (let size = 1; size <= MOST_LINES; size += 1) {
      const numbers = Array.from({ length: size }, (_, index) => size * 1_000 + index);
      const lines = numbers.map((number) => ({
        number,
        key: `k-${number}`,
        cents: 1,
        recipient: `r-${number}`,
        content: '{}',
      }));
      await batches!.addChunk(LOAD, { chunk: size, digest: 'd' }, lines);
      const changes = numbers.map((number) => ({ number, from: ['waiting'], to: 'checked' }) as const);
      expect(await batches!.change(LOAD, changes)).toHaveLength(size);
      await batches!.lines(LOAD, { after: 0, limit: size });
      const entries = numbers.map(
        (id) => ({ ...SCOPE, kind: 'exception', id: `e-${id}`, state: 'new', details: '{}' }) as const,
      );
      await reconciliation!.add(entries);
      await journal.list({ ...SCOPE, family: 'collection' }, [], { limit: size });
      await inbox.accounts({ limit: size });
    }
    for (let size = 1; size <= MOST_PAYMENTS; size += 1) {
      for (let number = 1; number <= size; number += 1) {
        const settled = { state: 'settled', outcome: 'success' } as const;
        await journal.insert(journalRecord(`order-${size}-${number}`, settled), 0);
      }
      // Also those of this moment.
      expect(await journal.purge(SCOPE, 'settled', -1_000)).toBe(size);
    }
    expect(await kept()).toBeLessThan(MOST_PAYMENTS);
  });
});
