import { Injectable } from '@nestjs/common';
import { READ_OPERATIONS } from '../common/operations.js';
import { type CallOptions } from '../gateway/call-options.js';
import { type ReadCall, type ReadPayload } from '../gateway/gateway-call.js';
import { type GatewayClient } from '../gateway/gateway-client.js';
import { asRecord, withMoney, type PaymentsResponse } from '../gateway/answer/wire-record.js';
import { type WalletBalance } from './wallet-balance.js';

const MONEY_FIELDS = ['balance', 'available_balance', 'locked_balance'] as const;

const BALANCE: ReadCall<WalletBalance> = {
  kind: 'read',
  operation: 'wallet.balance',
  ...READ_OPERATIONS['wallet.balance'],
  read: readBalance,
};

/** Refuses an inexact balance, because it would decide about payouts. */
function readBalance(data: unknown): ReadPayload<WalletBalance> | undefined {
  const wire = asRecord(data);
  if (!wire) return undefined;
  const { record, warnings } = withMoney(wire, MONEY_FIELDS);
  const complete = MONEY_FIELDS.every((field) => typeof record[field] === 'string');
  return complete && warnings.length === 0
    ? { value: record as unknown as WalletBalance, warnings }
    : undefined;
}

/**
 * Reads the merchant's wallet. Use it before payouts to avoid `INSUFFICIENT_BALANCE`
 * (specification, "Endpoints" 3).
 *
 * @hideconstructor
 * @publicApi
 */
@Injectable()
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
