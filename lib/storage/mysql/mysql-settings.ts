import { PaymentsStorageError } from '../../errors/payments-errors.js';
import { textResult } from '../sql/driver-result.js';
import { errorCodes } from '../sql/error-code.js';
import { TABLES } from '../sql/portable-dialect.js';
import { type SqlRow } from '../sql/sql-database.js';
import { type SqlRunner } from '../sql/sql-executor.js';

/** The columns that `refusalOfTexts` needs. */
export const TEXT_SETTINGS =
  '@@sql_mode AS mode, @@character_set_client AS client, @@character_set_connection AS connection';

/** The value finds a pool that writes values into texts in its own way: with a LIMIT, fromMysql2 prepares no statement. */
const SETTINGS = `SELECT @@autocommit AS autocommit, @@sql_safe_updates AS safe, CAST(@@sql_select_limit AS CHAR) AS row_limit,
  ${TEXT_SETTINGS}, ? AS given LIMIT 1`;
/** More than any statement of the package gives. */
const MOST_ROWS = 1_000_000;
const SYNTAX_ERROR = '1064';
/** The variable is `tx_isolation` before MariaDB 11.1, and `transaction_isolation` in MySQL: naming a missing one is an error. */
const LEVELS = "SHOW SESSION VARIABLES WHERE Variable_name IN ('tx_isolation', 'transaction_isolation')";
const DIRTY_READS = 'READ-UNCOMMITTED';

/** @throws PaymentsStorageError if a setting would lose data or keep the package from deleting it. */
export async function checkSettings(runner: SqlRunner): Promise<void> {
  const [found = {}] = await runner.query(SETTINGS, [1]).catch((error: unknown) => {
    if (!errorCodes(error).includes(SYNTAX_ERROR)) throw error;
    throw new PaymentsStorageError(
      'The connections do not write values in place of ?, as lists and purges need it: take queryFormat out of the options of the pool.',
    );
  });
  const refusal = Object.hasOwn(found, 'autocommit')
    ? refusalOf(textResult([found]).rows[0] ?? {})
    : 'The connections give rows without the names of their columns: take rowsAsArray and nestTables out of the options of the pool.';
  if (refusal !== undefined) throw new PaymentsStorageError(refusal);
  const levels = await runner.query<Readonly<Record<string, unknown>>>(LEVELS);
  if (!levels.some((row) => Object.values(row).map(String).includes(DIRTY_READS))) return;
  throw new PaymentsStorageError(
    'The connections read what others have not committed (READ UNCOMMITTED), so a webhook would be answered as handled whose ' +
      'transaction is undone later: set transaction-isolation = READ-COMMITTED in the configuration of the server, or send SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED on each new connection.',
  );
}

function refusalOf({ autocommit, safe, row_limit: limit, ...texts }: SqlRow): string | undefined {
  if (Number(autocommit) !== 1) {
    return 'The connections have autocommit off, so nothing that the package writes would stay: set autocommit = 1.';
  }
  if (Number(safe) === 1) {
    return 'The connections have sql_safe_updates on, with which the database refuses every purge: set sql_safe_updates = 0 on the server or on each new connection.';
  }
  if (Number(limit) < MOST_ROWS) {
    return (
      `The connections have sql_select_limit = ${limit}, with which lines of a batch would be left out: set sql_select_limit = DEFAULT, or ` +
      `at least ${MOST_ROWS}.`
    );
  }
  return refusalOfTexts(texts);
}

/** Why texts would not be written as they are; undefined if they are. */
export function refusalOfTexts({ mode, client, connection }: SqlRow): string | undefined {
  // The columns hold bytes: in another encoding two references could become one.
  if (client !== 'utf8mb4' || connection !== 'utf8mb4') {
    return (
      'The connections do not send their texts as utf8mb4, which would change references and names: set the charset of the pool ' +
      "or the data source to 'utf8mb4'."
    );
  }
  if (!/\bSTRICT_(?:TRANS|ALL)_TABLES\b/.test(String(mode))) {
    return 'The sql_mode of the connections is not strict, so the database would cut what does not fit: add STRICT_TRANS_TABLES.';
  }
  if (String(mode).includes('NO_BACKSLASH_ESCAPES')) {
    return 'The sql_mode of the connections has NO_BACKSLASH_ESCAPES, with which the driver cannot quote texts safely: take it out.';
  }
  // The list of the accounts begins after the empty name.
  if (String(mode).includes('EMPTY_STRING_IS_NULL')) {
    return 'The sql_mode of the connections has EMPTY_STRING_IS_NULL, with which recovery and purges would find no account: take it out.';
  }
  return undefined;
}

/** What a pool may change: bytes that it reads as another encoding, JSON that it parses, blanks that it cuts, large numbers. */
const VALUES = { account: 'é ', record: '{"a": "é"} ', version: String(Number.MAX_SAFE_INTEGER) };
const GIVEN = `SELECT account, record, version FROM ${TABLES.journal} WHERE 1 = 0
  UNION ALL SELECT '${VALUES.account}', '${VALUES.record}', ${VALUES.version}`;
/** The server calls long bytes BLOB in the columns of a table, and LONG_BLOB in those of a union. The package reads both. */
const READ_BACK = [GIVEN, `SELECT account, record, version FROM (${GIVEN}) AS given`];

/** @throws PaymentsStorageError if the connections change what they read: a payment would be sent again with another body. */
export async function checkValues(runner: SqlRunner): Promise<void> {
  for (const statement of READ_BACK) {
    const { rows } = textResult(await runner.query(statement));
    if (Object.entries(VALUES).every(([column, value]) => rows[0]?.[column] === value)) continue;
    throw new PaymentsStorageError(
      'The connections change the values that they read from columns of bytes and numbers: take out the type parser (typeCast) that does ' +
        'it, or give the package a pool or a data source of its own without one.',
    );
  }
}
