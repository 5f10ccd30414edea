import { type PaymentsStorage } from 'nestjs-payments';
import { type SqlExecutor, sqlStorage } from 'nestjs-payments/sql';
import { afterEach, expect, it } from 'vitest';
import { eventually } from '../support/eventually.js';
import { claimed, inboxDelivery, inboxKey } from '../support/inbox-contract.js';
import { describeWith, mysqlService } from '../support/services.js';
import { borrowMysql, type MysqlDatabase } from './mysql-database.js';

const OLD = 20_000;
const NEW = 1_000;
const SCOPE = inboxKey('order-1');
const WRITTEN_TOGETHER = 1_000;
/** When each row was written: the old ones first. */
const timeOf = (row: number): number => (row < OLD ? row : Date.now());
const scoped = (...values: readonly unknown[]): readonly unknown[] => [
  SCOPE.account,
  SCOPE.environment,
  ...values,
];

interface Purged {
  readonly what: string;
  readonly table: string;
  readonly columns: string;
  readonly row: (index: number) => readonly unknown[];
  readonly purge: (storage: PaymentsStorage) => Promise<unknown> | undefined;
}

const DAY_MS = 86_400_000;
const LOAD = 'a'.repeat(32);
const PURGED: readonly Purged[] = [
  {
    what: 'the inbox',
    table: 'payments_inbox',
    columns:
      'account, environment, kind, reference, event, fingerprint, state, fence, attempt, finished, changed_at, lease_until',
    row: (index) =>
      scoped('outcome', `order-${index}`, 'paid', `f${index}`, 'done', 'f', 1, '[', timeOf(index), 0),
    purge: ({ inbox }) => inbox.purge(SCOPE, DAY_MS),
  },
  {
    what: 'tombstones',
    table: 'payments_tombstones',
    columns: 'account, environment, payment, attempt, ended, left_at',
    row: (index) => scoped(`p${index}`, 1, 'success', timeOf(index)),
    purge: ({ journal }) => journal.purge(SCOPE, 'tombstones', DAY_MS),
  },
  {
    what: 'conflicts',
    table: 'payments_set_aside',
    columns: 'account, environment, kind, fingerprint, event, reference, payload, seen, first_seen_at',
    row: (index) => scoped('conflict', `f${index}`, 'paid', `order-${index}`, '{}', 1, timeOf(index)),
    purge: ({ conflicts }) => conflicts.purge(SCOPE, 'conflict', DAY_MS),
  },
  {
    what: 'reconciliation',
    table: 'payments_reconciliation',
    columns: 'account, environment, kind, id, state, details, version, created_at, updated_at',
    row: (index) => scoped('exception', `e${index}`, 'closed', '{}', 1, timeOf(index), timeOf(index)),
    purge: ({ reconciliation }) => reconciliation?.purge(SCOPE, 'exception', ['closed'], DAY_MS),
  },
  {
    what: 'the lines of a batch',
    table: 'payments_batch_lines',
    columns: 'batch_load, line_number, line_key, chunk, state, cents, recipient, content, result, updated_at',
    row: (index) => [
      index < OLD ? LOAD : 'b'.repeat(32),
      index,
      `k${index}`,
      1,
      'paid',
      1,
      `r${index}`,
      '{}',
      '{}',
      0,
    ],
    purge: ({ batches }) => batches?.removeLoad(LOAD),
  },
];

async function fill({ pool }: MysqlDatabase, { table, columns, row }: Purged, rows: number): Promise<void> {
  for (let first = 0; first < rows; first += WRITTEN_TOGETHER) {
    const size = Math.min(WRITTEN_TOGETHER, rows - first);
    const values = Array.from({ length: size }, (_, index) => row(first + index));
    await pool.query(`INSERT INTO ${table} (${columns}) VALUES ?`, [values]);
  }
}

describeWith([mysqlService], 'a purge on MariaDB', () => {
  let database: MysqlDatabase;

  async function open(poolSize: number): Promise<PaymentsStorage> {
    database = await borrowMysql(poolSize);
    return sqlStorage({ executor: database.executor });
  }
  afterEach(() => database.close());

  /** Rows that the only connection has read so far. */
  async function rowsRead(): Promise<number> {
    const [found] = await database.pool.query("SHOW SESSION STATUS LIKE 'Handler_read%'");
    return (found as { readonly Value: string }[]).reduce((sum, { Value }) => sum + Number(Value), 0);
  }

  async function rowsLeft(table: string): Promise<number> {
    const [found] = await database.pool.query(`SELECT COUNT(*) AS count FROM ${table}`);
    return (found as [{ readonly count: number }])[0].count;
  }

  it.each(PURGED)('of $what reads little more than what it deletes', async (purged) => {
    const storage = await open(1);
    await fill(database, purged, OLD + NEW);
    // The first operation looks at the tables.
    await storage.journal.accounts({ limit: 1 });
    const before = await rowsRead();
    await purged.purge(storage);
    expect((await rowsRead()) - before).toBeLessThan(10 * OLD);
    expect(await rowsLeft(purged.table)).toBe(NEW);
  });

  it('finds the lines of a batch that were added while its load was removed', async () => {
    const { batches } = await open(3);
    const line = { number: 1, key: 'k', cents: 1, recipient: 'r', content: '{}' };
    const { executor } = database;
    let transactions = 0;
    const adding: SqlExecutor = {
      ...executor,
      transaction: async (work, options) => {
        transactions += 1;
        // The first one looks for lines.
        if (transactions === 2) await batches?.addChunk(LOAD, { chunk: 1, digest: 'd' }, [line]);
        return executor.transaction(work, options);
      },
    };
    await sqlStorage({ executor: adding }).batches?.removeLoad(LOAD);
    expect(await rowsLeft('payments_batch_lines')).toBe(1);
    await batches?.purge(0);
    expect(await rowsLeft('payments_batch_lines')).toBe(0);
  });

  it('holds up no webhook, and keeps an entry that was taken over meanwhile', async () => {
    const storage = await open(3);
    const [inbox] = PURGED;
    await fill(database, inbox!, OLD);
    const other = await database.pool.getConnection();
    await other.beginTransaction();
    await other.query(
      `UPDATE payments_inbox SET state = 'running'
        WHERE account = ? AND environment = ? AND kind = 'outcome' AND reference = 'order-500'`,
      [SCOPE.account, SCOPE.environment],
    );
    let isOver = false;
    const purging = storage.inbox.purge(SCOPE, DAY_MS).finally(() => (isOver = true));
    await eventually(async () => {
      const [waits] = await other.query("SHOW GLOBAL STATUS LIKE 'Innodb_row_lock_current_waits'");
      expect(waits).not.toMatchObject([{ Value: '0' }]);
    });
    // Before, between and behind those that the purge deletes.
    for (const reference of ['a', 'order-1x', 'order-9999x', 'z']) {
      await claimed(await storage.inbox.claim(inboxDelivery(reference), 60_000)).finish();
    }
    expect(isOver).toBe(false);
    await other.commit();
    other.release();
    expect(await purging).toBe(OLD - 1);
    expect(await rowsLeft('payments_inbox')).toBe(5);
  });
});
