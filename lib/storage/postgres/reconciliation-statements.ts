import { type ReconciliationEntry } from '../reconciliation-store.js';
import { type ReconciliationScope, type ReconciliationStatements } from '../sql/reconciliation-statements.js';
import { change, statement, type SqlScript } from '../sql/sql-database.js';
import { toSqlText } from '../sql/sql-text.js';
import { deleteBatch } from './delete-batch.js';
import { LISTED } from './index-conditions.js';
import { epochText, MOMENT } from './postgres-text.js';
import { type TableNames } from './table-names.js';

/** Every column of an entry `e`. All rows of a statement have one time. */
const STORED = `e.account, e.environment, e.kind, e.id, e.state, e.details, e.version::text AS version_text,
    ${epochText('e.created_at')} AS created_ms, ${epochText('e.updated_at')} AS updated_ms,
    (SELECT ${epochText('clock_timestamp()')}) AS now_ms`;
const IS_OF = 'account = $1 AND environment = $2 AND kind = $3';

/** The operations of reconciliation, each in one statement. */
export function reconciliationStatements({ reconciliation: table }: TableNames): ReconciliationStatements {
  return {
    add: (entries) => add(table, entries),
    get: (scope, id) =>
      statement(`SELECT ${STORED} FROM ${table} e WHERE ${IS_OF} AND id = $4`, [...valuesOf(scope), id]),
    replace: (version, entry) =>
      statement(
        `WITH ${MOMENT}, e AS (
          UPDATE ${table} SET state = $5, details = $6, version = version + 1, updated_at = now
          FROM moment WHERE ${IS_OF} AND id = $4 AND version = $7 RETURNING ${table}.*
        )
        SELECT ${STORED} FROM e`,
        [...valuesOf(entry), entry.id, entry.state, toSqlText(entry.details), version],
      ),
    list: (scope, after, limit, states) =>
      states
        ? ofStates(table, scope, { bound: '>', order: 'ASC' }, after, states, limit)
        : statement(`SELECT ${STORED} FROM ${table} e WHERE ${IS_OF} AND id > $4 ORDER BY id LIMIT $5`, [
            ...valuesOf(scope),
            after,
            limit,
          ]),
    last: (scope, before, states) => ofStates(table, scope, { bound: '<', order: 'DESC' }, before, states, 1),
    purge: ({ account, environment, kind }, state, olderThanMs) =>
      change(deleteBatch(table, `kind = $4 AND state = $5 AND ${LISTED}`, 'updated_at'), [
        account,
        environment,
        olderThanMs,
        kind,
        state,
      ]),
  };
}

/** Lists of entries are parameters of arrays. */
function add(table: string, entries: readonly ReconciliationEntry[]): SqlScript {
  const column = (read: (entry: ReconciliationEntry) => string): readonly string[] => entries.map(read);
  return change(
    `WITH ${MOMENT} INSERT INTO ${table} (account, environment, kind, id, state, details, version, created_at, updated_at)
      SELECT g.account, g.environment, g.kind, g.id, g.state, g.details, 1, now, now
      FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[])
        AS g (account, environment, kind, id, state, details), moment
      ON CONFLICT (account, environment, kind, id) DO NOTHING`,
    [
      column(({ account }) => account),
      column(({ environment }) => environment),
      column(({ kind }) => kind),
      column(({ id }) => id),
      column(({ state }) => state),
      column(({ details }) => toSqlText(details)),
    ],
  );
}

/** A page of each state, each in the order of the index of states, which no other index gives, and the first of them all. */
function ofStates(
  table: string,
  scope: ReconciliationScope,
  { bound, order }: { readonly bound: '<' | '>'; readonly order: 'ASC' | 'DESC' },
  from: string,
  states: readonly string[],
  limit: number,
): SqlScript {
  return statement(
    `SELECT ${STORED} FROM unnest($5::text[]) AS wanted (state) CROSS JOIN LATERAL (
      SELECT * FROM ${table} p WHERE ${IS_OF} AND ${LISTED} AND (p.state, p.id) ${bound} (wanted.state, $4)
      ORDER BY p.state ${order}, p.id ${order} LIMIT $6
    ) e WHERE e.state = wanted.state ORDER BY e.id ${order} LIMIT $6`,
    [...valuesOf(scope), from, states, limit],
  );
}

function valuesOf({ account, environment, kind }: ReconciliationScope): readonly string[] {
  return [account, environment, kind];
}
