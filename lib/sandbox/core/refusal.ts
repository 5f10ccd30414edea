import { FACTS } from '../../gateway-profile/facts.js';

/** An error answer in one of the specification's three shapes ("Errors"). */
export interface Refusal {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** The specification shows the codes and their meaning. */
const MESSAGES = {
  INVALID_REQUEST: 'The request payload is invalid.',
  DUPLICATE_REQUEST: 'This Idempotency-Key was already processed.',
  DUPLICATE_REFERENCE: 'This reference already exists.',
  INVALID_BANK_CODE: 'The bank code is not supported.',
  ACCOUNT_NOT_FOUND: 'The recipient account could not be verified.',
  INVALID_CHANNEL: 'The channel is not supported: MOBILE_MONEY, BANK or PARTNERPESA.',
  INVALID_BANK: 'The bank is not supported.',
  INVALID_ACCOUNT: 'The account number is invalid.',
  ACCOUNT_NAME_MISMATCH: 'The account name does not belong to the account number.',
  INVALID_NETWORK: 'The mobile money network is not supported.',
  INVALID_PHONE: 'The recipient phone number is invalid: 255XXXXXXXXX.',
  INSUFFICIENT_BALANCE: 'The wallet balance is insufficient.',
  PROVIDER_ERROR: 'The provider answered with an error.',
} as const;

export type RefusalCode = keyof typeof MESSAGES;

/** Shape B and an invented HTTP status, for every business refusal. The facts may say another shape and status. */
export function refused(code: RefusalCode): Refusal {
  return {
    status: FACTS[`status of ${code}`].values[0],
    body: { success: false, code, message: MESSAGES[code] },
  };
}

/** Shape A. */
export function refusedBeforehand(status: number, code: string, message: string): Refusal {
  return { status, body: { status: 'error', code, message } };
}

export function unauthorized(message: string): Refusal {
  return refusedBeforehand(401, 'UNAUTHORIZED', message);
}

/** The code that the specification lists for collections; its shape and status are a matter of the facts. */
export function invalidRequest(message: string): Refusal {
  return refusedBeforehand(FACTS['status of INVALID_REQUEST'].values[0], 'INVALID_REQUEST', message);
}

/** Shape C: messages by field name. */
export function invalidFields(errors: Readonly<Record<string, readonly string[]>>): Refusal {
  return { status: 422, body: { success: false, message: 'The given data was invalid.', errors } };
}
