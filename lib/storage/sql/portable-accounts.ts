import { type AccountsScript } from './sql-statements.js';
import { joined, raw, sql } from './sql-template.js';

/** How many entries one operation looks at. It steps over the rest of an account that has more. */
const AHEAD = raw('200');

/**
 * The accounts of tables whose indexes begin with account and environment: those of the next entries in the order of
 * the index. There are four ranges at most, because MySQL finds no range in a comparison of pairs.
 */
export function portableAccounts(tables: readonly string[]): AccountsScript {
  return ({ account, environment }, limit) => {
    // MariaDB would sort all entries of the first range for ORDER BY account, environment.
    const ranges = tables.flatMap((table) => [
      sql`SELECT account, environment FROM ${raw(table)} WHERE account = ${account} AND environment > ${environment}
        ORDER BY environment LIMIT ${AHEAD}`,
      sql`SELECT account, environment FROM ${raw(table)} WHERE account > ${account}
        ORDER BY account, environment LIMIT ${AHEAD}`,
    ]);
    const parts = ranges.map((range, index) => sql`SELECT * FROM (${range}) AS ${raw(`part${index}`)}`);
    const ahead = sql`SELECT * FROM (${joined(parts, ' UNION ALL ')}) AS parts ORDER BY account, environment LIMIT ${AHEAD}`;
    return {
      steps: [
        sql`SELECT DISTINCT account, environment FROM (${ahead}) AS ahead ORDER BY account, environment
          LIMIT ${raw(`${limit}`)}`,
      ],
    };
  };
}
