import { isPaymentsError } from '../errors/payments-errors.js';

/** The command line cannot be understood. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/**
 * Runs a check of the package on what the command line says.
 *
 * @param worded Writes the package's message for a command line.
 * @throws UsageError if the package refuses it.
 */
export function asUsage<Result>(check: () => Result, worded = (message: string): string => message): Result {
  try {
    return check();
  } catch (error) {
    throw isPaymentsError(error) ? new UsageError(worded(error.message)) : error;
  }
}
