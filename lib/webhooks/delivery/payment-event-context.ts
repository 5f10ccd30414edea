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
  /**
   * Whether this application made the payment, as far as the journal knows. A payment is written down before it is sent, so
   * this is true also where the webhook comes before the answer of the call, and after a purge while the journal keeps a
   * tombstone. False: another system of the account made the payment, or the storage lost it (memory, after a restart).
   * Amount and currency are compared with those of the payment only where the journal still holds them.
   */
  readonly known: boolean;
  /** When the delivery arrived. */
  readonly deliveredAt: Date;
  /** Aborted when `handlerTimeoutMs` is over and the delivery was answered without waiting any longer. */
  readonly signal: AbortSignal;
  /**
   * The open database transaction, where the storage commits together with the handler's writes. Never end it: an ORM's own
   * `transaction()` on it would commit for good, and the delivery would come again.
   */
  readonly transaction?: unknown;
}
