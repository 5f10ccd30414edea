import { portableAccounts } from './portable-accounts.js';
import { type PortableDialect, TABLES } from './portable-dialect.js';
import { type SqlScript, type SqlStep } from './sql-database.js';
import { type ConflictStatements } from './sql-statements.js';
import { raw, sql } from './sql-template.js';
import { toSqlText } from './sql-text.js';

const SET_ASIDE = raw(TABLES.setAside);

/** The operations of the conflicts in the dialects that share their statements. */
export function portableConflicts(dialect: PortableDialect): ConflictStatements {
  const one = (step: SqlStep): SqlScript => ({ steps: [step] });
  const entries =
    raw(`SELECT id AS id_text, kind, fingerprint, event, reference, payload, seen, first_seen_at AS first_seen_ms
    FROM ${TABLES.setAside}`);
  return {
    setAside: ({ account, environment, kind, fingerprint, event, reference, payload }) =>
      one(sql`INSERT INTO ${SET_ASIDE}
          (account, environment, kind, fingerprint, event, reference, payload, seen, first_seen_at)
        VALUES (${account}, ${environment}, ${kind}, ${fingerprint}, ${toSqlText(event)}, ${toSqlText(reference)},
          ${toSqlText(payload)}, 1, ${dialect.now})
        ${dialect.takeOver(
          TABLES.setAside,
          ['account', 'environment', 'kind', 'fingerprint'],
          ['event', 'reference', 'payload'],
          raw(`seen = ${TABLES.setAside}.seen + 1`),
        )}`),
    list: ({ account, environment }, after, limit) =>
      one(sql`${entries} WHERE account = ${account} AND environment = ${environment} AND id > ${Number(after)}
        ORDER BY id LIMIT ${raw(`${limit}`)}`),
    get: ({ account, environment }, id) =>
      one(sql`${entries} WHERE account = ${account} AND environment = ${environment} AND id = ${Number(id)}`),
    replacePayload: ({ account, environment, id, seen }, payload) =>
      one(sql`UPDATE ${SET_ASIDE} SET payload = ${toSqlText(payload)}
          WHERE account = ${account} AND environment = ${environment} AND id = ${Number(id)} AND seen = ${seen}`),
    remove: ({ account, environment }, id) =>
      one(sql`DELETE FROM ${SET_ASIDE}
        WHERE account = ${account} AND environment = ${environment} AND id = ${Number(id)}`),
    purge: ({ account, environment }, kind, olderThanMs) =>
      dialect.deleteFirst(
        TABLES.setAside,
        ['id'],
        sql`account = ${account} AND environment = ${environment} AND kind = ${kind}
          AND first_seen_at < ${dialect.now} - ${olderThanMs}`,
        'first_seen_at',
      ),
    accounts: portableAccounts([TABLES.setAside]),
  };
}
