import { Injectable } from '@nestjs/common';
import { type AbstractHttpAdapter, DiscoveryService, HttpAdapterHost } from '@nestjs/core';
import { methodsOf } from '../class-methods.js';
import { GUARDED_BY_CLASS } from '../metadata-keys.js';
import { PaymentsWebhookGuard } from '../routes/payments-webhook.guard.js';
import { routeAccount } from '../routes/route-account.js';
import { WebhookAccounts } from '../webhook-accounts.js';
import { captureOnExpress, type ExpressLike } from './express.capture.js';
import { captureOnFastify, type FastifyLike } from './fastify.capture.js';
import { WebhookPaths } from './webhook-paths.js';

/** Where Nest keeps the guards of a class or method. */
const GUARDS = '__guards__';

/**
 * Keeps the raw bytes of webhook deliveries, whatever main.ts does with body parsers.
 *
 * It must be first in line, so it waits for the HTTP adapter in its constructor: the parsers are registered later in
 * every way of starting an application, `@nestjs/testing` included. Where there is no HTTP adapter it does nothing.
 */
@Injectable()
export class RawBodyCapture {
  private accountOfNewRoute: string | undefined;

  constructor(
    private readonly host: HttpAdapterHost,
    private readonly discovery: DiscoveryService,
    private readonly paths: WebhookPaths,
    private readonly accounts: WebhookAccounts,
  ) {
    host.init$.subscribe(() => {
      this.install();
    });
  }

  private install(): void {
    const adapter = this.host.httpAdapter as AbstractHttpAdapter | undefined | null;
    if (!adapter) return;
    this.markRoutesGuardedByClass();
    this.watchRoutes(adapter);
    if (adapter.getType() === 'express') {
      captureOnExpress(adapter.getInstance<ExpressLike>(), (method, path) => {
        const account = method === 'POST' ? this.paths.accountAt(path) : undefined;
        return account === undefined ? undefined : this.bodyLimitOf(account);
      });
    }
    if (adapter.getType() === 'fastify') {
      captureOnFastify(
        adapter.getInstance<FastifyLike>(),
        () => this.accountOfNewRoute,
        (account) => this.bodyLimitOf(account),
      );
    }
  }

  private bodyLimitOf(account: string): number | undefined {
    return this.accounts.find(account)?.bodyLimit;
  }

  /**
   * Only Nest knows the final path of a route, and it tells the adapter when it registers it. The handler it passes
   * carries the metadata of the controller's method.
   */
  private watchRoutes(adapter: AbstractHttpAdapter): void {
    const routable = adapter as unknown as { post: (...args: readonly unknown[]) => unknown };
    const register = routable.post;
    routable.post = (...args) => {
      const [path, handler] = args;
      const isRoute = typeof path === 'string' && typeof handler === 'function';
      this.accountOfNewRoute = isRoute ? this.note(path, handler) : undefined;
      try {
        return register.apply(adapter, [...args]);
      } finally {
        this.accountOfNewRoute = undefined;
      }
    };
  }

  /** Remembers a route that receives webhooks; gives its account, and undefined for any other route. */
  private note(path: string, handler: object): string | undefined {
    const dispatchedTo = routeAccount(handler);
    const account = dispatchedTo ?? guardedAccount(handler);
    if (account === undefined) return undefined;
    this.paths.add({ path, account, dispatches: dispatchedTo !== undefined });
    return account;
  }

  /** `@UseGuards(PaymentsWebhookGuard)` on a class is invisible in the metadata of its methods. */
  private markRoutesGuardedByClass(): void {
    for (const { metatype } of this.discovery.getControllers()) {
      const account = metatype && guardedAccount(metatype);
      if (account === undefined || !metatype) continue;
      for (const { method } of methodsOf(metatype.prototype)) {
        Reflect.defineMetadata(GUARDED_BY_CLASS, account, method);
      }
    }
  }
}

/** The account whose webhooks a guard lets pass; undefined where none guards. */
function guardedAccount(target: object): string | undefined {
  const guards = (Reflect.getMetadata(GUARDS, target) ?? []) as readonly unknown[];
  const account = guards.find(isWebhookGuard)?.account;
  return account ?? (Reflect.getMetadata(GUARDED_BY_CLASS, target) as string | undefined);
}

function isWebhookGuard(guard: unknown): guard is typeof PaymentsWebhookGuard {
  return (
    guard === PaymentsWebhookGuard ||
    (typeof guard === 'function' && guard.prototype instanceof PaymentsWebhookGuard)
  );
}
