import { PaymentsConfigError } from '../errors/payments-errors.js';

/** @throws PaymentsConfigError if one of these options is neither true nor false. */
export function checkSwitches(where: string, switches: Readonly<Record<string, unknown>>): void {
  for (const [option, value] of Object.entries(switches)) {
    if (typeof value === 'boolean') continue;
    throw new PaymentsConfigError(`The option ${option} of ${where} must be true or false.`);
  }
}
