import { type ReconciliationEntry } from '../reconciliation-store.js';
import { type PortableDialect, TABLES } from './portable-dialect.js';
import { type ReconciliationScope, type ReconciliationStatements } from './reconciliation-statements.js';
import { type SqlScript, type SqlStep } from './sql-database.js';
import { joined, raw, sql, type SqlPiece } from './sql-template.js';
import { toSqlText } from './sql-text.js';

const ENTRIES = raw(TABLES.reconciliation);
const KEY = ['account', 'environment', 'kind', 'id'] as const;

/** The operations of reconciliation without RETURNING. */
export function portableReconciliation(dialect: PortableDialect): ReconciliationStatements {
  const { now } = dialect;
  const stored = storedColumns(now);
  const one = (step: SqlStep): SqlScript => ({ steps: [step] });
  return {
    add: (entries) => one(insertion(dialect, entries)),
    get: (scope, id) => one(sql`SELECT ${stored} FROM ${ENTRIES} WHERE ${isOf(scope)} AND id = ${id}`),
    replace: (version, entry) => {
      const { id, state, details } = entry;
      const isEntry = sql`${isOf(entry)} AND id = ${id}`;
      return {
        // Until the end of the transaction, nobody else can replace what is read.
        atomic: true,
        steps: [
          sql`UPDATE ${ENTRIES} SET state = ${state}, details = ${toSqlText(details)}, version = version + 1, updated_at = ${now}
            WHERE ${isEntry} AND version = ${version}`,
          ([updated]) =>
            (updated?.rowCount ?? 0) > 0 ? sql`SELECT ${stored} FROM ${ENTRIES} WHERE ${isEntry}` : undefined,
        ],
      };
    },
    list: (scope, after, limit, states) => {
      const isAfter = sql`${isOf(scope)} AND id > ${after}`;
      return one(
        states
          ? ofStates(stored, isAfter, states, 'ASC', limit)
          : sql`SELECT ${stored} FROM ${ENTRIES} WHERE ${isAfter} ${firstById('ASC', limit)}`,
      );
    },
    last: (scope, before, states) =>
      one(ofStates(stored, sql`${isOf(scope)} AND id < ${before}`, states, 'DESC', 1)),
    purge: (scope, state, olderThanMs) => {
      const isOld = sql`${isOf(scope)} AND state = ${state} AND updated_at < ${now} - ${olderThanMs}`;
      return dialect.deleteFirst(TABLES.reconciliation, KEY, isOld, 'updated_at');
    },
  };
}

type Order = 'ASC' | 'DESC';

function firstById(order: Order, limit: number): SqlPiece {
  return raw(`ORDER BY id ${order} LIMIT ${limit}`);
}

/** A page of each state, each in the order of its index, and the first of them all. */
function ofStates(
  stored: SqlPiece,
  condition: SqlPiece,
  states: readonly string[],
  order: Order,
  limit: number,
): SqlPiece {
  const first = firstById(order, limit);
  const pages = states.map(
    (state, index) => sql`SELECT * FROM (
      SELECT * FROM ${ENTRIES} WHERE ${condition} AND state = ${state} ${first}) AS ${raw(`page${index}`)}`,
  );
  return sql`SELECT ${stored} FROM (${joined(pages, ' UNION ALL ')}) AS pages ${first}`;
}

/** Keeps existing rows. A database takes the parameters of 1,000 entries. */
function insertion(
  { now, keepExisting }: PortableDialect,
  entries: readonly ReconciliationEntry[],
): SqlPiece {
  const rows = entries.map(
    ({ account, environment, kind, id, state, details }) =>
      sql`(${account}, ${environment}, ${kind}, ${id}, ${state}, ${toSqlText(details)}, 1, ${now}, ${now})`,
  );
  return sql`INSERT INTO ${ENTRIES} (account, environment, kind, id, state, details, version, created_at, updated_at)
    VALUES ${joined(rows, ', ')} ${keepExisting(TABLES.reconciliation, KEY)}`;
}

function storedColumns(now: SqlPiece): SqlPiece {
  return sql`account, environment, kind, id, state, details, version AS version_text, created_at AS created_ms,
    updated_at AS updated_ms, ${now} AS now_ms`;
}

function isOf({ account, environment, kind }: ReconciliationScope): SqlPiece {
  return sql`account = ${account} AND environment = ${environment} AND kind = ${kind}`;
}
