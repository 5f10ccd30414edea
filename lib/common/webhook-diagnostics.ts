import { type PaymentEventName } from './events.js';
import { type InboxKind } from './vocabulary.js';
import { type ContextualEvent } from './run-in-context.js';

/**
 * Work on a verified webhook begins.
 *
 * @publicApi
 */
export const WEBHOOK_START_CHANNEL = 'nestjs-payments:webhook:start';

/**
 * One step of the work on a webhook begins: a handler, the method of the route, or what the package itself writes down.
 *
 * @publicApi
 */
export const WEBHOOK_HANDLER_START_CHANNEL = 'nestjs-payments:webhook:handler-start';

/**
 * One step of the work on a webhook is over.
 *
 * @publicApi
 */
export const WEBHOOK_HANDLER_END_CHANNEL = 'nestjs-payments:webhook:handler-end';

/**
 * It is decided how a webhook is answered. A handler that took too long may still run.
 *
 * @publicApi
 */
export const WEBHOOK_END_CHANNEL = 'nestjs-payments:webhook:end';

/**
 * A webhook was refused before it was looked at: its signature, its size, its content.
 *
 * @publicApi
 */
export const WEBHOOK_REFUSED_CHANNEL = 'nestjs-payments:webhook:refused';

/**
 * Which webhook an event belongs to. No event holds a payload or anything about a customer.
 *
 * @publicApi
 */
export interface WebhookSubject {
  /** The same in every event of one delivery; unique within the process. */
  readonly deliveryId: number;
  /** Name of the merchant account. */
  readonly account: string;
  /** `unrecognized`: a name that the specification does not know. */
  readonly event: PaymentEventName | 'unrecognized';
  /** The merchant's reference. */
  readonly reference: string;
}

/**
 * Where a webhook comes from.
 *
 * @publicApi
 */
export interface WebhookStartEvent extends WebhookSubject, ContextualEvent {
  /**
   * - `request`: from the gateway.
   * - `queue`: it was stored before, and a worker has its turn.
   * - `release`: `PaymentsInbox.release` lets its handlers run after all.
   */
  readonly source: 'request' | 'queue' | 'release';
}

/**
 * Which step begins.
 *
 * @publicApi
 */
export interface WebhookHandlerStartEvent extends WebhookSubject, ContextualEvent {
  /** Class and method: `Orders.paid`; `PaymentsJournal` and `PaymentsInbox` are the package's own steps. */
  readonly handler: string;
  /** 1 for the first run of the handlers for this outcome. */
  readonly attempt: number;
}

/**
 * How a step ended.
 *
 * @publicApi
 */
export interface WebhookHandlerEndEvent extends Omit<WebhookHandlerStartEvent, 'runInContext'> {
  /** `failed`: it threw. */
  readonly outcome: 'success' | 'failed';
  /** Name of the error's class, if it threw one. */
  readonly error?: string;
  /** How long the step took, in milliseconds. */
  readonly durationMs: number;
}

/**
 * How a webhook was answered.
 *
 * @publicApi
 */
export interface WebhookEndEvent extends WebhookSubject {
  /** As when it began: a webhook that went through the queue ends for the request, and again for the worker. */
  readonly source: WebhookStartEvent['source'];
  /** What the inbox knows it as; absent if it was not asked: the work was queued, or could not begin. */
  readonly kind?: InboxKind;
  /**
   * - `handled`: the handlers ran, and that is written down; or it was set aside for the reason that `kind` names.
   * - `repeated`: it had been handled before.
   * - `queued`: it is stored for a worker.
   * - `ignored`: the journal does not know its payment, and the option `webhooks.unknownReferences` is
   *   `acknowledge`.
   * - `failed`: a handler threw; the next delivery runs again.
   * - `later`: the gateway is to come again: the same webhook is being handled, a handler took too long, the
   *   storage does not answer, or the application stops.
   */
  readonly result: 'handled' | 'repeated' | 'queued' | 'ignored' | 'failed' | 'later';
  /** HTTP status that goes with `result`. It is sent to nobody if a worker or `PaymentsInbox.release()` ran the webhook. */
  readonly status: 200 | 500 | 503;
  /** How long the work took, in milliseconds. */
  readonly durationMs: number;
}

/**
 * A webhook that was refused.
 *
 * @publicApi
 */
export interface WebhookRefusedEvent {
  /**
   * Name of the merchant account. That of the registration if the path named an account that does not exist or was not
   * looked up: strangers choose such names.
   */
  readonly account: string;
  /** The HTTP status of the answer: 401 if the signature was wrong. */
  readonly status: number;
}
