import { SafeLogger } from '../../common/safe-logger.js';

/** Writes what a migration waits for into the log. The command prints it instead, and loads no Nest. */
export function logMigration(line: string): void {
  new SafeLogger('PaymentsStorage').warn(line);
}
