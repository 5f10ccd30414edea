/**
 * The second argument of a handler. `Transaction` is the type of `transaction`, which the storage decides: for example
 * `PaymentEventContext<EntityManager>`.
 *
 * @publicApi
 */
export interface PaymentEventContext<Transaction = unknown> {
  /** Merchant account that the webhook belongs to. */
  readonly account: string;
  /** 1 for the first run of the handlers for this outcome; higher after a failed run. */
  readonly attempt: number;
  /**
   * Whether the journal knows the payment. It is true even if the webhook comes before the answer of the
   * call, because the payment is written down before it is sent, and after a purge as long as the journal
   * keeps a tombstone. False: another system of the account made the payment, or the storage lost it (memory,
   * after a restart). Amount and currency were compared only if the journal still holds them.
   */
  readonly known: boolean;
  /** When the delivery arrived. */
  readonly deliveredAt: Date;
  /** Fires when `handlerTimeoutMs` is over and the delivery was answered without the handlers. */
  readonly signal: AbortSignal;
  /**
   * The open database transaction, if the storage commits together with the handler's writes. It is over when
   * the handlers have ended: await everything that uses it.
   */
  readonly transaction: Transaction;
}

/** The time that the handlers of one delivery have. */
export class HandlerTime {
  /** The error after the time is up; undefined before. */
  timeoutError: Error | undefined;
  private controller: AbortController | undefined;

  /** Created on demand, because it costs more than a claim and few handlers use it. */
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

export class DeliveryContext implements PaymentEventContext {
  declare readonly signal: AbortSignal;
  declare readonly transaction: unknown;
  declare private readonly [TIME]: HandlerTime;

  constructor(
    readonly account: string,
    readonly attempt: number,
    readonly known: boolean,
    readonly deliveredAt: Date,
    time: HandlerTime,
    transaction: unknown,
  ) {
    // Not enumerable: tests of an application compare whole contexts.
    Object.defineProperty(this, TIME, { value: time });
    // An own property, so that copies have it. One descriptor for all, so that contexts have one shape.
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
