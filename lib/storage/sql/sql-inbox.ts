import { performance } from 'node:perf_hooks';
import { pollRelease, withDeadline } from '../../common/timing.js';
import { type InboxScope } from '../../common/vocabulary.js';
import {
  type ClaimResult,
  type InboxClaim,
  type InboxDelivery,
  type InboxKey,
  type InboxStore,
} from '../inbox-store.js';
import { type AccountPage, type AccountPageStart } from '../account-page.js';
import { claimOnce, type HeldEntry } from './claim-once.js';
import { deleteInBatches } from './delete-in-batches.js';
import { readAccounts } from './sql-accounts.js';
import { type SqlDatabase, type SqlScript, type SqlSession } from './sql-database.js';
import { SqlJournal } from './sql-journal.js';
import { type SqlStatements } from './sql-statements.js';
import { TransactionalClaim } from './transactional-claim.js';

/** How long a delivery waits for its connection before it looks whether it has anything to do. */
const LOOK_AFTER_MS = 100;

/** The inbox in an SQL database. */
export class SqlInbox implements InboxStore {
  constructor(
    private readonly database: SqlDatabase,
    private readonly statements: Pick<SqlStatements, 'inbox' | 'journal'>,
    private readonly transactional: boolean,
  ) {}

  async claim(delivery: InboxDelivery, leaseMs: number): Promise<ClaimResult> {
    if (this.transactional) return this.claimWithTransaction(delivery, leaseMs);
    const claimed = await claimOnce(this.database.run, this.statements.inbox, delivery, leaseMs);
    return claimed.result === 'claimed'
      ? { result: 'claimed', claim: this.plainClaim(claimed.entry) }
      : claimed;
  }

  waitForRelease(key: InboxKey, timeoutMs: number): Promise<void> {
    const leaseLeftMs = async (): Promise<number> => {
      const { rows } = await this.database.run(this.statements.inbox.runs(key));
      return rows.length === 0 ? 0 : Infinity;
    };
    return pollRelease(leaseLeftMs, timeoutMs);
  }

  purge(scope: InboxScope, olderThanMs: number): Promise<number> {
    return deleteInBatches(this.database.run, this.statements.inbox.purge(scope, olderThanMs));
  }

  accounts(page: AccountPageStart): Promise<AccountPage> {
    return readAccounts(this.database.run, this.statements.inbox.accounts, page);
  }

  /** Hides the pool, whose address contains the password. */
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return 'SqlInbox {}';
  }

  private plainClaim(entry: HeldEntry): InboxClaim {
    const { inbox } = this.statements;
    const changes = async (script: SqlScript): Promise<boolean> =>
      (await this.database.run(script)).rowCount === 1;
    return {
      attempt: entry.attempt,
      finished: entry.finished,
      mark: (handler) => changes(inbox.mark(entry, handler)),
      finish: () => changes(inbox.finish(entry)),
      fail: async () => {
        await changes(inbox.fail(entry));
      },
      withdraw: async () => {
        await changes(inbox.withdraw(entry));
      },
    };
  }

  /** Takes the connection first: if there is none, there is no claim to withdraw. */
  private async claimWithTransaction(delivery: InboxDelivery, leaseMs: number): Promise<ClaimResult> {
    const session = await this.sessionFor(delivery);
    if (!session) return { result: 'done' };
    try {
      const claimed = await claimOnce(session.run, this.statements.inbox, delivery, leaseMs);
      if (claimed.result === 'claimed') {
        return { result: 'claimed', claim: await this.begin(session, claimed.entry, leaseMs) };
      }
      session.release('usable');
      return claimed;
    } catch (error) {
      session.release('unknown');
      throw error;
    }
  }

  /** Undefined if it was handled before: a repeated delivery does not wait for the handlers of other deliveries. */
  private async sessionFor(delivery: InboxDelivery): Promise<SqlSession | undefined> {
    const connecting = this.database.connect();
    const waited = await withDeadline(connecting, performance.now() + LOOK_AFTER_MS);
    if (waited.ended === 'done') return waited.value;
    // A look that fails proves nothing, and the connection may still come.
    const looked = this.isDone(delivery).catch(() => false);
    const isDone = await Promise.race([looked, connecting.then(() => false)]);
    if (!isDone) return connecting;
    connecting.then(
      (session) => {
        session.release('usable');
      },
      () => undefined,
    );
    return undefined;
  }

  private async isDone(delivery: InboxDelivery): Promise<boolean> {
    const { rows } = await this.database.run(this.statements.inbox.isDone(delivery));
    return rows.length > 0;
  }

  private async begin(session: SqlSession, entry: HeldEntry, leaseMs: number): Promise<InboxClaim> {
    const claim = new TransactionalClaim(entry, {
      session,
      elsewhere: this.database.run,
      statements: this.statements.inbox,
      journal: new SqlJournal(session.run, this.statements.journal),
      leaseMs,
    });
    try {
      await session.begin(entry, leaseMs);
    } catch (error) {
      await claim.fail();
      throw error;
    }
    return claim;
  }
}
