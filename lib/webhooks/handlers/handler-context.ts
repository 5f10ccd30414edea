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
   * Whether this application made the payment, as far as the journal knows. A payment is written down before
   * it is sent, so this is true also where the webhook comes before the answer of the call, and after a purge
   * while the journal keeps a tombstone. False: another system of the account made the payment, or the
   * storage lost it (memory, after a restart). Amount and currency are compared with those of the payment
   * only where the journal still holds them.
   */
  readonly known: boolean;
  /** When the delivery arrived. */
  readonly deliveredAt: Date;
  /** Aborted when `handlerTimeoutMs` is over and the delivery was answered without waiting any longer. */
  readonly signal: AbortSignal;
  /**
   * The open database transaction, where the storage commits together with the handler's writes. Never end
   * it: an ORM's own `transaction()` on it would commit for good, and the delivery would come again.
   */
  readonly transaction?: unknown;
}

/** The time that the handlers of one delivery have. */
export class HandlerTime {
  /** The error after the time is up; undefined before. */
  timeoutError: Error | undefined;
  private controller: AbortController | undefined;

  /** Made for whoever asks: few handlers do, and it would cost more than to claim the delivery. */
  get signal(): AbortSignal {
    this.controller ??= new AbortController();
    if (this.timeoutError) this.controller.abort(this.timeoutError);
    return this.controller.signal;
  }

  end(reason: Error): void {
    this.timeoutError = reason;
    this.controller?.abort(reason);
  }
}

const TIME = Symbol('nestjs-payments.handler-time');

/** What the handlers of one delivery are told. */
export class DeliveryContext implements PaymentEventContext {
  declare readonly signal: AbortSignal;
  declare readonly transaction?: unknown;
  declare private readonly [TIME]: HandlerTime;

  constructor(
    readonly account: string,
    readonly attempt: number,
    readonly known: boolean,
    readonly deliveredAt: Date,
    time: HandlerTime,
    transaction: unknown,
  ) {
    // Not enumerable: tests of an application compare what a handler was told as a whole.
    Object.defineProperty(this, TIME, { value: time });
    // Of the object itself, so that a copy of the context has it too; the same for all, so that they stay of one shape.
    Object.defineProperty(this, 'signal', SIGNAL);
    if (transaction !== undefined) this.transaction = transaction;
  }

  static signalOf(context: DeliveryContext): AbortSignal {
    return context[TIME].signal;
  }
}

const SIGNAL: PropertyDescriptor & ThisType<DeliveryContext> = {
  enumerable: true,
  get() {
    return DeliveryContext.signalOf(this);
  },
};
