import { type HandlerTime } from './handler-time.js';
import { type PaymentEventContext } from './payment-event-context.js';

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
