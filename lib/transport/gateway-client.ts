import { type HttpService } from '@nestjs/axios';
import { type ResolvedPaymentsOptions } from '../config/resolved-options.js';
import { AccountGate } from './account-gate.js';
import { checkCallOptions, type CallOptions } from './call-options.js';
import { CallTrace } from './call-trace.js';
import { type GatewayCall } from './gateway-call.js';
import { idempotencyKeyFor } from './idempotency-key.js';
import { type PaymentsResponse } from './last-response.js';
import { credentialHeaders, requestHeaders } from './request-headers.js';
import { runCall } from './run-call.js';

/** Options that requests are checked and written by. */
export type RequestRules = Pick<ResolvedPaymentsOptions, 'amountFormat' | 'limits' | 'networks'>;

/** Makes calls to the gateway for one merchant account. */
export interface GatewayClient {
  readonly rules: RequestRules;
  call<T extends object>(call: GatewayCall<T>, options?: CallOptions): Promise<PaymentsResponse<T>>;
}

/** The credentials stay in this closure, where neither `util.inspect` nor JSON of a service reaches them. */
export function createGatewayClient(options: ResolvedPaymentsOptions, http: HttpService): GatewayClient {
  const credentials = credentialHeaders(options);
  const gate = new AccountGate(options.rate);
  const { account, amountFormat, limits, networks } = options;
  return {
    rules: { amountFormat, limits, networks },
    call: async (call, callOptions) => {
      const { signal, ...checked } = checkCallOptions(callOptions, call.operation);
      const idempotencyKey = keyOf(call, checked, options);
      const body = call.body && JSON.stringify(call.body);
      const trace = new CallTrace({ account, operation: call.operation, ...referenceOf(call) });
      return trace.around(() =>
        runCall(call, {
          http,
          gate,
          trace,
          signal,
          idempotencyKey,
          request: {
            method: call.method,
            url: options.baseUrl + call.path,
            headers: requestHeaders(credentials, body !== undefined, idempotencyKey),
            body,
          },
          timeoutMs: checked.timeoutMs ?? options.timeoutMs,
          deadlineMs: checked.deadlineMs ?? options.deadlineMs,
          retry: checked.retry === false ? { ...options.retry, maxAttempts: 1 } : options.retry,
          refusalCodes: options.refusalCodes,
        }),
      );
    },
  };
}

function referenceOf(call: GatewayCall<object>): { readonly reference?: string } {
  return call.kind === 'read' ? {} : { reference: call.payment.reference };
}

function keyOf(
  call: GatewayCall<object>,
  { idempotencyKey, attempt = 1 }: CallOptions,
  { account, environment }: ResolvedPaymentsOptions,
): string | undefined {
  if (call.kind === 'read') return undefined;
  if (idempotencyKey !== undefined) return idempotencyKey;
  const { operation, payment } = call;
  return idempotencyKeyFor({ account, environment, operation, reference: payment.reference, attempt });
}
