import { type ApplicationEvents } from '../../common/application-events.js';
import {
  type JournalKey,
  type JournalRecord,
  type JournalStore,
  type StoredJournalRecord,
} from '../../storage/journal-store.js';
import { MONEY_OPERATIONS } from '../../common/operations.js';
import { type PaymentFamily, type OutcomeEvidence } from '../../common/vocabulary.js';
import { type ResolvedPaymentsOptions } from '../../config/resolved-options.js';
import { withDeadline } from '../../common/timing.js';
import { PaymentOutcomeUnknownError } from '../../errors/payments-errors.js';
import { isInProcess } from '../../storage/memory/memory-storage.js';
import { type CallResult } from '../../gateway/call-result.js';
import {
  callLimits,
  type CallLimits,
  checkCallOptions,
  type CallOptions,
} from '../../gateway/call-options.js';
import { type MoneyCall } from '../../gateway/gateway-call.js';
import { bodyHash, journalKeyText } from './payment-identity.js';
import { type GatewayClient } from '../../gateway/gateway-client.js';
import { paymentResult, existingPaymentResult, type PaymentResult } from './payment-result.js';
import { type PaymentIntent } from './payment-intent.js';
import { JournalWriter } from './journal-writer.js';
import { asksForAnotherKey, type RequestedPayment } from './repeated-call.js';
import { referenceForgotten, referenceReused, existingPaymentUnknown } from './repeated-call-errors.js';
import { asRecord, type WireRecord, type PaymentsResponse } from '../../gateway/answer/wire-record.js';

/** The options that payments are made by. */
export type PaymentOptions = Pick<
  ResolvedPaymentsOptions,
  'account' | 'environment' | 'probe' | 'recoveryWindowMs' | 'timeoutMs' | 'deadlineMs' | 'retry'
>;

/** Makes payments: writes each one down before it is sent, and sends none twice. */
export interface Payments {
  /** For the services: the rules of requests, and the calls that only read. */
  readonly gateway: Pick<GatewayClient, 'read' | 'rules'>;
  /**
   * Makes a payment, or returns the result of an earlier call of the same payment.
   *
   * @throws PaymentsError as the services document it.
   */
  make<T extends object>(call: MoneyCall<T>, options?: CallOptions): Promise<PaymentsResponse<T>>;
  /**
   * Probes a payment without its caller. Resolves to the record afterwards, or to undefined if another
   * process was faster.
   */
  probe(existing: StoredJournalRecord): Promise<{ readonly existing: JournalRecord | undefined } | undefined>;
  /** Resolves when all running calls have ended and are written down. */
  idle(): Promise<void>;
}

/** Keeps the storage in a closure, out of reach of `util.inspect` of a service. */
export function createPayments(
  options: PaymentOptions,
  store: JournalStore,
  events: Pick<ApplicationEvents, 'tell'>,
  gateway: GatewayClient,
): Payments {
  const calls = new PaymentCalls(options, store, events, gateway);
  return {
    gateway,
    make: (call, callOptions) => calls.make(call, callOptions),
    probe: (existing) => calls.probe(existing),
    idle: () => calls.idle(),
  };
}

/** A running call of this process, which a call for the same payment joins. */
interface CallUnderWay {
  readonly asked: RequestedPayment;
  /** Never rejects. */
  readonly end: Promise<PaymentResult<object>>;
}

class PaymentCalls implements Omit<Payments, 'gateway'> {
  private readonly writer: JournalWriter;
  /** One call for each reference, by `journalKeyText`. */
  private readonly underWay = new Map<string, CallUnderWay>();
  private readonly probes = new Set<Promise<unknown>>();

  constructor(
    private readonly options: PaymentOptions,
    private readonly store: JournalStore,
    private readonly events: Pick<ApplicationEvents, 'tell'>,
    private readonly gateway: Pick<GatewayClient, 'send'>,
  ) {
    this.writer = new JournalWriter(store, options);
  }

  async make<T extends object>(call: MoneyCall<T>, options?: CallOptions): Promise<PaymentsResponse<T>> {
    const checked = checkCallOptions(options, call.operation);
    const limits = callLimits(this.options, checked);
    const { idempotencyKey, attempt } = checked;
    const key = this.keyOf(call);
    const id = journalKeyText(key);
    const asked: RequestedPayment = { bodyHash: bodyHash(call), idempotencyKey, attempt };
    // Written now, because the application may change the request while the journal is written.
    const body = JSON.stringify(call.body);
    for (;;) {
      if (limits.signal?.aborted) throw limits.signal.reason;
      const underWay = this.underWay.get(id);
      const end = underWay
        ? await this.join(call, key, asked, underWay, limits)
        : await this.lead(id, asked, this.run(call, key, asked, body, limits));
      // Equal bodies have the same operation, and so the same type of result.
      if (end.ok) return end.value as PaymentsResponse<T>;
      if (!underWay || !end.unsent) throw end.error;
    }
  }

  async idle(): Promise<void> {
    await Promise.allSettled([...[...this.underWay.values()].map(({ end }) => end), ...this.probes]);
    await this.writer.flush();
  }

