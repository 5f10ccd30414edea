/** An error answer in one of the specification's three shapes ("Errors"). */
export interface Refusal {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** The HTTP statuses are invented: the specification shows the codes and their meaning. */
const REFUSALS = {
  INVALID_REQUEST: [400, 'The request is not a valid JSON object.'],
  DUPLICATE_REQUEST: [409, 'This Idempotency-Key was already processed.'],
  DUPLICATE_REFERENCE: [409, 'This reference already exists.'],
  INVALID_BANK_CODE: [422, 'The bank code is not supported.'],
  ACCOUNT_NOT_FOUND: [404, 'The recipient account could not be verified.'],
  INVALID_CHANNEL: [422, 'The channel is not supported: MOBILE_MONEY, BANK or PARTNERPESA.'],
  INVALID_BANK: [422, 'The bank is not supported.'],
  INVALID_ACCOUNT: [422, 'The account number is invalid.'],
  ACCOUNT_NAME_MISMATCH: [422, 'The account name does not belong to the account number.'],
  INVALID_NETWORK: [422, 'The mobile money network is not supported.'],
  INVALID_PHONE: [422, 'The recipient phone number is invalid: 255XXXXXXXXX.'],
  INSUFFICIENT_BALANCE: [422, 'The wallet balance is insufficient.'],
  PROVIDER_ERROR: [502, 'The provider answered with an error.'],
} as const;

export type RefusalCode = keyof typeof REFUSALS;

/** Shape B, for every business refusal. */
export function refused(code: RefusalCode): Refusal {
  const [status, message] = REFUSALS[code];
  return { status, body: { success: false, code, message } };
}

/** Shape A. */
export function refusedBeforehand(status: number, code: string, message: string): Refusal {
  return { status, body: { status: 'error', code, message } };
}

export function unauthorized(message: string): Refusal {
  return refusedBeforehand(401, 'UNAUTHORIZED', message);
}

/** Shape C: messages by field name. */
export function invalidFields(errors: Readonly<Record<string, readonly string[]>>): Refusal {
  return { status: 422, body: { success: false, message: 'The given data was invalid.', errors } };
}
