import { statement } from '../sql/sql-database.js';
import { type AccountsScript } from '../sql/sql-statements.js';

/** The accounts of tables whose keys begin with account and environment: one step in the index for each. */
export function accountsOf(tables: readonly string[]): AccountsScript {
  const next = (account: string, environment: string): string => {
    const firsts = tables.map(
      (
        table,
      ) => `(SELECT account, environment FROM ${table} WHERE (account, environment) > (${account}, ${environment})
         ORDER BY account, environment LIMIT 1)`,
    );
    return `SELECT account, environment FROM (${firsts.join(' UNION ALL ')}) AS firsts
      ORDER BY account, environment LIMIT 1`;
  };
  /** Account and environment before the page, limit. */
  const text = `WITH RECURSIVE known AS (
      SELECT first.*, 1 AS number FROM (${next('$1::text', '$2::text')}) AS first
      UNION ALL
      SELECT later.*, number + 1 FROM known, LATERAL (${next('known.account', 'known.environment')}) AS later
      WHERE number < $3::integer
    )
    SELECT account, environment FROM known`;
  return ({ account, environment }, limit) => statement(text, [account, environment, limit]);
}
