import { type ContextId, ContextIdFactory, type DiscoveryService, ModuleRef } from '@nestjs/core';
import { type PaymentWebhookEvent } from '../../common/events.js';
import { PaymentsConfigError } from '../../errors/payments-config.error.js';
import { type HandlerStep } from '../delivery/handler-steps.js';

/** A provider or controller as Nest's discovery shows it. */
export type HandlerHost = ReturnType<DiscoveryService['getProviders']>[number];

type Methods = Record<string, (...args: readonly unknown[]) => unknown>;

/** Where a handler stands in the code. */
export interface HandlerPlace {
  readonly host: HandlerHost;
  readonly prototype: object;
  readonly method: string;
}

/** A handler as its author finds it: `Orders.paid`. */
export function codeName({ prototype, method }: HandlerPlace): string {
  return `${prototype.constructor.name}.${method}`;
}

/** Calls one method of a provider; a request-scoped or transient one is made anew for every delivery. */
export function handlerStep(place: HandlerPlace, name: string): HandlerStep {
  const { host, method } = place;
  if (host.isDependencyTreeStatic() && !host.isTransient) {
    return { name, run: (event, context) => (host.instance as Methods)[method]?.(event, context) };
  }
  const moduleRef = host.host?.getProviderByKey<ModuleRef>(ModuleRef).instance;
  if (!moduleRef || host.host.controllers.has(host.token)) {
    throw new PaymentsConfigError(
      `@OnPayment of ${codeName(place)} stands in a request-scoped controller, which exists only during a request: ` +
        'move the method to a provider.',
    );
  }
  return {
    name,
    run: async (event, context) => {
      const instance = await resolvedFor(event, host, moduleRef);
      return instance[method]?.(event, context);
    },
  };
}

/** Handlers of one delivery share what is request-scoped, as everything that works on one request does. */
const contexts = new WeakMap<PaymentWebhookEvent, ContextId>();

function resolvedFor(event: PaymentWebhookEvent, host: HandlerHost, moduleRef: ModuleRef): Promise<Methods> {
  const contextId = contexts.get(event) ?? newContext(event, moduleRef);
  return moduleRef.resolve<Methods>(host.token as string, contextId, { strict: true });
}

/** The event stands where a request would: it is what `@Inject(REQUEST)` gives. */
function newContext(event: PaymentWebhookEvent, moduleRef: ModuleRef): ContextId {
  const contextId = ContextIdFactory.create();
  contexts.set(event, contextId);
  moduleRef.registerRequestByContextId(event, contextId);
  return contextId;
}
