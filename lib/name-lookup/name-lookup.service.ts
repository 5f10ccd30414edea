import { Injectable } from '@nestjs/common';
import { READ_OPERATIONS } from '../common/operations.js';
import { TZ_PHONE } from '../common/phone.js';
import { NamedInTokens } from '../common/tokens.js';
import { PaymentRejectedError } from '../errors/payments-errors.js';
import { type CallOptions } from '../gateway/call-options.js';
import { type ReadCall, type ReadPayload } from '../gateway/gateway-call.js';
import { type GatewayClient } from '../gateway/gateway-client.js';
import { isSameText } from '../gateway/answer/check-echo.js';
import { asRecord, type PaymentsResponse } from '../gateway/answer/wire-record.js';
import { validateRequest } from '../gateway/validation/validate-request.js';
import { NameLookupDto } from './name-lookup.dto.js';
import { type NameLookupResult } from './name-lookup-result.js';

/** What is longer is no name, and would take long to compare. */
const LONGEST_NAME = 255;
const ECHOED = ['channel', 'account_number', 'bank_code'] as const;

const UNKNOWN_ACCOUNT: ReadonlySet<string> = new Set(['ACCOUNT_NOT_FOUND', 'INVALID_ACCOUNT']);

const OTHER_FORM_HINT =
  'Write the mobile number as 255 and nine digits, which normalizeTzPhone() makes of 0712 345 678; if it gives undefined, ask the recipient again.';

/** Converts a request to a call. */
function nameLookupCall(dto: NameLookupDto): ReadCall<NameLookupResult> {
  return {
    kind: 'read',
    operation: 'name-lookup',
    ...READ_OPERATIONS['name-lookup'],
    body: { channel: dto.channel, account_number: dto.account_number, bank_code: dto.bank_code },
    read: (data) => readLookup(data, dto),
  };
}

/**
 * An answer without a name verifies nothing. One example of the specification calls the channel `type`, so
 * `channel` may be absent. What an answer does not repeat comes from the request, with a warning.
 */
function readLookup(data: unknown, dto: NameLookupDto): ReadPayload<NameLookupResult> | undefined {
  const wire = asRecord(data);
  const name = wire?.['account_name'];
  if (!wire || typeof name !== 'string' || name.length > LONGEST_NAME) return undefined;
  const warnings = ECHOED.filter(
    (field) => dto[field] !== undefined && !isSameText(wire[field], dto[field]),
  ).map((field) => `${field} of the answer is not the one that was asked for`);
  const lacking = ECHOED.filter((field) => dto[field] !== undefined && wire[field] == null);
  const asked = Object.fromEntries(lacking.map((field) => [field, dto[field]]));
  return { value: { ...wire, ...asked } as unknown as NameLookupResult, warnings };
}

/** The usual hint of a code sends people to the recipient, who gave the right number. */
function withFormHint(error: unknown, { channel, account_number: number }: NameLookupDto): unknown {
  const isUnknown = error instanceof PaymentRejectedError && UNKNOWN_ACCOUNT.has(error.code);
  if (!isUnknown || channel !== 'MOBILE_MONEY' || TZ_PHONE.test(number)) return error;
  const { name, code, errors, final, retryable, mayHaveBeenProcessed, ...details } = error;
  return new PaymentRejectedError(code, error.message, { ...details, hint: OTHER_FORM_HINT }, errors, final);
}

/**
 * Verifies who holds an account. Look up right before each payout, and do not keep results for long
 * (specification, "Endpoints" 5).
 *
 * @hideconstructor
 * @publicApi
 */
@Injectable()
@NamedInTokens('NameLookupService')
export class NameLookupService {
  /** @internal */
  constructor(private readonly gateway: GatewayClient) {}

  /**
   * Asks the gateway for the holder of an account.
   *
   * @throws PaymentRejectedError The gateway does not know the account (`ACCOUNT_NOT_FOUND`) or refused the
   * request.
   * @throws GatewayAnswerError No usable answer after every try; nothing has changed.
   * @throws PaymentsError Every other class of the package, as its name says.
   *
   * @example
   * ```ts
   * const holder = await this.names.lookup({ channel: 'BANK', bank_code: 'ABC', account_number: '0150123456789' });
   * if (holder.account_name !== supplier.name) throw new ConflictException('The account belongs to somebody else.');
   * ```
   */
  async lookup(
    request: Readonly<NameLookupDto>,
    options?: CallOptions,
  ): Promise<PaymentsResponse<NameLookupResult>> {
    const dto = validateRequest(NameLookupDto, request, 'name-lookup');
    try {
      return await this.gateway.read(nameLookupCall(dto), options);
    } catch (error) {
      throw withFormHint(error, dto);
    }
  }
}
