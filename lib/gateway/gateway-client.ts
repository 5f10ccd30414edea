import { type HttpService } from '@nestjs/axios';
import { type ResolvedPaymentsOptions } from '../config/resolved-options.js';
import { RateLimiter } from './rate-limiter.js';
import { accountTransport } from './http/account-transport.js';
import { callLimits, checkCallOptions, type CallOptions } from './call-options.js';
import { type ReadCall, withLastResponse, type PaymentsResponse } from './gateway-call.js';
import { callSender, type SendCall } from './run-call.js';

/** The options by which requests are checked and written, and answers read. */
export type RequestRules = Pick<ResolvedPaymentsOptions, 'amountFormat' | 'banks' | 'limits' | 'networks'>;

/** Sends the calls of one merchant account. `Payments` decides whether a payment may be sent. */
export interface GatewayClient {
  readonly rules: RequestRules;
  readonly send: SendCall;
  /** Makes a call that only reads. */
  read<T extends object>(call: ReadCall<T>, options?: CallOptions): Promise<PaymentsResponse<T>>;
}

/** Keeps the credentials in a closure, out of reach of `util.inspect` and JSON of a service. */
export function createGatewayClient(options: ResolvedPaymentsOptions, http: HttpService): GatewayClient {
  const { origin, pathname } = new URL(options.baseUrl);
  const { account, amountFormat, banks, limits: amountLimits, networks, refusalCodes } = options;
  const send = callSender({
    account,
    transport: accountTransport(http),
    rateLimiter: new RateLimiter(options.rate),
    refusalCodes,
    origin,
    basePath: pathname,
    credentials: credentialHeaders(options),
  });

  return {
    rules: { amountFormat, banks, limits: amountLimits, networks },
    send,
    read: async (call, callOptions) => {
      const limits = callLimits(options, checkCallOptions(callOptions, call.operation));
      const result = await send(call, call.body ? { body: JSON.stringify(call.body) } : {}, limits);
      if (result.end === 'aborted') throw result.reason;
      if (result.end !== 'success') throw result.error;
      const { value, envelope, warnings } = result.success;
      return withLastResponse(value, { ...envelope, attempts: result.attempts, warnings });
    },
  };
}

/** The credentials in one of their two forms (specification, "Authentication" 2 and 5). */
function credentialHeaders(
  options: Pick<ResolvedPaymentsOptions, 'auth' | 'apiKey' | 'apiSecret'>,
): Readonly<Record<string, string>> {
  if (options.auth === 'bearer') return { Authorization: `Bearer ${options.apiKey}` };
  return { 'X-API-KEY': options.apiKey, 'X-API-SECRET': options.apiSecret ?? '' };
}
