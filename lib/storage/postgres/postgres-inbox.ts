import { pollRelease } from '../../common/timing.js';
import { type InboxScope } from '../../common/vocabulary.js';
import {
  type ClaimResult,
  type InboxClaim,
  type InboxDelivery,
  type InboxKey,
  type InboxStore,
} from '../inbox-store.js';
import { claimOnce, type HeldEntry, keyValues } from './claim-once.js';
import { deleteInBatches } from './delete-in-batches.js';
import { beginTransaction, TransactionalClaim } from './transactional-claim.js';
import { type InboxStatements, inboxStatements } from './inbox-statements.js';
import { autocommit, PooledConnection, type RunStatement } from './pooled-connection.js';
import { type PostgresPool } from './postgres-pool.js';
import { PostgresJournal } from './postgres-journal.js';
import { toSqlText } from './sql-text.js';
import { type TableNames } from './table-names.js';

/** The inbox in PostgreSQL. */
export class PostgresInbox implements InboxStore {
  private readonly run: RunStatement;
  private readonly statements: InboxStatements;

  constructor(
    private readonly pool: PostgresPool,
    private readonly names: TableNames,
    private readonly transactional: boolean,
  ) {
    this.run = autocommit(pool);
    this.statements = inboxStatements(names);
  }

  async claim(delivery: InboxDelivery, leaseMs: number): Promise<ClaimResult> {
    if (this.transactional) return this.claimWithTransaction(delivery, leaseMs);
    const claimed = await claimOnce(this.run, this.statements, delivery, leaseMs);
    return claimed.result === 'claimed'
      ? { result: 'claimed', claim: this.plainClaim(claimed.entry) }
      : claimed;
  }

  waitForRelease(key: InboxKey, timeoutMs: number): Promise<void> {
    const leaseLeftMs = async (): Promise<number> => {
      const { rows } = await this.run(this.statements.runs, keyValues(key));
      return rows.length === 0 ? 0 : Infinity;
    };
    return pollRelease(leaseLeftMs, timeoutMs);
  }

  purge({ account, environment }: InboxScope, olderThanMs: number): Promise<number> {
    return deleteInBatches(this.run, this.statements.purge, [account, environment, olderThanMs]);
  }

  /** Hides the pool, whose address contains the password. */
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return 'PostgresInbox {}';
  }

  private plainClaim({ values, attempt, finished }: HeldEntry): InboxClaim {
    const changes = async (statement: string, ...more: readonly string[]): Promise<boolean> =>
      (await this.run(statement, [...values, ...more])).rowCount === 1;
    return {
      attempt,
      finished,
      mark: (handler) => changes(this.statements.mark, toSqlText(handler)),
      finish: () => changes(this.statements.finish),
      fail: async () => {
        await changes(this.statements.fail);
      },
      withdraw: async () => {
        await changes(this.statements.withdraw);
      },
    };
  }

  /** Takes the connection first: if the pool has none, there is no claim to withdraw. */
  private async claimWithTransaction(delivery: InboxDelivery, leaseMs: number): Promise<ClaimResult> {
    const connection = await PooledConnection.from(this.pool);
    try {
      const claimed = await claimOnce(connection.run, this.statements, delivery, leaseMs);
      if (claimed.result === 'claimed') {
        return { result: 'claimed', claim: await this.begin(connection, claimed.entry, leaseMs) };
      }
      connection.release('usable');
      return claimed;
    } catch (error) {
      connection.release('unknown');
      throw error;
    }
  }

  private async begin(connection: PooledConnection, entry: HeldEntry, leaseMs: number): Promise<InboxClaim> {
    const { run: elsewhere, statements, names } = this;
    const journal = new PostgresJournal(connection.run, names);
    const claim = new TransactionalClaim(entry, {
      connection,
      elsewhere,
      statements,
      table: names.inbox,
      journal,
      leaseMs,
    });
    try {
      await connection.run(beginTransaction(entry.fence, leaseMs));
    } catch (error) {
      await claim.fail();
      throw error;
    }
    return claim;
  }
}
