import { isPaymentsError, PaymentsStorageError } from '../../errors/payments-errors.js';
import { databaseFailure } from './error-code.js';

/**
 * Makes the tables at boot.
 *
 * @param storage What the application wrote, for people.
 * @throws PaymentsStorageError without the error of the driver, which may hold an address with its password.
 */
export async function tablesAtBoot(storage: string, make: () => Promise<void>): Promise<void> {
  try {
    await make();
  } catch (error) {
    if (isPaymentsError(error)) throw error;
    throw new PaymentsStorageError(
      `The application does not start, because ${storage} could not make its tables: ${databaseFailure(error)}. See that the ` +
        'database runs at the address of the application, and that the role of the connection may create tables. Or leave ' +
        '`migrate` out, and run npx nestjs-payments migrate when you deploy.',
    );
  }
}
