import { type ContextId, ContextIdFactory, type DiscoveryService, ModuleRef } from '@nestjs/core';
import { type PaymentWebhookEvent } from '../../common/events.js';
import { PaymentsConfigError } from '../../errors/payments-errors.js';
import { type PaymentEventContext } from './handler-context.js';

/** One piece of the work for a delivery. */
export interface HandlerStep {
  /** For logs: `Orders.paid`. */
  readonly name: string;
  readonly run: (event: PaymentWebhookEvent, context: PaymentEventContext) => unknown;
}

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

/** A handler and the name under which the inbox remembers it. */
export interface NamedHandler {
  readonly place: HandlerPlace;
  readonly step: { readonly name: string };
}

/** What a bundler leaves of a class name, or a class without any. */
const SHORTENED = /^[\w$]{0,2}$/;

/** What is to be said at boot about names that would not tell one handler from another, in this build or the next. */
export function nameWarnings(handlers: readonly NamedHandler[]): readonly string[] {
  const names = [...new Set(handlers.map(({ step }) => step.name))];
  return [...names.flatMap((name) => sharedName(name, handlers)), ...shortenedNames(handlers)];
}

function sharedName(name: string, handlers: readonly NamedHandler[]): readonly string[] {
  const [first, ...others] = handlers.filter(({ step }) => step.name === name).map(({ place }) => place);
  if (!first || others.length === 0) return [];
  if (others.every((other) => isSameMethod(other, first))) {
    return [
      `${name} was found in more than one provider and runs once for each: provide its class in one module only.`,
    ];
  }
  const places = [first, ...others].map(codeName).join(', ');
  return [
    `${others.length + 1} handlers share the name '${name}' (${places}). The inbox tells them apart by their order alone, which ` +
      "another build may change: give each an id of its own, for example @OnPayment('payment.success', { id: 'orders.paid' }).",
  ];
}

function isSameMethod(one: HandlerPlace, other: HandlerPlace): boolean {
  return one.prototype === other.prototype && one.method === other.method;
}

function shortenedNames(handlers: readonly NamedHandler[]): readonly string[] {
  const unnamed = handlers.filter(
    ({ place, step }) => step.name === codeName(place) && SHORTENED.test(place.prototype.constructor.name),
  );
  if (unnamed.length === 0) return [];
  const places = unnamed.map(({ place }) => codeName(place)).join(', ');
  return [
    `A bundler seems to have shortened the class names of the handlers ${places}: with other names in the next build, those that ` +
      "finished may run again. Give each an id, for example @OnPayment('payment.success', { id: 'orders.paid' }), or let the " +
      'bundler keep names.',
  ];
}
