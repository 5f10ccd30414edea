import { type PaymentWebhookEvent } from './events.js';
import { type JournalEntry } from './journal-port.js';
import { type MoneyOperation, type PaymentFamily } from './operations.js';
import { type OutcomeEvidence } from './outcome-evidence.js';

/**
 * A payment of which nobody knows whether the money moved.
 *
 * @publicApi
 */
export interface UnknownPayment {
  /** Name of the merchant account. */
  readonly account: string;
  /** Money in, or money out. */
  readonly family: PaymentFamily;
  /** Which operation was called. */
  readonly operation: MoneyOperation;
  /** The merchant's reference. */
  readonly reference: string;
  /** The `Idempotency-Key` that was sent, for the gateway's support. */
  readonly idempotencyKey: string;
  /** What was seen instead of a clear answer. */
  readonly evidence: OutcomeEvidence;
}

/**
 * Which merchant account an event belongs to: the second argument of every listener.
 *
 * @publicApi
 */
export interface PaymentsEventOrigin {
  /** Its name; `default` where it was given none. */
  readonly account: string;
}

/**
 * What the application's `@nestjs/event-emitter` is told, by event name. It is told once, after the work is done and
 * recorded; a listener that fails is logged and changes nothing. What must not get lost belongs into an `@OnPayment`
 * handler: nobody is told again, neither after a crash nor on another replica.
 *
 * @example
 * ```ts
 * @OnEvent('payment.success')
 * paid(event: PaymentsEvents['payment.success'], { account }: PaymentsEventOrigin) {
 *   this.sockets.tellCustomer(event.data.reference);
 * }
 * ```
 *
 * @publicApi
 */
export interface PaymentsEvents {
  /** The customer paid. */
  readonly 'payment.success': PaymentWebhookEvent;
  /** The payment failed; no money moved. */
  readonly 'payment.failed': PaymentWebhookEvent;
  /** The customer or the provider cancelled; no money moved. */
  readonly 'payment.cancelled': PaymentWebhookEvent;
  /** Nobody authorized the payment in time; no money moved. */
  readonly 'payment.expired': PaymentWebhookEvent;
  /** The webhook contradicts what stands for its reference. `PaymentsInbox.conflicts()` lists it. */
  readonly 'payment.conflict': PaymentWebhookEvent;
  /** The webhook contradicts itself, or the amount of its payment. `PaymentsInbox.conflicts()` lists it. */
  readonly 'payment.mismatch': PaymentWebhookEvent;
  /** A call that sent a payment ended with `PaymentOutcomeUnknownError`. */
  readonly 'payment.unknown': UnknownPayment;
  /** Nothing was heard of a payment for longer than `staleAfterMs`. Told by the replica whose `recover()` found it. */
  readonly 'payment.stale': JournalEntry;
}
