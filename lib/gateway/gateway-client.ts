import { type HttpService } from '@nestjs/axios';
import { type ApplicationEvents } from '../common/application-events.js';
import { type JournalRecord, type JournalStore, type StoredJournalRecord } from '../common/journal-port.js';
import { type ResolvedPaymentsOptions } from '../config/resolved-options.js';
import { AccountGate } from './rate-limiter.js';
import { accountCarrier } from './http/account-transport.js';
import { type CallEnd } from './call-result.js';
import { callLimits, type CallLimits, checkCallOptions, type CallOptions } from './call-options.js';
import { CallTrace } from './call-trace.js';
import { type GatewayCall, type ReadCall, withLastResponse, type PaymentsResponse } from './gateway-call.js';
import { MoneyCalls, type Parcel } from '../journal/payment/payments.js';
import { runCall } from './run-call.js';

/** Options that requests are checked and written by, and answers kept. */
export type RequestRules = Pick<ResolvedPaymentsOptions, 'amountFormat' | 'banks' | 'limits' | 'networks'>;

/** Makes calls to the gateway for one merchant account. */
export interface GatewayClient {
  /** Resolves when the payments that are being made have ended and are written down. */
  idle(): Promise<void>;
  readonly rules: RequestRules;
  call<T extends object>(call: GatewayCall<T>, options?: CallOptions): Promise<PaymentsResponse<T>>;
  /**
   * Makes the one further try of a payment that stands in the journal, with its own key and bytes. Resolves to what stands
   * afterwards, or to undefined where somebody else was faster.
   */
  probe(standing: StoredJournalRecord): Promise<{ readonly standing: JournalRecord | undefined } | undefined>;
}

/** The credentials stay in this closure, where neither `util.inspect` nor JSON of a service reaches them. */
export function createGatewayClient(
  options: ResolvedPaymentsOptions,
  http: HttpService,
  journal: JournalStore,
  events: Pick<ApplicationEvents, 'tell'>,
): GatewayClient {
  const { origin, pathname } = new URL(options.baseUrl);
  const headersFor = headerMaker(credentialHeaders(options));
  const carrier = accountCarrier(http);
  const gate = new AccountGate(options.rate);
  const { account, environment, probe, recoveryWindowMs } = options;
  const { amountFormat, banks, limits: amountLimits, networks } = options;

  const send = <T extends object>(
    call: GatewayCall<T>,
    parcel: Partial<Parcel>,
    { signal, timeoutMs, deadline, sendBy, retry }: CallLimits,
  ): Promise<CallEnd<T>> => {
    const { idempotencyKey, body, probeFor, probing, onSending } = parcel;
    const reference = call.kind === 'read' ? {} : { reference: call.payment.reference };
    const trace = new CallTrace({ account, operation: call.operation, ...reference });
    return trace.around(() =>
      runCall(call, {
        carrier,
        gate,
        trace,
        signal,
        idempotencyKey,
        request: {
          method: call.method,
          origin,
          path: pathname + call.path,
          headers: headersFor(body !== undefined, idempotencyKey),
          body,
        },
        timeoutMs,
        deadline,
        sendBy,
        retry,
        refusalCodes: options.refusalCodes,
        probeFor,
        probing,
        onSending,
      }),
    );
  };
  const payments = new MoneyCalls({ account, environment, probe, recoveryWindowMs }, journal, events, send);

  const read = async <T extends object>(
    call: ReadCall<T>,
    limits: CallLimits,
  ): Promise<PaymentsResponse<T>> => {
    const body = call.body && JSON.stringify(call.body);
    const end = await send(call, body === undefined ? {} : { body }, limits);
    if (end.end === 'aborted') throw end.reason;
    if (end.end === 'failed') throw end.error;
    const { value, envelope, warnings } = end.success;
    return withLastResponse(value, { ...envelope, attempts: end.attempts, warnings });
  };

  return {
    rules: { amountFormat, banks, limits: amountLimits, networks },
    call: async (call, callOptions) => {
      const checked = checkCallOptions(callOptions, call.operation);
      const limits = callLimits(options, checked);
      return call.kind === 'read' ? read(call, limits) : payments.make(call, checked, limits);
    },
    idle: () => payments.idle(),
    probe: (standing) => payments.probe(standing, callLimits(options)),
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
