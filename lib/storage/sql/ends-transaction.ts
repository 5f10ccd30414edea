import { type SqlDialect } from './sql-executor.js';

/** Texts, quoted names, bodies of functions and comments, which may hold any words. */
const QUOTED_IN_POSTGRES =
  /(?<![\w$\u0080-\uffff])(?:[eE]'(?:[^'\\]|\\[\s\S]|'(?:[^\S\n\r]*[\n\r]\s*)?')*'|\$(\w*)\$[\s\S]*?\$\1\$)|'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\//g;
const QUOTED_IN_SQLITE = /'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]|--[^\n]*|\/\*[\s\S]*?\*\//g;
// MySQL has escapes and one more kind of comment, and runs the contents of comments with an exclamation mark.
const QUOTED_IN_MYSQL =
  /'(?:[^'\\]|\\[\s\S]|'')*'|"(?:[^"\\]|\\[\s\S]|"")*"|`(?:[^`]|``)*`|--(?=\s|$)[^\n]*|#[^\n]*|\/\*(?!M?!)[\s\S]*?\*\//g;
const RUN_BY_MYSQL = /\/\*M?!\d*|\*\//g;
/** MariaDB changes a setting for the one statement after FOR. */
const SET_FOR = /(?:^|;)\s*SET\s+STATEMENT\b[^;]*/gi;

/** `ROLLBACK TO` a savepoint ends no transaction. BEGIN does in MySQL. */
const ENDS =
  /(?:^|;)\s*(?:BEGIN|START\s+TRANSACTION|COMMIT|END|ABORT|PREPARE\s+TRANSACTION|ROLLBACK(?!\s+(?:(?:TRANSACTION|WORK)\s+)?TO\b))\b/i;
/** Statements before which MySQL commits without saying so, those that keep a lock, and the setting that commits. */
const COMMITS_IN_MYSQL =
  /(?:^|;)\s*(?:(?:CREATE|DROP)(?!\s+(?:OR\s+REPLACE\s+)?TEMPORARY\b)|ALTER|TRUNCATE|RENAME|LOCK|UNLOCK|GRANT|REVOKE|ANALYZE|OPTIMIZE|REPAIR|CHECK|FLUSH|RESET|INSTALL|UNINSTALL|XA|SET\s+PASSWORD|SET\b[^;]*\bautocommit)\b/i;

/** Whether a text holds a statement that begins or ends a transaction, or that MySQL commits before. */
export function endsTransaction(text: string, dialect: SqlDialect | 'sqlite'): boolean {
  if (dialect === 'postgres') return ENDS.test(text.replace(QUOTED_IN_POSTGRES, ' '));
  if (dialect === 'sqlite') return ENDS.test(text.replace(QUOTED_IN_SQLITE, ' '));
  const read = text
    .replace(QUOTED_IN_MYSQL, ' ')
    .replace(RUN_BY_MYSQL, ' ')
    .replace(SET_FOR, (setting) => setting.replace(/\bFOR\b/gi, ';'));
  return ENDS.test(read) || COMMITS_IN_MYSQL.test(read);
}
