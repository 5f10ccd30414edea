import { DEFAULT_ACCOUNT } from '../../common/vocabulary.js';
import { type PaymentEventName } from '../../common/events.js';
import { callOptionErrors, refuseUnknown } from '../../errors/option-errors.js';
import { PaymentsConfigError } from '../../errors/payments-errors.js';
import { noteTriggers, type OnPaymentMetadata, triggersOf } from './decorated-methods.js';

/**
 * The events of `@OnPayment`: one of the specification, all four of them (`*`), events that were set aside
 * (`payment.conflict`, `payment.mismatch`), or events that the specification does not list (`unrecognized`).
 *
 * @publicApi
 */
export type PaymentTrigger =
  PaymentEventName | '*' | 'payment.conflict' | 'payment.mismatch' | 'unrecognized';

/**
 * Options of `@OnPayment`.
 *
 * @publicApi
 */
export interface OnPaymentOptions {
  /** The merchant account. @default 'default' */
  readonly account?: string;
  /**
   * Name under which the inbox remembers that the method finished, so that a repeated delivery does not run
   * it again: 1 to 100 letters, digits, dots, dashes, colons or underscores, the same in every build and
   * replica. Set it if a bundler shortens class names, or if class or method may be renamed.
   * @default class and method: `Orders.paid`
   */
  readonly id?: string;
}

const ID = /^[\w.:-]{1,100}$/;

/**
 * Runs the method for every new payment outcome, before the gateway gets its answer. If the method throws,
 * the gateway gets a 500, and its next delivery runs this method and the later ones, but none that finished.
 * If the storage runs handlers in a transaction, a throw undoes what all of them wrote, and all run again.
 * Without one, a process that dies runs it again with the next delivery: a second run must change nothing more.
 *
 * The method may be in any provider, even a request-scoped one. The application's global guards, interceptors
 * and filters do not run around it. `@Inject(REQUEST)` gives the event, without headers.
 *
 * Other decorators may stand above it and below it: what the class has under the name of the method is called. A method that
 * overrides a handler needs an `@OnPayment` of its own.
 *
 * @param event The event of the specification ("Events"), or one of the package's own triggers.
 * @param options The merchant account, if it is not the default one; a name that survives renaming and
 * bundling.
 *
 * @throws PaymentsConfigError on a static method or one whose name is a symbol, and if `id` is not valid, the
 * method has another one, or an option is unknown.
 *
 * @example
 * ```ts
 * @OnPayment('payment.success')
 * async paid(event: PaymentWebhookEvent, context: PaymentEventContext) {
 *   await this.orders.markPaid(event.data.reference, event.data.amount);
 * }
 * ```
 *
 * @example A name that no bundler shortens
 * ```ts
 * @OnPayment('payment.success', { id: 'orders.paid' })
 * async paid(event: PaymentWebhookEvent) {
 *   await this.orders.markPaid(event.data.reference, event.data.amount);
 * }
 * ```
 *
 * @publicApi
 */
export function OnPayment(event: PaymentTrigger, options: OnPaymentOptions = {}): MethodDecorator {
  refuseUnknown(options, ['account', 'id'], callOptionErrors(`@OnPayment('${event}')`));
  const { account = DEFAULT_ACCOUNT, id } = options;
  return (target, key, descriptor) => {
    if (typeof target === 'function') {
      throw new PaymentsConfigError(
        `@OnPayment('${event}') of ${target.name}.${String(key)} never fires on a static method: take \`static\` away.`,
      );
    }
    if (typeof key === 'symbol') {
      throw new PaymentsConfigError(
        `@OnPayment('${event}') of ${target.constructor.name}[${String(key)}] never fires on a method without a name: give it one.`,
      );
    }
    const method = descriptor.value as object;
    const others = triggersOf(target, key, method);
    checkId(id, others, `@OnPayment('${event}') of ${target.constructor.name}.${key}`);
    noteTriggers(target, key, method, [...others, { event, account, id }]);
  };
}

function checkId(id: unknown, others: readonly OnPaymentMetadata[], decorator: string): void {
  if (id === undefined) return;
  if (typeof id !== 'string' || !ID.test(id)) {
    throw new PaymentsConfigError(
      `${decorator} has an \`id\` that is no name: write 1 to 100 letters, digits, dots, dashes, colons or underscores, for ` +
        "example 'orders.paid'.",
    );
  }
  const other = others.find((trigger) => trigger.id !== undefined && trigger.id !== id)?.id;
  if (other === undefined) return;
  throw new PaymentsConfigError(
    `${decorator} has the \`id\` '${id}' and, by another @OnPayment, '${other}': write one for the method.`,
  );
}