  async probe(
    existing: StoredJournalRecord,
  ): Promise<{ readonly existing: JournalRecord | undefined } | undefined> {
    // After a jump of the clock, its lease may end while its call still runs here.
    if (this.underWay.has(journalKeyText(existing.record))) return undefined;
    const probe = this.makeProbe(existing, callLimits(this.options));
    this.probes.add(probe);
    return probe.finally(() => this.probes.delete(probe));
  }

  private async makeProbe(
    existing: StoredJournalRecord,
    limits: CallLimits,
  ): Promise<{ readonly existing: JournalRecord | undefined } | undefined> {
    const intent = await this.writer.beginProbe(existing, limits);
    if (!intent) return undefined;
    const result = await this.sendIntent(recordedCall(existing.record), intent, limits);
    const recorded = await this.writer.end(intent, result, limits);
    return { existing: recorded.written ? recorded.existing : intent.record };
  }

  /** Lets others join a call until it has ended. */
  private lead<T extends object>(
    id: string,
    asked: RequestedPayment,
    call: Promise<PaymentResult<T>>,
  ): Promise<PaymentResult<T>> {
    const end = call.then((value) => {
      this.underWay.delete(id);
      return value;
    });
    this.underWay.set(id, { asked, end });
    return end;
  }

  /** Never rejects: every caller that joined handles the result itself. */
  private async run<T extends object>(
    call: MoneyCall<T>,
    key: JournalKey,
    asked: RequestedPayment,
    body: string,
    limits: CallLimits,
  ): Promise<PaymentResult<T>> {
    try {
      const { operation, payment } = call;
      const { amount, currency } = payment;
      const wanted = { ...key, operation, amount, currency, bodyHash: asked.bodyHash, body };
      const begun = await this.writer.begin(asked, wanted, limits);
      if ('tombstone' in begun)
        return { ok: false, error: referenceForgotten({ ...call, ...key }, begun.tombstone) };
      if (!('intent' in begun)) return existingPaymentResult(call, begun.existing, begun.refusal);
      const { intent } = begun;
      const sent = await this.sendIntent(call, intent, limits);
      const recorded = await this.writer.end(intent, sent, limits);
      const result = paymentResult(call, sent, recorded, intent.record);
      if (!result.ok) this.announceUnknown(intent.record, result.error);
      return result;
    } catch (error) {
      const { signal } = limits;
      return { ok: false, error, ...(signal?.aborted && error === signal.reason ? { unsent: true } : {}) };
    }
  }

  private announceUnknown(record: JournalRecord, error: unknown): void {
    if (!(error instanceof PaymentOutcomeUnknownError)) return;
    const { account, family, operation, reference, idempotencyKey } = record;
    const { evidence } = error;
    this.events.tell('payment.unknown', { account, family, operation, reference, idempotencyKey, evidence });
  }

  private async join(
    call: MoneyCall<object>,
    key: JournalKey,
    asked: RequestedPayment,
    underWay: CallUnderWay,
    { deadline, signal }: CallLimits,
  ): Promise<PaymentResult<object>> {
    const payment = { ...key, operation: call.operation };
    if (asked.bodyHash !== underWay.asked.bodyHash) {
      return { ok: false, error: referenceReused({ ...payment, state: 'in-flight' }, 'another-payment') };
    }
    if (asksForAnotherKey(asked, underWay.asked))
      return { ok: false, error: existingPaymentUnknown(payment, 'in-flight') };
    const waited = await withDeadline(underWay.end, deadline, signal);
    if (waited.ended === 'done') return waited.value;
    return {
      ok: false,
      error: existingPaymentUnknown(payment, waited.ended === 'late' ? 'in-flight' : 'aborted'),
    };
  }

  private sendIntent<T extends object>(
    call: MoneyCall<T>,
    intent: PaymentIntent,
    limits: CallLimits,
  ): Promise<CallResult<T>> {
    const waits = limits.once || intent.earlier ? undefined : this.options.probe[call.kind];
    const probing = waits && {
      waits,
      begin: (evidence: OutcomeEvidence) => intent.probeWithin(evidence, limits),
    };
    const onSending = this.mayBeRecovered(intent, call.kind)
      ? () => {
          intent.markSent();
        }
      : undefined;
    const { idempotencyKey, body = '' } = intent.record;
    return this.gateway.send(
      call,
      { idempotencyKey, body, earlier: intent.earlier, probing, onSending },
      limits,
    );
  }

  /** Whether another process may ever probe the payment. */
  private mayBeRecovered({ earlier }: PaymentIntent, kind: PaymentFamily): boolean {
    return earlier === undefined && this.options.probe[kind] !== undefined && !isInProcess(this.store);
  }

  private keyOf({ kind, payment }: MoneyCall<object>): JournalKey {
    const { account, environment } = this.options;
    return { account, environment, family: kind, reference: payment.reference };
  }
}

/** The call of a recorded payment. */
export function recordedCall(record: JournalRecord): MoneyCall<WireRecord> {
  const { family, operation, reference, amount, currency, body = '{}' } = record;
  return {
    kind: family,
    operation,
    method: 'POST',
    path: MONEY_OPERATIONS[operation].path,
    payment: { reference, amount, currency },
    body: JSON.parse(body) as WireRecord,
    read: (data) => {
      const value = asRecord(data);
      return value && { value, warnings: [] };
    },
  };
}
