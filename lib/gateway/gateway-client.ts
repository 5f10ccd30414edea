import { type HttpService } from '@nestjs/axios';
import { type ResolvedPaymentsOptions } from '../config/resolved-options.js';
import { RateLimiter } from './rate-limiter.js';
import { accountTransport } from './http/account-transport.js';
import { callLimits, checkCallOptions, type CallLimits, type CallOptions } from './call-options.js';
import { type GatewayCall, type ReadCall } from './gateway-call.js';
import { withLastResponse, type PaymentsResponse } from './answer/wire-record.js';
import { CallTrace } from './call-trace.js';
import { type CallResult } from './call-result.js';
import { type HttpTransport } from './http/http-transport.js';
import { type IdempotentRequest, runCall } from './run-call.js';

/** The options by which requests are checked and written, and answers read. */
export type RequestRules = Pick<ResolvedPaymentsOptions, 'amountFormat' | 'banks' | 'limits' | 'networks'>;

/** Sends a call with all tries that the decision table allows. Never rejects. */
export type SendCall = <T extends object>(
  call: GatewayCall<T>,
  identity: Partial<IdempotentRequest>,
  limits: CallLimits,
) => Promise<CallResult<T>>;

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

/** The parts that all calls of an account share. */
interface CallAccount {
  readonly account: string;
  readonly transport: HttpTransport;
  readonly rateLimiter: RateLimiter;
  readonly refusalCodes: ReadonlySet<string>;
  /** Scheme, host and port. */
  readonly origin: string;
  /** Before the path of every operation. */
  readonly basePath: string;
  readonly credentials: Readonly<Record<string, string>>;
}

/** Keeps the credentials in its closure. */
function callSender(setup: CallAccount): SendCall {
  const { account, transport, rateLimiter, refusalCodes, origin, basePath, credentials } = setup;
  // No compression: a small answer gains nothing, and only some adapters would unpack it.
  const plain = { ...credentials, Accept: 'application/json', 'Accept-Encoding': 'identity' };
  const withBody = { ...plain, 'Content-Type': 'application/json' };
  return async (call, identity, limits) => {
    const { idempotencyKey, body } = identity;
    const reference = call.kind === 'read' ? {} : { reference: call.payment.reference };
    const trace = new CallTrace({ account, operation: call.operation, ...reference });
    trace.started();
    const headers = body === undefined ? plain : withBody;
    const result = await runCall(call, {
      transport,
      rateLimiter,
      trace,
      refusalCodes,
      request: {
        method: call.method,
        origin,
        path: basePath + call.path,
        headers:
          idempotencyKey === undefined ? { ...headers } : { 'Idempotency-Key': idempotencyKey, ...headers },
        body,
      },
      ...identity,
      ...limits,
    });
    trace.ended(result);
    return result;
  };
}

/** The credentials in one of their two forms (specification, "Authentication" 2 and 5). */
function credentialHeaders(
  options: Pick<ResolvedPaymentsOptions, 'auth' | 'apiKey' | 'apiSecret'>,
): Readonly<Record<string, string>> {
  if (options.auth === 'bearer') return { Authorization: `Bearer ${options.apiKey}` };
  return { 'X-API-KEY': options.apiKey, 'X-API-SECRET': options.apiSecret ?? '' };
}
