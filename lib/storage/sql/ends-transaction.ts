/** Texts, quoted names, bodies of functions and comments, which may hold any words. */
const QUOTED =
  /'(?:[^']|'')*'|"(?:[^"]|"")*"|`[^`]*`|\[[^\]]*\]|\$(\w*)\$[\s\S]*?\$\1\$|--[^\n]*|\/\*[\s\S]*?\*\//g;
/** `ROLLBACK TO` a savepoint ends no transaction. BEGIN does in MySQL. */
const ENDS =
  /(?:^|;)\s*(?:BEGIN|START\s+TRANSACTION|COMMIT|END|ABORT|PREPARE\s+TRANSACTION|ROLLBACK(?!\s+(?:(?:TRANSACTION|WORK)\s+)?TO\b))\b/i;

/** Whether a text holds a statement that begins or ends a transaction. */
export function endsTransaction(text: string): boolean {
  return ENDS.test(text.replace(QUOTED, ' '));
}
