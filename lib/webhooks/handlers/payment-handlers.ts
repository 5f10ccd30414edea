import { Injectable, type Type } from '@nestjs/common';
import { type ContextId, ContextIdFactory, DiscoveryService, ModuleRef } from '@nestjs/core';
import { PAYMENT_EVENT_NAMES, type PaymentWebhookEvent } from '../../common/events.js';
import { isHolder } from '../../common/json-object.js';
import { SafeLogger } from '../../common/safe-logger.js';
import { PaymentsConfigError } from '../../errors/payments-errors.js';
import { methodsOf, ON_PAYMENT, type OnPaymentMetadata, WEBHOOK_ROUTE } from './decorated-methods.js';
import { type PaymentEventContext } from './handler-context.js';
import { codeName, type HandlerHost, type HandlerPlace, nameWarnings } from './handler-names.js';

/** One step of the work for a delivery. */
export interface HandlerStep {
  /** For logs: `Orders.paid`. */
  readonly name: string;
  readonly run: (event: PaymentWebhookEvent, context: PaymentEventContext) => unknown;
}

interface FoundHandler {
  readonly name: string;
  readonly step: HandlerStep;
  readonly triggers: readonly OnPaymentMetadata[];
}

interface PlacedHandler extends Omit<FoundHandler, 'name'> {
  readonly place: HandlerPlace;
}

const OUTCOMES: readonly string[] = PAYMENT_EVENT_NAMES;
const TRIGGERS: readonly string[] = [
  ...OUTCOMES,
  '*',
  'payment.conflict',
  'payment.mismatch',
  'unrecognized',
];

/** The `@OnPayment` methods of the application, in the order in which Nest knows their classes. */
@Injectable()
export class PaymentHandlers {
  private readonly logger = new SafeLogger('PaymentsWebhooks');
  private readonly warned = new Set<string>();
  private found: readonly FoundHandler[] = [];
  /** By account, then by event. */
  private steps: ReadonlyMap<string, ReadonlyMap<string, readonly HandlerStep[]>> = new Map();

  /** A closure, because discovery leads to the options of every account. */
  private readonly hosts: () => readonly HandlerHost[];

  constructor(discovery: DiscoveryService) {
    this.hosts = () => [...discovery.getProviders(), ...discovery.getControllers()];
  }

  /**
   * Finds the handlers, after all providers were created. Call it again after a module was loaded.
   *
   * @throws PaymentsConfigError if one listens to an event that does not exist.
   */
  explore(): void {
    const placed = withoutAliases(this.hosts()).flatMap((host) => this.handlersOf(host));
    for (const handler of placed) this.check(handler);
    for (const warning of nameWarnings(placed)) this.warn(warning);
    this.found = placed.map(({ place, step, triggers }) => ({ name: codeName(place), step, triggers }));
    const accounts = new Set(this.listeners().map(({ account }) => account));
    this.steps = new Map([...accounts].map((account) => [account, this.stepsOf(account)]));
  }

  /** Each warning once, although later searches find the same handlers again. */
  private warn(warning: string): void {
    if (!this.warned.has(warning)) this.logger.warn(warning);
    this.warned.add(warning);
  }

  listeners(): readonly { readonly name: string; readonly account: string }[] {
    return this.found.flatMap(({ name, triggers }) => triggers.map(({ account }) => ({ name, account })));
  }

  /** Whether there is a handler for an event of an account. */
  handles(account: string, event: string): boolean {
    return this.stepsFor(account, event).length > 0;
  }

  /** The steps for an event of an account, each method once. */
  stepsFor(account: string, event: string): readonly HandlerStep[] {
    return this.steps.get(account)?.get(event) ?? [];
  }

  /**
   * The handlers of an account that a resolver knows: those of its own name, and those of the registration.
   *
   * @param registration The name of the registration; a handler without an account belongs to `default`.
   */
  ofResolver(registration: string): Pick<PaymentHandlers, 'stepsFor'> {
    return {
      stepsFor: (account, event) =>
        this.steps.has(account)
          ? this.listeningTo([account, registration], event)
          : this.stepsFor(registration, event),
    };
  }

  private stepsOf(account: string): ReadonlyMap<string, readonly HandlerStep[]> {
    return new Map(TRIGGERS.map((event) => [event, this.listeningTo([account], event)]));
  }

