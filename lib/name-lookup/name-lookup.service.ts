import { Injectable } from '@nestjs/common';
import { type CallOptions } from '../gateway/call-options.js';
import { type GatewayClient } from '../gateway/gateway-client.js';
import { type PaymentsResponse } from '../gateway/answer/wire-record.js';
import { nameLookupCall } from './name-lookup-call.js';
import { type NameLookupDto } from './name-lookup.dto.js';
import { type NameLookupResult } from './name-lookup-result.js';

/**
 * Verifies who holds an account. Look up right before each payout, and do not keep results for long
 * (specification, "Endpoints" 5).
 *
 * @hideconstructor
 * @publicApi
 */
@Injectable()
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
    return this.gateway.read(nameLookupCall(request), options);
  }
}
