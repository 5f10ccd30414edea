import { type HttpService } from '@nestjs/axios';
import { type ResolvedPaymentsOptions } from '../config/resolved-options.js';
import { RateLimiter } from './rate-limiter.js';
import { accountTransport } from './http/account-transport.js';
import { type CallResult } from './call-result.js';
import { callLimits, type CallLimits, checkCallOptions, type CallOptions } from './call-options.js';
import { CallTrace } from './call-trace.js';
import { type GatewayCall, type ReadCall, withLastResponse, type PaymentsResponse } from './gateway-call.js';
import { type IdempotentRequest, runCall } from './run-call.js';

/** Options that requests are checked and written by, and answers kept. */
export type RequestRules = Pick<ResolvedPaymentsOptions, 'amountFormat' | 'banks' | 'limits' | 'networks'>;

/** Sends the calls of one merchant account. It knows no journal: `Payments` decides whether a payment may be sent. */
export interface GatewayClient {
  readonly rules: RequestRules;
  /** Sends a call, with whatever attempts the decision table allows. Never rejects. */
  send<T extends object>(
    call: GatewayCall<T>,
    request: Partial<IdempotentRequest>,
    limits: CallLimits,
  ): Promise<CallResult<T>>;
  /** Makes a call that only reads. */
  read<T extends object>(call: ReadCall<T>, options?: CallOptions): Promise<PaymentsResponse<T>>;
}

/** The credentials stay in this closure, where neither `util.inspect` nor JSON of a service reaches them. */
export function createGatewayClient(options: ResolvedPaymentsOptions, http: HttpService): GatewayClient {
  const { origin, pathname } = new URL(options.baseUrl);
  const headersFor = headerMaker(credentialHeaders(options));
  const transport = accountTransport(http);
  const rateLimiter = new RateLimiter(options.rate);
  const { account, amountFormat, banks, limits: amountLimits, networks, refusalCodes } = options;

  const send: GatewayClient['send'] = (call, request, limits) => {
    const { idempotencyKey, body } = request;
    const reference = call.kind === 'read' ? {} : { reference: call.payment.reference };
    const trace = new CallTrace({ account, operation: call.operation, ...reference });
    return trace.around(() =>
      runCall(call, {
        transport: transport,
        rateLimiter: rateLimiter,
        trace,
        refusalCodes,
        request: {
          method: call.method,
          origin,
          path: pathname + call.path,
          headers: headersFor(body !== undefined, idempotencyKey),
          body,
        },
        ...request,
        ...limits,
      }),
    );
  };

  return {
    rules: { amountFormat, banks, limits: amountLimits, networks },
    send,
    read: async (call, callOptions) => {
      const limits = callLimits(options, checkCallOptions(callOptions, call.operation));
      const end = await send(call, call.body ? { body: JSON.stringify(call.body) } : {}, limits);
      if (end.end === 'aborted') throw end.reason;
      if (end.end === 'failed') throw end.error;
      const { value, envelope, warnings } = end.success;
      return withLastResponse(value, { ...envelope, attempts: end.attempts, warnings });
    },
  };
}

/** The headers that carry the credentials, in either of the two forms (specification, "Authentication" 2 and 5). */
export function credentialHeaders(
  options: Pick<ResolvedPaymentsOptions, 'auth' | 'apiKey' | 'apiSecret'>,
): Readonly<Record<string, string>> {
  if (options.auth === 'bearer') return { Authorization: `Bearer ${options.apiKey}` };
  return { 'X-API-KEY': options.apiKey, 'X-API-SECRET': options.apiSecret ?? '' };
}

/** Makes the headers of calls (specification, "Endpoints"). */
export type HeaderMaker = (hasBody: boolean, idempotencyKey: string | undefined) => Record<string, string>;

/** @param credentials What `credentialHeaders` gave. */
export function headerMaker(credentials: Readonly<Record<string, string>>): HeaderMaker {
  // Nothing is compressed: a small answer gains nothing, and only some adapters would unpack it.
  const plain = { ...credentials, Accept: 'application/json', 'Accept-Encoding': 'identity' };
  const withBody = { ...plain, 'Content-Type': 'application/json' };
  return (hasBody, idempotencyKey) => {
    const headers = hasBody ? withBody : plain;
    return idempotencyKey === undefined ? { ...headers } : { 'Idempotency-Key': idempotencyKey, ...headers };
  };
}
