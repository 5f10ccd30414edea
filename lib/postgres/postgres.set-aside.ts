import { type InboxConflict, type InboxScope, type SetAsideDelivery } from '../common/storage-port.js';
import { type RunStatement } from './lent-connection.js';
import { epochText, MOMENT } from './sql-time.js';
import { fromSqlText, toSqlText } from './sql-text.js';
import { type TableNames } from './table-names.js';

/** Deliveries that were stored instead of handled. */
export class PostgresSetAside {
  constructor(
    private readonly run: RunStatement,
    private readonly names: Pick<TableNames, 'setAside'>,
  ) {}

  async add(delivery: SetAsideDelivery): Promise<void> {
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

  async list({ account, environment }: InboxScope): Promise<readonly InboxConflict[]> {
    const { rows } = await this.run(
      `SELECT id::text AS id_text, kind, fingerprint, event, reference, payload, seen::text,
              ${epochText('first_seen_at')} AS first_seen_ms
       FROM ${this.names.setAside} WHERE account = $1 AND environment = $2 ORDER BY first_seen_at, id`,
      [account, environment],
    );
    return rows.map((row) => ({
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
    }));
  }

  /** The id is compared as text: it may be anything that a caller passes in. */
  async remove({ account, environment }: InboxScope, id: string): Promise<void> {
    await this.run(
      `WITH ${MOMENT} DELETE FROM ${this.names.setAside} USING moment
       WHERE account = $1 AND environment = $2 AND id::text = $3`,
      [account, environment, toSqlText(id)],
    );
  }
}
