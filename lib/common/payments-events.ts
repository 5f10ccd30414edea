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
  readonly account: string;
  readonly family: PaymentFamily;
  readonly operation: MoneyOperation;
  /** The merchant's reference. */
  readonly reference: string;
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
  readonly account: string;
}

/**
 * What the application's `@nestjs/event-emitter` is told, by event name. It is told once, after the work is done and
 * recorded; a listener that fails is logged and changes nothing. What must not get lost belongs into an `@OnPayment`
 * handler: nobody is told again, neither after a crash nor on another replica.
 *
 * @example
 * @OnEvent('payment.success')
 * paid(event: PaymentsEvents['payment.success'], { account }: PaymentsEventOrigin) {
 *   this.sockets.tellCustomer(event.data.reference);
 * }
 *
 * @publicApi
 */
export interface PaymentsEvents {
  readonly 'payment.success': PaymentWebhookEvent;
  readonly 'payment.failed': PaymentWebhookEvent;
  readonly 'payment.cancelled': PaymentWebhookEvent;
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
