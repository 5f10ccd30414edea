import { Injectable, type Type, VERSION_NEUTRAL } from '@nestjs/common';
import { type AbstractHttpAdapter, DiscoveryService, HttpAdapterHost } from '@nestjs/core';
import { publishDiagnostics } from '../../common/diagnostics.js';
import { WEBHOOK_REFUSED_CHANNEL } from '../../common/webhook-diagnostics.js';
import { DECLARED_ROUTE, webhookRoute } from '../handlers/decorated-methods.js';
import { postMethods } from './declared-routes.js';
import { EarlierRoutes, type PostRoute } from './earlier-routes.js';
import { type MethodOwner, ownersAt } from './method-owners.js';
import { accountParameter } from './payments-webhook.guard.js';
import { earlierParsers, lastRouteMatcher } from '../raw-body/express-router.js';
import { captureOnExpress, type ExpressLike, settleBeforeParsers } from '../raw-body/express-raw-body.js';
import { captureOnFastify, type FastifyLike } from '../raw-body/fastify-raw-body.js';
import { type OnOtherStatus } from '../raw-body/answered-request.js';
import { type BodyRefusal, UnverifiedBytes } from '../raw-body/captured-body.js';
import { WebhookRefusalFilter } from '../raw-body/webhook-refusal.js';
import { type RouteAccount } from '../delivery/route-account.js';
import { watchReplacedMethod } from './replaced-method.js';
import { ForeignAnswersLog } from './foreign-answers.log.js';
import { WebhookPaths } from './webhook-paths.js';

/** Nest's metadata key for the exception filters of a class or method. */
const FILTERS = '__exceptionFilters__';

type Method = (...args: readonly unknown[]) => unknown;
type WatchedAdapter = Record<'post' | 'all' | 'init' | 'applyVersionFilter', Method>;
/**
 * Set on a handler that takes only some versions of its path: which ones. A property, because Nest copies it to wrappers.
 */
const VERSIONS = Symbol('nestjs-payments.versions');

/**
 * Keeps the raw bytes of webhook deliveries, whatever main.ts does with body parsers.
 *
 * It must come first, so it waits for the HTTP adapter in its constructor: every way to start an application,
 * even `@nestjs/testing`, registers parsers later. Without an HTTP adapter it does nothing.
 */
@Injectable()
export class RawBodyCapture {
  private accountsOfNewRoute: readonly RouteAccount[] = [];
  /** Where the first route that matches takes a request. */
  private express: ExpressLike | undefined;
  private readonly onOtherStatus: OnOtherStatus = (answered) => {
    this.foreignAnswers.report(answered);
  };

  /** A closure, because it leads to the options of every account. */
  private readonly discovery: () => DiscoveryService;

  constructor(
    private readonly host: HttpAdapterHost,
    discovery: DiscoveryService,
    private readonly paths: WebhookPaths,
    private readonly earlier: EarlierRoutes,
    private readonly unverified: UnverifiedBytes,
    private readonly foreignAnswers: ForeignAnswersLog,
  ) {
    this.discovery = () => discovery;
    host.init$.subscribe(() => {
      this.install();
    });
  }

  private install(): void {
    const adapter = this.host.httpAdapter as AbstractHttpAdapter | undefined | null;
    if (!adapter) return;
    this.markDeclaredRoutes();
    this.watchRoutes(adapter);
    if (adapter.getType() === 'express') this.installOnExpress(adapter);
    if (adapter.getType() === 'fastify') {
      captureOnFastify(
        adapter.getInstance<FastifyLike>(),
        () => this.accountsOfNewRoute,
        (accounts, parameters) => this.paths.limitsOf(accounts, accountParameter(parameters)),
        this.unverified,
        this.onOtherStatus,
      );
    }
  }

  private installOnExpress(adapter: AbstractHttpAdapter): void {
    const app = adapter.getInstance<ExpressLike>();
    this.express = app;
    this.paths.earlierParsers.push(...earlierParsers(app));
    const keep = captureOnExpress(app, this.paths, this.unverified, this.onOtherStatus);
    // Nest calls it right before it registers its parsers, and may call it twice.
    let isSettled = false;
    around(adapter, 'init', async (init) => {
      await init();
      if (!isSettled) settleBeforeParsers(app, this.paths, keep, noteRefusal);
      isSettled = true;
    });
  }

