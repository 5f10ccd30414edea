import { type ConflictStore, type InboxConflict, type SetAsideDelivery } from '../conflict-store.js';
import { type InboxScope, type SetAsideKind } from '../../common/vocabulary.js';
import { positionAfter, positionOf } from '../conflict-cursor.js';
import { deleteBatch, deleteInBatches } from './delete-in-batches.js';
import { type RunStatement } from './pooled-connection.js';
import { epochText, MOMENT, fromSqlText, toSqlText } from './sql-text.js';
import { type TableNames } from './table-names.js';

/** The conflicts in PostgreSQL. Each call is one statement, never in the transaction of a handler. */
export class PostgresConflicts implements ConflictStore {
  constructor(
    private readonly run: RunStatement,
    private readonly names: Pick<TableNames, 'setAside'>,
  ) {}

  async setAside(delivery: SetAsideDelivery): Promise<void> {
    const { account, environment, kind, fingerprint, event, reference, payload } = delivery;
    await this.run(
      `WITH ${MOMENT}
       INSERT INTO ${this.names.setAside} AS stored
         (account, environment, kind, fingerprint, event, reference, payload, seen, first_seen_at)
       SELECT $1, $2, $3, $4, $5, $6, $7, 1, now FROM moment
       ON CONFLICT (account, environment, kind, fingerprint) DO UPDATE SET
         event = EXCLUDED.event, reference = EXCLUDED.reference, payload = EXCLUDED.payload, seen = stored.seen + 1`,
      [account, environment, kind, fingerprint, toSqlText(event), toSqlText(reference), toSqlText(payload)],
    );
  }

  async list(
    scope: InboxScope,
    { after, limit }: { readonly after?: string; readonly limit: number },
  ): Promise<readonly InboxConflict[]> {
    const { account, environment } = scope;
    const { rows } = await this.run(
      `${this.entries} WHERE account = $1 AND environment = $2 AND id > $3::bigint ORDER BY id LIMIT $4`,
      [account, environment, positionAfter(after), limit],
    );
    return rows.map((row) => conflictIn(scope, row));
  }

  async get(scope: InboxScope, id: string): Promise<InboxConflict | undefined> {
    if (positionOf(id) !== id) return undefined;
    const { rows } = await this.run(
      `${this.entries} WHERE account = $1 AND environment = $2 AND id = $3::bigint`,
      [scope.account, scope.environment, id],
    );
    return rows[0] && conflictIn(scope, rows[0]);
  }

  async remove({ account, environment }: InboxScope, id: string): Promise<void> {
    if (positionOf(id) !== id) return;
    await this.run(
      `WITH ${MOMENT} DELETE FROM ${this.names.setAside} USING moment
       WHERE account = $1 AND environment = $2 AND id = $3::bigint`,
      [account, environment, id],
    );
  }

  purge({ account, environment }: InboxScope, kind: SetAsideKind, olderThanMs: number): Promise<number> {
    const statement = deleteBatch(this.names.setAside, 'kind = $4', 'first_seen_at');
    return deleteInBatches(this.run, statement, [account, environment, olderThanMs, kind]);
  }

  private get entries(): string {
    return `SELECT id::text AS id_text, kind, fingerprint, event, reference, payload, seen::text,
                   ${epochText('first_seen_at')} AS first_seen_ms FROM ${this.names.setAside}`;
  }
}

function conflictIn(
  { account, environment }: InboxScope,
  row: Readonly<Record<string, string | null>>,
): InboxConflict {
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
