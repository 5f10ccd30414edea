import { PaymentsConfigError, PaymentsStorageError } from '../../errors/payments-errors.js';
import { type GivenTransaction } from '../sql/executor-dialect.js';
import { type RunScript, statement } from '../sql/sql-database.js';
import { CLIENT_ENCODING, refuseClientEncoding } from './client-encoding.js';

/**
 * A setting of the joined transaction with the tokens of those who joined. ROLLBACK and COMMIT empty it, ROLLBACK TO
 * SAVEPOINT takes back what was added since the savepoint, and without a transaction it is lost at once.
 */
const TOKENS = 'nestjs_payments.enlist';
const CURRENT = `coalesce(current_setting('${TOKENS}', true), '')`;

/** Adds a token to the setting. The text has no parameters: it may be one of several statements. */
export function joinText(token: string): string {
  return `set_config('${TOKENS}', concat(${CURRENT}, ',', '${token}'), true)`;
}

/** A condition: the transaction that got the token is open. */
export function isJoined(parameter: string): string {
  return `strpos(${CURRENT}, ${parameter}::text) > 0`;
}

/** @throws PaymentsConfigError if no transaction is open. */
export async function joinOpen({ run, token }: Pick<GivenTransaction, 'run' | 'token'>): Promise<RunScript> {
  const { rows } = await run(
    statement(`SELECT ${joinText(token)} AS tokens, ${CLIENT_ENCODING} AS client_encoding`, []),
  );
  refuseClientEncoding(rows[0]?.['client_encoding']);
  if (await stillJoined(run, token)) return whileJoined(run, token);
  throw new PaymentsConfigError(
    "No transaction is open on this connection, so the payment would not belong to the application's rows: begin it before " +
      'enlist…, and commit it after it.',
  );
}

/** Runs operations that find or write nothing if the joined transaction has ended. Rejects in that case. */
export function whileJoined(run: RunScript, token: string): RunScript {
  return async (script) => {
    const result = await run(script);
    if (result.rows.length > 0) return result;
    if (await stillJoined(run, token)) return result;
    throw transactionEnded();
  };
}

async function stillJoined(run: RunScript, token: string): Promise<boolean> {
  return (await run(statement(`SELECT 'yes' AS joined WHERE ${isJoined('$1')}`, [token]))).rows.length > 0;
}

function transactionEnded(): PaymentsStorageError {
  return new PaymentsStorageError(
    'The transaction ended before the payment was written in it, so nothing was written: await enlist… before COMMIT, ROLLBACK ' +
      'and ROLLBACK TO SAVEPOINT (Promise.allSettled instead of Promise.all).',
  );
}
