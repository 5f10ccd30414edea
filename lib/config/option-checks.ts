import { PaymentsConfigError } from '../errors/payments-errors.js';

/** Makes the error for an option of one account, which the message names. */
export type OptionError = (option: string, problem: string) => PaymentsConfigError;

export function optionErrors(account: string): OptionError {
  const ofAccount = account === 'default' ? '' : ` of account "${account}"`;
  return (option, problem) => new PaymentsConfigError(`Payments option \`${option}\`${ofAccount} ${problem}`);
}
