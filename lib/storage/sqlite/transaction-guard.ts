import { PaymentsStorageError } from '../../errors/payments-errors.js';
import { type SqliteHandle } from './sqlite-engine.js';

/** Texts, quoted names and comments, which may hold any words. */
const QUOTED = /'(?:[^']|'')*'|"(?:[^"]|"")*"|`[^`]*`|\[[^\]]*\]|--[^\n]*|\/\*[\s\S]*?\*\//g;
/** `ROLLBACK TO` a savepoint ends no transaction. */
const ENDS = /(?:^|;)\s*(?:BEGIN|COMMIT|END|ROLLBACK(?!\s+(?:TRANSACTION\s+)?TO\b))\b/i;

/** Refuses, on a connection that a handler gets, what would begin or end a transaction, or close the connection. */
export function guardTransaction(handle: SqliteHandle): void {
  const exec = handle.exec.bind(handle);
  const prepare = handle.prepare.bind(handle);
  handle.exec = (text) => {
    refuseEnd(text);
    exec(text);
  };
  handle.prepare = (text) => {
    refuseEnd(text);
    return prepare(text);
  };
  handle.close = () => {
    throw new PaymentsStorageError(
      'The connection of the webhook transaction is closed after the handlers: take close() out of the handler.',
    );
  };
}

function refuseEnd(text: string): void {
  if (!ENDS.test(text.replace(QUOTED, ' '))) return;
  throw new PaymentsStorageError(
    "The webhook transaction ends after the handlers: take BEGIN, COMMIT and ROLLBACK out of the handler, and an ORM's " +
      'transaction(), which sends them (SAVEPOINT and ROLLBACK TO are fine).',
  );
}
