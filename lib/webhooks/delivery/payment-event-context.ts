/**
 * What a handler is told beside the event.
 *
 * @publicApi
 */
export interface PaymentEventContext {
  /** Merchant account that the webhook belongs to. */
  readonly account: string;
  /** 1 for the first run of the handlers for this outcome; higher after a failed one. */
  readonly attempt: number;
  /** When the delivery arrived. */
  readonly deliveredAt: Date;
  /** Aborted when `handlerTimeoutMs` is over and the delivery was answered without waiting any longer. */
  readonly signal: AbortSignal;
  /** The open database transaction, where the storage commits together with the handler's writes. */
  readonly transaction?: unknown;
}
