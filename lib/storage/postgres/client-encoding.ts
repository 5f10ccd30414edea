import { PaymentsStorageError } from '../../errors/payments-errors.js';

/** An expression: how the connection sends texts. */
export const CLIENT_ENCODING = "current_setting('client_encoding')";

/** The database takes the bytes of every text as they are: SQL_ASCII whatever they mean. */
export const UNCHANGED: readonly unknown[] = ['UTF8', 'SQL_ASCII'];

/** @throws PaymentsStorageError if the database would read a text as another one: a payment would have another reference. */
export function refuseClientEncoding(encoding: string | null | undefined): void {
  if (encoding == null || UNCHANGED.includes(encoding)) return;
  throw new PaymentsStorageError(
    `The connection has the client_encoding ${encoding}, but pg sends UTF-8, so the database would change references and names: take out ` +
      'the SET client_encoding.',
  );
}
