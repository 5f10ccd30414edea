import { Injectable } from '@nestjs/common';
import { performance } from 'node:perf_hooks';
import { READ_OPERATIONS } from '../common/operations.js';
import { LONGEST_TIMER_MS } from '../common/timing.js';
import { NamedInTokens } from '../common/tokens.js';
import { checkCallOptions, type CallOptions } from '../gateway/call-options.js';
import { type ReadCall, type ReadPayload } from '../gateway/gateway-call.js';
import { type GatewayClient } from '../gateway/gateway-client.js';
import { asRecord, type PaymentsResponse, withLastResponse } from '../gateway/answer/wire-record.js';
import { type Bank } from './bank.js';
import { BankDirectory } from './bank-directory.js';
import { wrongRequest } from '../gateway/validation/wrong-request.js';

const LIST: ReadCall<Bank[]> = {
  kind: 'read',
  operation: 'banks.list',
  ...READ_OPERATIONS['banks.list'],
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
 * @hideconstructor
 * @publicApi
 */
@Injectable()
@NamedInTokens('BanksService')
export class BanksService {
  private readonly directory: BankDirectory | undefined;

  /** @internal */
  constructor(private readonly gateway: GatewayClient) {
    const { banks } = gateway.rules;
    this.directory = banks && new BankDirectory(banks);
  }

  /**
   * Every supported bank, from the gateway. With the `banks` option, the list is up to `maxAgeMs` old, and calls at once
   * share one request, which has the module's `deadlineMs`.
   *
   * `lastResponse` belongs to the answer that contained the list. `attempts` is empty if the package did not
   * ask the gateway. `warnings` gives the age of a list that replaces a failed answer.
   *
   * @throws GatewayAnswerError No usable answer after every try.
   * @throws PaymentsError Every other class of the package, as its name says.
   */
  async list(options?: CallOptions): Promise<PaymentsResponse<Bank[]>> {
    const ask = (asked?: CallOptions): Promise<PaymentsResponse<Bank[]>> => this.gateway.read(LIST, asked);
    if (!this.directory) return ask(options);
    const checked = checkCallOptions(options, 'banks.list');
    const { signal, deadlineMs = LONGEST_TIMER_MS } = checked;
    signal?.throwIfAborted();
    return this.directory.list(ask, checked, { signal, deadline: performance.now() + deadlineMs });
  }

  /**
   * The bank with this code, or undefined. Ignores case and surrounding spaces, nothing else: the
   * specification shows codes in two spellings and does not say which one counts.
   *
   * @throws PaymentsError The same classes as `list`.
   */
  async find(code: string, options?: CallOptions): Promise<PaymentsResponse<Bank> | undefined> {
    const wanted = normalized(code);
    if (wanted === '') {
      throw wrongRequest(
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
