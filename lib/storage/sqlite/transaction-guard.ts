import { PaymentsStorageError } from '../../errors/payments-errors.js';
import { endsTransaction } from '../sql/ends-transaction.js';
import { type SqliteHandle } from './sqlite-engine.js';

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
  if (!endsTransaction(text, 'sqlite')) return;
  throw new PaymentsStorageError(
    "The webhook transaction ends after the handlers: take BEGIN, COMMIT and ROLLBACK out of the handler, and an ORM's " +
      'transaction(), which sends them (SAVEPOINT and ROLLBACK TO are fine).',
  );
}
