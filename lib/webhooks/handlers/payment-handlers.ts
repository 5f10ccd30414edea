import { Injectable, type Type } from '@nestjs/common';
import { type ContextId, ContextIdFactory, ModuleRef, ModulesContainer } from '@nestjs/core';
import { PAYMENT_EVENT_NAMES, type PaymentWebhookEvent } from '../../common/events.js';
import { isHolder } from '../../common/json-object.js';
import { SafeLogger } from '../../common/safe-logger.js';
import { PaymentsConfigError } from '../../errors/payments-errors.js';
import { handlerMethods, type OnPaymentMetadata, WEBHOOK_ROUTE } from './decorated-methods.js';
import { type PaymentEventContext } from './handler-context.js';
import { type HandlerModule, hostsOf, isBuilt, isShared, loadedModules } from './handler-modules.js';
import { handlerList, overrideWarnings } from './handler-report.js';
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

/** Throws for an account that does not exist; the error says what uses it. */
type AssertKnown = (account: string, usedBy: string) => void;

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

/** The modules of the application, and what is known of them. */
interface KnownModules {
  readonly modules: readonly HandlerModule[];
  /** In which nothing new can appear. */
  readonly searched: WeakSet<HandlerModule>;
  /** Those with a handler that could never run, and why. Nest keeps them after a load that rejects. */
  readonly refused: Map<HandlerModule, PaymentsConfigError>;
}

/** Takes note of a wrong handler. A module that is still loading is searched again. */
function search(module: HandlerModule, { searched, refused }: KnownModules, assertKnown: AssertKnown): void {
  const hosts = hostsOf([module]);
  if (hosts.every(isBuilt)) searched.add(module);
  try {
    for (const handler of handlersOf(hosts)) check(handler, assertKnown);
  } catch (error) {
    if (!(error instanceof PaymentsConfigError)) throw error;
    refused.set(module, error);
  }
}

/** The `@OnPayment` methods of the application, in the order in which Nest knows their classes. */
@Injectable()
export class PaymentHandlers {
  private readonly logger = new SafeLogger('PaymentsWebhooks');
  private readonly logged = new Set<string>();
  private found: readonly FoundHandler[] = [];
  /** By account, then by event. */
  private steps: ReadonlyMap<string, ReadonlyMap<string, readonly HandlerStep[]>> = new Map();
  /** A closure, because modules lead to the options of every account. */
  private readonly known: () => KnownModules;

  constructor(modules: ModulesContainer) {
    const [searched, refused] = [new WeakSet<HandlerModule>(), new Map<HandlerModule, PaymentsConfigError>()];
    this.known = () => ({ modules: [...modules.values()], searched, refused });
  }

  /**
   * Finds the handlers, after all providers were created. Call it again after each load of a module.
   *
   * @param assertKnown Throws for an account that does not exist.
   * @param loaded What the load returned. Without it, every module has to be right.
   * @throws PaymentsConfigError if a handler in one of these modules could never run. The handlers of the others are found anyway.
   */
  explore(assertKnown: AssertKnown, loaded?: ModuleRef): void {
    const known = this.known();
    const { modules, searched, refused } = known;
    const fresh = modules.filter((module) => !searched.has(module));
    for (const module of fresh) search(module, known, assertKnown);
    if (fresh.length > 0) this.collect(modules.filter((module) => !refused.has(module)));
    if (refused.size === 0) return;
    for (const module of loaded ? loadedModules(loaded, modules) : modules) {
      const error = refused.get(module);
      if (error) throw error;
    }
  }

  private collect(modules: readonly HandlerModule[]): void {
    const hosts = hostsOf(modules);
    const placed = handlersOf(hosts);
    const overrides = overrideWarnings(hosts.map(prototypeOf));
    for (const warning of [...nameWarnings(placed), ...overrides]) this.logOnce('warn', warning);
    if (placed.length > 0) this.logOnce('log', handlerList(placed));
    this.found = placed.map(({ place, step, triggers }) => ({ name: codeName(place), step, triggers }));
    const accounts = new Set(this.found.flatMap(({ triggers }) => triggers.map(({ account }) => account)));
    this.steps = new Map([...accounts].map((account) => [account, this.stepsOf(account)]));
  }

  /** Later searches find the same handlers again. */
  private logOnce(level: 'log' | 'warn', line: string): void {
    if (!this.logged.has(line)) this.logger[level](line);
    this.logged.add(line);
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
}

function handlersOf(hosts: readonly HandlerHost[]): readonly PlacedHandler[] {
  return withoutAliases(hosts.filter(isBuilt)).flatMap(handlersOfHost);
}

function handlersOfHost(host: HandlerHost): PlacedHandler[] {
  const prototype = prototypeOf(host);
  return handlerMethods(prototype).map(({ name, method, triggers }) => {
    const place = { host, prototype: prototype as object, method: name };
    const id = triggers.find((trigger) => trigger.id !== undefined)?.id;
    const step = handlerStep(place, id ?? codeName(place));
    if (method && Reflect.hasMetadata(WEBHOOK_ROUTE, method)) {
      throw new PaymentsConfigError(
        `${codeName(place)} has @PaymentsWebhook and @OnPayment: take @OnPayment away, since the method of the route runs for ` +
          'every outcome, or move it to a method of its own.',
      );
    }
    return { place, step, triggers };
  });
}

function check({ place, triggers }: PlacedHandler, assertKnown: AssertKnown): void {
  for (const { event, account } of triggers) {
    if (!TRIGGERS.includes(event)) {
      throw new PaymentsConfigError(
        `@OnPayment('${event}') of ${codeName(place)} never fires: write one of ${TRIGGERS.join(', ')}.`,
      );
    }
    assertKnown(account, `@OnPayment of ${codeName(place)}`);
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
      const instance = await resolvedFor(event, place, moduleRef);
      return instance[method]?.(event, context);
    },
  };
}

/** The handlers of one delivery share request-scoped providers. */
const contexts = new WeakMap<PaymentWebhookEvent, ContextId>();

async function resolvedFor(
  event: PaymentWebhookEvent,
  place: HandlerPlace,
  moduleRef: ModuleRef,
): Promise<Methods> {
  const contextId = contexts.get(event) ?? newContext(event, moduleRef);
  try {
    return await moduleRef.resolve<Methods>(place.host.token as string, contextId, { strict: true });
  } catch (error) {
    new SafeLogger('PaymentsWebhooks').error(
      `A provider that ${codeName(place)} needs could not be created for a webhook. For a handler @Inject(REQUEST) gives the ` +
        'event, without headers: a provider that reads them must do without.',
    );
    throw error;
  }
}

/** `@Inject(REQUEST)` gives the event. */
function newContext(event: PaymentWebhookEvent, moduleRef: ModuleRef): ContextId {
  const contextId = ContextIdFactory.create();
  contexts.set(event, contextId);
  moduleRef.registerRequestByContextId(event, contextId);
  return contextId;
}
