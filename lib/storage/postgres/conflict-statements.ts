import { change, statement } from '../sql/sql-database.js';
import { type ConflictStatements } from '../sql/sql-statements.js';
import { toSqlText } from '../sql/sql-text.js';
import { accountsOf } from './account-statements.js';
import { deleteBatch } from './delete-batch.js';
import { LISTED_CONFLICT } from './index-conditions.js';
import { epochText, MOMENT } from './postgres-text.js';
import { type TableNames } from './table-names.js';

/** The operations of the conflicts in PostgreSQL: one statement each. */
export function conflictStatements({ setAside }: TableNames): ConflictStatements {
  const entries = `SELECT id::text AS id_text, kind, fingerprint, event, reference, payload, seen::text,
                   ${epochText('first_seen_at')} AS first_seen_ms FROM ${setAside}`;
  return {
    setAside: ({ account, environment, kind, fingerprint, event, reference, payload }) =>
      change(
        `WITH ${MOMENT}
         INSERT INTO ${setAside} AS stored
           (account, environment, kind, fingerprint, event, reference, payload, seen, first_seen_at)
         SELECT $1, $2, $3, $4, $5, $6, $7, 1, now FROM moment
         ON CONFLICT (account, environment, kind, fingerprint) DO UPDATE SET
           event = EXCLUDED.event, reference = EXCLUDED.reference, payload = EXCLUDED.payload, seen = stored.seen + 1`,
        [account, environment, kind, fingerprint, toSqlText(event), toSqlText(reference), toSqlText(payload)],
      ),
    list: ({ account, environment }, after, limit) =>
      statement(
        `${entries} WHERE account = $1 AND environment = $2 AND id > $3::bigint ORDER BY id LIMIT $4`,
        [account, environment, after, limit],
      ),
    get: ({ account, environment }, id) =>
      statement(`${entries} WHERE account = $1 AND environment = $2 AND id = $3::bigint`, [
        account,
        environment,
        id,
      ]),
    replacePayload: ({ account, environment, id, seen }, payload) =>
      change(
        `WITH ${MOMENT} UPDATE ${setAside} SET payload = $5 FROM moment
         WHERE account = $1 AND environment = $2 AND id = $3::bigint AND seen = $4`,
        [account, environment, id, seen, toSqlText(payload)],
      ),
    remove: ({ account, environment }, id) =>
      change(
        `WITH ${MOMENT} DELETE FROM ${setAside} USING moment
         WHERE account = $1 AND environment = $2 AND id = $3::bigint`,
        [account, environment, id],
      ),
    purge: ({ account, environment }, kind, olderThanMs) =>
      change(deleteBatch(setAside, `kind = $4 AND ${LISTED_CONFLICT}`, 'first_seen_at'), [
        account,
        environment,
        olderThanMs,
        kind,
      ]),
    accounts: accountsOf([setAside]),
  };
}
