import { textLiteral } from './sql-text.js';
import { MOMENT } from './sql-time.js';

/**
 * Set in the transaction of a handler only, and gone when it ends, so that a transaction which a handler ended by itself is
 * noticed.
 */
const MARK = 'nestjs_payments.claim';
/** A setting that nobody has: reading it is how plain SQL fails on purpose. */
const NOTHING_FINISHED = 'nestjs_payments.nothing_was_finished';

/**
 * Begins the transaction of a handler. One that is idle for longer than the lease is ended by the server, so that a process
 * that hangs, or a network that swallows everything, does not hold its locks.
 */
export function beginTransaction(fence: string, leaseMs: number): string {
  return `BEGIN;
    SET LOCAL idle_in_transaction_session_timeout = ${Math.ceil(leaseMs)};
    SET LOCAL ${MARK} = '${fence}'`;
}

/**
 * Finishes the entry and commits, in one round trip. Where nothing was finished, because the claim is over or the transaction
 * is not the one that was begun, the first statement fails, and PostgreSQL does not come to the COMMIT behind it.
 *
 * A message of two statements takes no parameters, so the values stand in it.
 *
 * @param values Key, fence.
 */
export function finishAndCommit(inbox: string, values: readonly string[]): string {
  const [account, environment, kind, reference, fence] = values.map(textLiteral);
  return `WITH ${MOMENT}, finished AS (
      UPDATE ${inbox} SET state = 'done', changed_at = now FROM moment
      WHERE account = ${account} AND environment = ${environment} AND kind = ${kind} AND reference = ${reference}
        AND fence = ${fence}::bigint AND state = 'running' AND current_setting('${MARK}', true) = ${fence}
      RETURNING 1
    )
    SELECT CASE WHEN EXISTS (SELECT FROM finished) THEN '' ELSE current_setting('${NOTHING_FINISHED}') END;
    COMMIT`;
}