  /** The handler that Nest passes to the adapter carries the metadata of the controller's method. */
  private markDeclaredRoutes(): void {
    // A controller is registered by its class, maybe in several modules.
    const controllers = new Set(
      this.discovery()
        .getControllers()
        .map(({ metatype }) => metatype as Type),
    );
    for (const [method, owners] of postMethods(controllers)) {
      Reflect.defineMetadata(DECLARED_ROUTE, method, method);
      this.paths.declare(method, owners);
      // Nest builds the routes later.
      if (!owners.some(({ webhook }) => webhook?.dispatches)) continue;
      putRefusalFilterLast(method);
      if (webhookRoute(method)?.runs !== method) watchReplacedMethod(method);
    }
  }

  /** Only Nest knows the final path of a route, and passes it to the adapter at registration. */
  private watchRoutes(adapter: AbstractHttpAdapter): void {
    around(adapter, 'post', (register, path, handler) => {
      const owners = this.ownersOf(path, handler);
      this.accountsOfNewRoute = this.note(path, handler, owners);
      try {
        return this.inOrder('POST', register, path, handler, owners);
      } finally {
        this.accountsOfNewRoute = [];
      }
    });
    around(adapter, 'applyVersionFilter', (apply, _handler, version) => {
      const filter = apply();
      const versions = [version].flat();
      return version === VERSION_NEUTRAL ? filter : Object.assign(filter as Method, { [VERSIONS]: versions });
    });
    around(adapter, 'all', (register, path, handler) => {
      if (typeof path === 'string') this.paths.addOther(path);
      return this.inOrder('ALL', register, path, handler, this.ownersOf(path, handler));
    });
  }

  /** The methods that a new route may be; several if nothing tells the controllers apart that share its method and path. */
  private ownersOf(path: unknown, handler: unknown): readonly MethodOwner[] {
    if (typeof path !== 'string' || typeof handler !== 'function') return [];
    const method = Reflect.getMetadata(DECLARED_ROUTE, handler) as object | undefined;
    return method ? ownersAt(path, handler.name, this.paths.ownersOf(method)) : [];
  }

  /** Remembers a route. Returns the accounts whose webhooks it may receive: if there are several, its guard decides. */
  private note(path: unknown, handler: unknown, owners: readonly MethodOwner[]): readonly RouteAccount[] {
    if (typeof path !== 'string' || typeof handler !== 'function') return [];
    const routes = owners.flatMap(({ webhook }) => webhook ?? []);
    if (routes.length === 0 || routes.length < owners.length) this.paths.addOther(path);
    return routes.map((route) => this.paths.add({ ...route, path, passesOn: VERSIONS in handler }));
  }

  /** Registers a route, and remembers which paths Express gives it. */
  private inOrder(
    verb: PostRoute['verb'],
    register: () => unknown,
    path: unknown,
    handler: unknown,
    owners: readonly MethodOwner[],
  ): unknown {
    const registered = register();
    if (this.express && typeof path === 'string' && typeof handler === 'function') {
      const { [VERSIONS]: versions } = handler as { readonly [VERSIONS]?: readonly unknown[] };
      this.earlier.add({ verb, path, owners, versions, matches: lastRouteMatcher(this.express, path) });
    }
    return registered;
  }
}

/**
 * Moves the package's filter behind the other filters of a route's method. Nest asks the last one first, and a decorator
 * above `@PaymentsWebhook` comes after its filter: one that catches everything would answer 200 to a failed delivery.
 */
function putRefusalFilterLast(method: object): void {
  const filters = (Reflect.getMetadata(FILTERS, method) ?? []) as readonly unknown[];
  const isOwn = (filter: unknown): boolean => filter instanceof WebhookRefusalFilter;
  const others = filters.filter((filter) => !isOwn(filter));
  Reflect.defineMetadata(FILTERS, [...others, ...filters.filter(isOwn)], method);
}

function noteRefusal(account: string, status: BodyRefusal): void {
  publishDiagnostics(WEBHOOK_REFUSED_CHANNEL, () => ({ account, status }));
}

function around(
  adapter: AbstractHttpAdapter,
  name: keyof WatchedAdapter,
  run: (call: () => unknown, ...args: readonly unknown[]) => unknown,
): void {
  const watched = adapter as unknown as WatchedAdapter;
  const method = watched[name];
  watched[name] = (...args) => run(() => method.apply(adapter, [...args]), ...args);
}
