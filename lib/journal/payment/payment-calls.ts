import { type InFlight } from '../../common/in-flight.js';
import { withDeadline } from '../../common/timing.js';
import {
  callLimits,
  type CallLimits,
  checkCallOptions,
  type CallOptions,
} from '../../gateway/call-options.js';
import { type MoneyCall } from '../../gateway/gateway-call.js';
import { type PaymentsResponse } from '../../gateway/answer/wire-record.js';
import { type JournalKey, type JournalStore } from '../../storage/journal-store.js';
import { dailyCapReached } from './daily-caps.js';
import {
  checkEnlistOptions,
  checkSendOptions,
  type EnlistedPayment,
  type EnlistOptions,
  writePlanned,
} from './enlisting.js';
import { type NewPayment } from './journal-transitions.js';
import { type JournalWriter } from './journal-writer.js';
import { journalKeyText, writtenRequest } from './payment-identity.js';
import {
  existingPaymentResult,
  joinedResult,
  paymentResult,
  type PaymentResult,
  plannedResult,
} from './payment-result.js';
import { type PaymentOptions, type PaymentSender } from './payment-sender.js';
import { type PlannedPayments } from './planned-payments.js';
import { asksForAnotherKey, maySend, type RequestedPayment } from './repeated-call.js';
import {
  existingPaymentUnknown,
  notEnlisted,
  referenceForgotten,
  referenceReused,
  tooManyPayments,
} from './repeated-call-errors.js';

/** A running call of this process, which a call for the same payment joins. */
export interface CallUnderWay {
  readonly asked: RequestedPayment;
  /** Never rejects. */
  readonly end: Promise<PaymentResult<object>>;
}

/** Makes the payments of an account. */
export class PaymentCalls {
  constructor(
    private readonly options: PaymentOptions,
    private readonly store: JournalStore,
    private readonly writer: JournalWriter,
    private readonly sender: PaymentSender,
    private readonly planned: PlannedPayments,
    private readonly places: InFlight,
    /** One call for each reference, by `journalKeyText`. */
    private readonly underWay: Map<string, CallUnderWay>,
  ) {}

  async make<T extends object>(call: MoneyCall<T>, options?: CallOptions): Promise<PaymentsResponse<T>> {
    const checked = checkCallOptions(options, call.operation);
    const limits = callLimits(this.options, checked);
    const { idempotencyKey, attempt } = checked;
    const { body, bodyHash } = writtenRequest(call);
    const asked: RequestedPayment = { bodyHash, idempotencyKey, attempt };
    return this.admit(call, limits, () => this.call(call, asked, body, limits));
  }

  async enlist<T extends object>(
    transaction: unknown,
    call: MoneyCall<T>,
    options?: EnlistOptions,
  ): Promise<EnlistedPayment<T>> {
    const { operation, payment } = call;
    const checked = checkEnlistOptions(options, operation);
    const { body, bodyHash } = writtenRequest(call);
    const asked: RequestedPayment = { bodyHash, ...checked };
    const { amount, currency } = payment;
    const key = this.keyOf(call);
    const wanted = { operation, amount, currency, bodyHash, body, ...key };
    const record = await writePlanned(this.store, transaction, asked, wanted);
    if (record.state === 'planned') this.planned.sendAfterHandlers(key);
    const { family, reference, attempt, idempotencyKey, state } = record;
    return {
      family,
      operation,
      reference,
      amount,
      attempt,
      idempotencyKey,
      state,
      send: async (sendOptions) => {
        const limits = callLimits(this.options, checkSendOptions(sendOptions, operation));
        return this.admit(call, limits, () => this.call(call, { ...asked, enlisted: true }, body, limits));
      },
    };
  }

  /** Refuses one call too many, before anything is written or sent. */
  private admit<T>(call: MoneyCall<object>, { signal }: CallLimits, make: () => Promise<T>): Promise<T> {
    const begun = this.places.begin(make);
    if (!begun) throw signal?.aborted ? signal.reason : tooManyPayments(call);
    return begun;
  }

  private async call<T extends object>(
    call: MoneyCall<T>,
    asked: RequestedPayment,
    body: string,
    limits: CallLimits,
  ): Promise<PaymentsResponse<T>> {
    const key = this.keyOf(call);
    const id = journalKeyText(key);
    for (;;) {
      if (limits.signal?.aborted) throw limits.signal.reason;
      if (this.planned.sending.has(id)) {
        await this.planned.ended(id, { ...key, operation: call.operation }, limits);
      }
      const underWay = this.underWay.get(id);
      const end = underWay
        ? await this.join(call, key, asked, underWay, limits)
        : await this.lead(id, asked, this.run(call, key, asked, body, limits));
      // Equal bodies have the same operation, and so the same type of result.
      if (end.ok) return end.value as PaymentsResponse<T>;
      if (!underWay || !end.unsent) throw end.error;
    }
  }

  /** Resolves when all running calls have ended. */
  async idle(): Promise<void> {
    await Promise.allSettled([...this.underWay.values()].map(({ end }) => end));
  }

  /**
   * Waits for the end of a pause before the payment is written down: what a killed process had written down and not sent is
   * unknown for good. What the journal forbids does not wait. Resolves to the time that it took.
   */
  private async pauseFor(payment: NewPayment, asked: RequestedPayment, limits: CallLimits): Promise<number> {
    const existing = await this.writer.find(payment, limits);
    return maySend(existing, asked, this.options) ? this.sender.afterPause(limits) : 0;
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
      const { amount, currency } = call.payment;
      const wanted = { operation: call.operation, amount, currency, bodyHash: asked.bodyHash, body, ...key };
      const waitedMs = this.sender.isPaused(limits) ? await this.pauseFor(wanted, asked, limits) : 0;
      const begun = await this.writer.begin(asked, wanted, limits);
      if ('tombstone' in begun)
        return { ok: false, error: referenceForgotten({ ...call, ...key }, begun.tombstone) };
      if ('missing' in begun) return { ok: false, error: notEnlisted({ ...call, ...key }), unsent: true };
      if ('reachedOn' in begun) return { ok: false, error: dailyCapReached(wanted, begun) };
      if (!('intent' in begun)) return existingPaymentResult(call, begun.existing, begun.refusal);
      const { intent } = begun;
      const sent = await this.sender.send(call, intent, limits, waitedMs);
      const recorded = await this.writer.end(intent, sent, limits);
      const end = paymentResult(call, sent, recorded, intent.record);
      const result = intent.isPlanned ? plannedResult(end, sent) : end;
      if (!result.ok) this.sender.announceUnknown(intent.record, result.error);
      return result;
    } catch (error) {
      const { signal } = limits;
      return { ok: false, error, ...(signal?.aborted && error === signal.reason ? { unsent: true } : {}) };
    }
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
    if (waited.ended === 'done') return joinedResult(waited.value);
    const evidence = waited.ended === 'late' ? 'in-flight' : 'aborted';
    return { ok: false, error: existingPaymentUnknown(payment, evidence) };
  }

  private keyOf({ kind, payment }: MoneyCall<object>): JournalKey {
    const { account, environment } = this.options;
    return { account, environment, family: kind, reference: payment.reference };
  }
}
