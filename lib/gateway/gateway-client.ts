import { type ResolvedPaymentsOptions } from '../config/resolved-options.js';
import { type InFlight } from '../common/in-flight.js';
import { PaymentsOverloadError } from '../errors/payments-overload.error.js';
import { RateLimiter } from './rate-limiter.js';
import { type AccountKeys } from './account-keys.js';
import { callLimits, checkCallOptions, type CallOptions } from './call-options.js';
import { type ReadCall } from './gateway-call.js';
import { withLastResponse, type PaymentsResponse } from './answer/wire-record.js';
import { type HttpTransport } from './http/http-transport.js';
import { callSender, type SendCall } from './run-call.js';

/** The options by which requests are checked and written, and answers read. */
export type RequestRules = Pick<ResolvedPaymentsOptions, 'amountFormat' | 'banks' | 'limits' | 'networks'>;

/** The options of an account that its calls obey. */
type GatewayOptions = Pick<
  ResolvedPaymentsOptions,
  | 'account'
  | 'amountFormat'
  | 'banks'
  | 'baseUrl'
  | 'deadlineMs'
  | 'limits'
  | 'networks'
  | 'rate'
  | 'refusalCodes'
  | 'retry'
  | 'timeoutMs'
>;

/** Sends the calls of one merchant account. `Payments` decides whether a payment may be sent. */
export interface GatewayClient {
  readonly rules: RequestRules;
  readonly send: SendCall;
  /** Where the tries of the account wait for their permit. */
  readonly rateLimiter: Pick<RateLimiter, 'pausedMs'>;
  /** Makes a call that only reads. */
  read<T extends object>(call: ReadCall<T>, options?: CallOptions): Promise<PaymentsResponse<T>>;
}

/**
 * Keeps no option that holds a key.
 *
 * @param keys Stay in a closure, out of reach of `util.inspect` and JSON of a service.
 * @param reads The places of calls that only read.
 */
export function createGatewayClient(
  options: GatewayOptions,
  transport: HttpTransport,
  keys: AccountKeys,
  reads: InFlight,
): GatewayClient {
  const { origin, pathname } = new URL(options.baseUrl);
  const { account, amountFormat, banks, limits: amountLimits, networks, refusalCodes } = options;
  const { timeoutMs, deadlineMs, retry } = options;
  const rateLimiter = new RateLimiter(options.rate);
  const send = callSender({
    account,
    transport,
    rateLimiter,
    refusalCodes,
    origin,
    basePath: pathname,
    keys,
  });

  return {
    rules: { amountFormat, banks, limits: amountLimits, networks },
    send,
    rateLimiter,
    read: async (call, callOptions) => {
      const limits = callLimits(
        { timeoutMs, deadlineMs, retry },
        checkCallOptions(callOptions, call.operation),
      );
      const body = call.body ? { body: JSON.stringify(call.body) } : {};
      const result = await reads.begin(() => send(call, body, limits));
      if (!result) throw tooManyReads(call);
      if (result.end === 'aborted') throw result.reason;
      if (result.end !== 'success') throw result.error;
      const { value, envelope, warnings } = result.success;
      return withLastResponse(value, { ...envelope, attempts: result.attempts, warnings });
    },
  };
}

/** The error for a call that only reads and finds no place; without the call if its account is not known yet. */
export function tooManyReads(call?: ReadCall<object>): PaymentsOverloadError {
  return new PaymentsOverloadError(
    'Nothing was sent: this process has as many calls that only read in flight as the option maxInFlight allows.',
    { operation: call?.operation, hint: 'Make the same call again after retryAfterMs.' },
  );
}
