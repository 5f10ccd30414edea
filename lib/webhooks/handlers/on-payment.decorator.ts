import { DEFAULT_ACCOUNT } from '../../common/account.js';
import { type PaymentEventName } from '../../common/events.js';
import { PaymentsConfigError } from '../../errors/payments-config.error.js';
import { ON_PAYMENT, type OnPaymentMetadata } from '../metadata-keys.js';

/**
 * What `@OnPayment` can listen to: an event of the specification, all four of them (`*`), what was set aside
 * (`payment.conflict`, `payment.mismatch`), or an event whose name the specification does not know.
 *
 * @publicApi
 */
export type PaymentTrigger =
  PaymentEventName | '*' | 'payment.conflict' | 'payment.mismatch' | 'unrecognized';

/**
 * Runs the method for every new payment outcome, before the gateway is answered. It is awaited: where it throws, the
 * gateway is answered 500 and the delivery runs again: this method and what comes after it, not those that finished. Where
 * the storage runs handlers in a transaction, what all of them wrote is undone, and all run again.
 *
 * The method may stand in any provider, request-scoped ones included; the application's global guards, interceptors
 * and filters do not run around it.
 *
 * @param event The event of the specification ("Events"), or one of the package's own triggers.
 * @param options The merchant account, where it is not the default one.
 *
 * @throws PaymentsConfigError on a static method.
 *
 * @example
 * ```ts
 * @OnPayment('payment.success')
 * async paid(event: PaymentWebhookEvent, context: PaymentEventContext) {
 *   await this.orders.markPaid(event.data.reference, event.data.amount);
 * }
 * ```
 *
 * @publicApi
 */
export function OnPayment(
  event: PaymentTrigger,
  { account = DEFAULT_ACCOUNT }: { readonly account?: string } = {},
): MethodDecorator {
  return (target, key, descriptor) => {
    if (typeof target === 'function') {
      throw new PaymentsConfigError(
        `@OnPayment('${event}') of ${target.name}.${String(key)} never fires on a static method: take \`static\` away.`,
      );
    }
    const method = descriptor.value as object;
    const others = (Reflect.getMetadata(ON_PAYMENT, method) ?? []) as readonly OnPaymentMetadata[];
    Reflect.defineMetadata(ON_PAYMENT, [...others, { event, account }], method);
  };
}
