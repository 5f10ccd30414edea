import { PaymentsConfigError } from '../../errors/payments-errors.js';
import { errorCodes } from '../sql/error-code.js';
import { type GivenTransaction } from '../sql/executor-dialect.js';
import { type RunScript } from '../sql/sql-database.js';
import { raw } from '../sql/sql-template.js';

const SAVEPOINT = 'nestjs_payments_enlist';
/** A savepoint does not exist. Without a transaction it is gone as soon as it is made. */
const NO_SAVEPOINT = '1305';

/** @throws PaymentsConfigError if no transaction is open. */
export async function joinOpen({ run }: GivenTransaction): Promise<RunScript> {
  try {
    await run({ steps: [raw(`SAVEPOINT ${SAVEPOINT}`), raw(`RELEASE SAVEPOINT ${SAVEPOINT}`)] });
    return run;
  } catch (error) {
    if (!errorCodes(error).includes(NO_SAVEPOINT)) throw error;
    throw new PaymentsConfigError(
      "No transaction is open on this connection, so the payment would not belong to the application's rows: begin it before " +
        'enlist…, and commit it after it.',
    );
  }
}
