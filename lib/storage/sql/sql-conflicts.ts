import { type ConflictStore, type InboxConflict, type SetAsideDelivery } from '../conflict-store.js';
import { type InboxScope, type SetAsideKind } from '../../common/vocabulary.js';
import { type AccountPage, type AccountPageStart } from '../account-page.js';
import { positionAfter, positionOf } from '../conflict-cursor.js';
import { deleteInBatches } from './delete-in-batches.js';
import { readAccounts } from './sql-accounts.js';
import { type RunScript, type SqlRow } from './sql-database.js';
import { type ConflictStatements } from './sql-statements.js';
import { fromSqlText } from './sql-text.js';

/** The conflicts in an SQL database. Each call is one operation, never in the transaction of a handler. */
export class SqlConflicts implements ConflictStore {
  constructor(
    private readonly run: RunScript,
    private readonly statements: ConflictStatements,
  ) {}

  async setAside(delivery: SetAsideDelivery): Promise<void> {
    await this.run(this.statements.setAside(delivery));
  }

  async list(
    scope: InboxScope,
    { after, limit }: { readonly after?: string; readonly limit: number },
  ): Promise<readonly InboxConflict[]> {
    const { rows } = await this.run(this.statements.list(scope, positionAfter(after), limit));
    return rows.map((row) => conflictIn(scope, row));
  }

  async get(scope: InboxScope, id: string): Promise<InboxConflict | undefined> {
    if (positionOf(id) !== id) return undefined;
    const { rows } = await this.run(this.statements.get(scope, id));
    return rows[0] && conflictIn(scope, rows[0]);
  }

  async replacePayload(entry: InboxConflict, payload: string): Promise<boolean> {
    if (positionOf(entry.id) !== entry.id) return false;
    return (await this.run(this.statements.replacePayload(entry, payload))).rowCount === 1;
  }

  async remove(scope: InboxScope, id: string): Promise<void> {
    if (positionOf(id) !== id) return;
    await this.run(this.statements.remove(scope, id));
  }

  purge(scope: InboxScope, kind: SetAsideKind, olderThanMs: number): Promise<number> {
    return deleteInBatches(this.run, this.statements.purge(scope, kind, olderThanMs));
  }

  accounts(page: AccountPageStart): Promise<AccountPage> {
    return readAccounts(this.run, this.statements.accounts, page);
  }
}

function conflictIn({ account, environment }: InboxScope, row: SqlRow): InboxConflict {
  return {
    account,
    environment,
    id: row['id_text'] ?? '',
    kind: row['kind'] as InboxConflict['kind'],
    fingerprint: row['fingerprint'] ?? '',
    event: fromSqlText(row['event'] ?? ''),
    reference: fromSqlText(row['reference'] ?? ''),
    payload: fromSqlText(row['payload'] ?? ''),
    seen: Number(row['seen']),
    firstSeenAt: Number(row['first_seen_ms']),
  };
}