  private listeningTo(accounts: readonly string[], event: string): readonly HandlerStep[] {
    const listens = (trigger: OnPaymentMetadata): boolean =>
      accounts.includes(trigger.account) &&
      (trigger.event === event || (trigger.event === '*' && OUTCOMES.includes(event)));
    return this.found.filter(({ triggers }) => triggers.some(listens)).map(({ step }) => step);
  }

  private handlersOf(host: HandlerHost): PlacedHandler[] {
    const prototype = prototypeOf(host);
    return methodsOf(prototype).flatMap(({ name, method }) => {
      const triggers = Reflect.getMetadata(ON_PAYMENT, method) as OnPaymentMetadata[] | undefined;
      if (!triggers) return [];
      const place = { host, prototype: prototype as object, method: name };
      const id = triggers.find((trigger) => trigger.id !== undefined)?.id;
      const step = handlerStep(place, id ?? codeName(place));
      if (Reflect.hasMetadata(WEBHOOK_ROUTE, method)) {
        throw new PaymentsConfigError(
          `${codeName(place)} has @PaymentsWebhook and @OnPayment: take @OnPayment away, since the method of the route runs for ` +
            'every outcome, or move it to a method of its own.',
        );
      }
      return [{ place, step, triggers }];
    });
  }

  private check({ place, triggers }: PlacedHandler): void {
    for (const { event } of triggers) {
      if (TRIGGERS.includes(event)) continue;
      throw new PaymentsConfigError(
        `@OnPayment('${event}') of ${codeName(place)} never fires: write one of ${TRIGGERS.join(', ')}.`,
      );
    }
  }
}

/** One host for each instance: an alias, a factory and a value may give the instance of another provider. */
function withoutAliases(hosts: readonly HandlerHost[]): readonly HandlerHost[] {
  const instances = new Set<unknown>();
  return hosts.filter((host) => {
    if (host.isAlias) return false;
    const instance: unknown = host.instance;
    if (!isShared(host) || !isHolder(instance)) return true;
    const isFirst = !instances.has(instance);
    instances.add(instance);
    return isFirst;
  });
}

/** Whether all deliveries share one instance. */
function isShared(host: HandlerHost): boolean {
  return host.isDependencyTreeStatic() && !host.isTransient;
}

/** The prototype of a provider. A request-scoped factory has no instance yet, but its token is the class. */
function prototypeOf(host: HandlerHost): unknown {
  const instance = host.instance as unknown;
  if (isHolder(instance)) return Object.getPrototypeOf(instance);
  const madeLater = !host.isDependencyTreeStatic() && typeof host.token === 'function';
  return madeLater ? (host.token as Type).prototype : undefined;
}

type Methods = Record<string, (...args: readonly unknown[]) => unknown>;

/** Calls a method of a provider. A request-scoped or transient provider is created for every delivery. */
function handlerStep(place: HandlerPlace, name: string): HandlerStep {
  const { host, method } = place;
  if (isShared(host)) {
    return { name, run: (event, context) => (host.instance as Methods)[method]?.(event, context) };
  }
  const moduleRef = host.host?.getProviderByKey<ModuleRef>(ModuleRef).instance;
  if (!moduleRef || host.host.controllers.has(host.token)) {
    throw new PaymentsConfigError(
      `@OnPayment of ${codeName(place)} is in a request-scoped controller, which exists only during a request: ` +
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

/** The handlers of one delivery share request-scoped providers. */
const contexts = new WeakMap<PaymentWebhookEvent, ContextId>();

function resolvedFor(event: PaymentWebhookEvent, host: HandlerHost, moduleRef: ModuleRef): Promise<Methods> {
  const contextId = contexts.get(event) ?? newContext(event, moduleRef);
  return moduleRef.resolve<Methods>(host.token as string, contextId, { strict: true });
}

/** `@Inject(REQUEST)` gives the event. */
function newContext(event: PaymentWebhookEvent, moduleRef: ModuleRef): ContextId {
  const contextId = ContextIdFactory.create();
  contexts.set(event, contextId);
  moduleRef.registerRequestByContextId(event, contextId);
  return contextId;
}
