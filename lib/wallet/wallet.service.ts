import { Injectable } from '@nestjs/common';
import { READ_OPERATIONS } from '../common/operations.js';
import { NamedInTokens } from '../common/tokens.js';
import { type CallOptions } from '../gateway/call-options.js';
import { type ReadCall } from '../gateway/gateway-call.js';
import { type GatewayClient } from '../gateway/gateway-client.js';
import { type PaymentsResponse } from '../gateway/answer/wire-record.js';
import { readBalance } from './read-balance.js';
import { type WalletBalance } from './wallet-balance.js';

const BALANCE: ReadCall<WalletBalance> = {
  kind: 'read',
  operation: 'wallet.balance',
  ...READ_OPERATIONS['wallet.balance'],
  read: readBalance,
};

/**
 * Reads the merchant's wallet. Use it before payouts to avoid `INSUFFICIENT_BALANCE`
 * (specification, "Endpoints" 3).
 *
 * @hideconstructor
 * @publicApi
 */
@Injectable()
@NamedInTokens('WalletService')
export class WalletService {
  /** @internal */
  constructor(private readonly gateway: GatewayClient) {}

  /**
   * Total, available and locked balance.
   *
   * @throws GatewayAnswerError No usable answer after every try.
   * @throws PaymentsError Every other class of the package, as its name says.
   */
  async balance(options?: CallOptions): Promise<PaymentsResponse<WalletBalance>> {
    return this.gateway.read(BALANCE, options);
  }
}
