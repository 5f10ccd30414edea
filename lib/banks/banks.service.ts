import { Injectable } from '@nestjs/common';
import { PaymentsValidationError } from '../errors/payments-validation.error.js';
import { type CallOptions } from '../transport/call-options.js';
import { type ReadCall, type ReadPayload } from '../transport/gateway-call.js';
import { type GatewayClient } from '../transport/gateway-client.js';
import { type PaymentsResponse, withLastResponse } from '../transport/last-response.js';
import { asRecord } from '../transport/read-record.js';
import { type Bank } from './bank.js';

const LIST: ReadCall<Bank[]> = {
  kind: 'read',
  operation: 'banks.list',
  method: 'GET',
  path: '/bank-shortnames',
  read: readBanks,
};

function readBanks(data: unknown): ReadPayload<Bank[]> | undefined {
  if (!Array.isArray(data)) return undefined;
  const entries: readonly unknown[] = data;
  const banks = entries.filter((entry) => typeof asRecord(entry)?.['code'] === 'string') as Bank[];
  const left = entries.length - banks.length;
  return { value: banks, warnings: left === 0 ? [] : [`${left} entries without a code were left out`] };
}

/**
 * The banks that payouts can go to. The list changes over time (specification, "Endpoints" 4).
 *
 * @publicApi
 */
@Injectable()
export class BanksService {
  constructor(private readonly client: GatewayClient) {}

  /**
   * Every supported bank, as the gateway lists them now.
   *
   * @throws GatewayAnswerError No usable answer after every try.
   * @throws PaymentsError Every other class of the package, as its name says.
   */
  async list(options?: CallOptions): Promise<PaymentsResponse<Bank[]>> {
    return this.client.call(LIST, options);
  }

  /**
   * The bank with this code, or undefined. Case and surrounding spaces do not matter; anything else does: the
   * specification shows codes in two spellings and does not say which one counts.
   *
   * @throws PaymentsError The same classes as `list`.
   */
  async find(code: string, options?: CallOptions): Promise<PaymentsResponse<Bank> | undefined> {
    const wanted = normalized(code);
    if (wanted === '') {
      throw new PaymentsValidationError(
        { code: ['code must be a string that is not blank: write a bank code such as "ABC"'] },
        { operation: 'banks.list' },
      );
    }
    const banks = await this.list(options);
    const found = banks.find((bank) => normalized(bank.code) === wanted);
    return found && withLastResponse(found, banks.lastResponse);
  }
}

function normalized(code: unknown): string {
  return typeof code === 'string' ? code.trim().toUpperCase() : '';
}
