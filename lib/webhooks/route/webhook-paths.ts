import { Injectable } from '@nestjs/common';
import { PaymentsConfigError } from '../../errors/payments-errors.js';
import { type DeliveryCheck } from '../delivery/delivery-check.js';
import { type DeliveryLimits } from '../delivery/delivery-head.js';
import {
  accountNamedBy,
  accountOfRoute,
  NAMED_BY_PATH,
  type RouteAccount,
} from '../delivery/route-account.js';
import { WebhookAccounts } from '../delivery/webhook-accounts.js';
import { type ExpectedDelivery } from '../raw-body/captured-body.js';
import { type DeclaredRoute, type MethodOwner } from './method-owners.js';

/** A webhook route with its final path, prefixes and versions included. */
export interface WebhookPath extends Omit<DeclaredRoute, 'account'> {
  readonly account: RouteAccount;
  readonly path: string;
  /** Whether it passes requests of other versions to the next route or middleware. */
  readonly passesOn: boolean;
}

interface WebhookRoute extends WebhookPath {
  readonly pattern: RegExp;
  /** Other routes that may have the same path. */
  readonly rivals: RegExp[];
}

/** The account that a request to a route is for. */
interface RequestedAccount {
  /** Undefined if the path names none that could exist. */
  readonly name: string | undefined;
  readonly check: DeliveryCheck | undefined;
}

/** Characters that the router reads as a pattern. */
const PATTERN = /[*{}()\\]/;

/** The webhook routes, and other routes that may take their requests. */
@Injectable()
export class WebhookPaths {
  private readonly routes: WebhookRoute[] = [];
  private readonly others: RegExp[] = [];
  /** By method. */
  private readonly declared = new Map<object, readonly MethodOwner[]>();
  private readonly registered = new Set<object>();
  /** The last answer of `at`, because a gateway uses one path. */
  private last: { readonly path: string; readonly expected: ExpectedDelivery | undefined } | undefined;

  /** Body parsers that read a delivery before the package does: `jsonParser`. */
  readonly earlierParsers: string[] = [];

  constructor(private readonly accounts: WebhookAccounts) {}

  /** Notes a method that takes POST requests. If it receives webhooks, Nest must register its route. */
  declare(method: object, owners: readonly MethodOwner[]): void {
    this.declared.set(method, owners);
  }

  /** The controllers that have a method; none if this application has not declared it, as another one may have. */
  ownersOf(method: object): readonly MethodOwner[] {
    return this.declared.get(method) ?? [];
  }

  /**
   * Adds a route once, although Nest may register its path for each version. Returns the account of the route.
   *
   * @throws PaymentsConfigError if the path is a pattern.
   */
  add(route: DeclaredRoute & Pick<WebhookPath, 'path' | 'passesOn'>): RouteAccount {
    const { path, isHostBound } = route;
    if (PATTERN.test(path)) {
      throw new PaymentsConfigError(
        `The path ${path} of a webhook route holds a pattern: write a plain path, parameters such as :tenant included.`,
      );
    }
    this.registered.add(route.method);
    this.last = undefined;
    const account = accountOfRoute(route.account, path);
    if (this.has(route)) return account;
    this.routes.push({
      ...route,
      account,
      pattern: patternOf(path),
      rivals: isHostBound ? [/^/] : this.rivalsOf(path),
    });
    return account;
  }

  addOther(path: string): void {
    const other = patternOf(path);
    this.others.push(other);
    this.last = undefined;
    // A later route with the same path has another version or host, or nobody could reach it.
    for (const route of this.sharing(other)) route.rivals.push(other);
  }

  /** The delivery that a POST request to this path may be; undefined if no webhook route has the path. */
  at(path: string): ExpectedDelivery | undefined {
    if (this.last?.path !== path) this.last = { path, expected: this.find(path) };
    return this.last.expected;
  }

  private find(path: string): ExpectedDelivery | undefined {
    const matching = this.routes.filter(({ pattern }) => pattern.test(path));
    const [route] = matching;
    if (!route) return undefined;
    // Several accounts may share a path with different versions or hosts.
    const requested = matching.map((one) => this.requestedOf(one, path));
    const [first] = requested;
    const isOurs =
      requested.every(({ name }) => name === first?.name) && !route.rivals.some((rival) => rival.test(path));
    return {
      path,
      limits: loosestLimits(requested.map(({ check }) => limitsOfCheck(check))),
      receiver: isOurs ? first?.check : undefined,
      ...(isOurs &&
        route.account === NAMED_BY_PATH && {
          find: (bytes: number) => this.accounts.named(first?.name, bytes),
        }),
      // Below another parameter a middleware may answer some of the paths itself.
      isCertain: isOurs && !route.passesOn && !hasOtherParameters(route),
    };
  }

  private requestedOf({ account, path: route }: WebhookPath, path: string): RequestedAccount {
    if (account !== NAMED_BY_PATH) return { name: account, check: this.accounts.find(account) };
    const name = accountNamedBy(path, route);
    return { name, check: this.accounts.checkFor(name) };
  }

  /**
   * Undefined if the application gives the bytes with `webhooks.rawBody`, so that nothing is read here.
   *
   * @param accounts Of the route; several if nobody knows which of them it is.
   * @param named The account that the path names, if the path of the route names it.
   */
  limitsOf(accounts: readonly RouteAccount[], named: string | undefined): DeliveryLimits | undefined {
    const checks = accounts.map((account) =>
      account === NAMED_BY_PATH ? this.accounts.checkFor(named) : this.accounts.find(account),
    );
    return loosestLimits(checks.map(limitsOfCheck));
  }

  all(): readonly WebhookPath[] {
    return this.routes;
  }

  /**
   * @throws PaymentsConfigError if Nest did not register a declared route, which would answer webhooks with
   * 500.
   */
  assertRegistered(): void {
    const missing = [...this.declared].filter(([method]) => !this.registered.has(method));
    const route = missing.flatMap(([, owners]) => owners).find(({ webhook }) => webhook !== undefined);
    if (!route) return;
    throw new PaymentsConfigError(
      `${route.name} receives webhooks, but the HTTP adapter got no POST route with its metadata, so nobody would keep the raw ` +
        'bytes of a delivery. Something wraps the handlers of routes: up to Nest 11 `httpAdapter.setOnRouteTriggered(…)` does. ' +
        'Leave it out, update to Nest 12, or copy the metadata of each handler to its wrapper.',
    );
  }

  private has({ controller, method, path }: DeclaredRoute & Pick<WebhookPath, 'path'>): boolean {
    return this.routes.some(
      (route) => route.controller === controller && route.method === method && route.path === path,
    );
  }

  private sharing({ source }: RegExp): readonly WebhookRoute[] {
    return this.routes.filter(({ pattern }) => pattern.source === source);
  }

  /** For a path without a parameter, the rivals are known at once. */
  private rivalsOf(path: string): RegExp[] {
    return path.includes(':') ? [...this.others] : this.others.filter((other) => other.test(path));
  }
}

/**
 * Matches at least what the router matches: any case, an optional slash at the end, anything after a pattern.
 */
function patternOf(path: string): RegExp {
  const [plain = ''] = path.split(PATTERN);
  const segments = plain
    .split('/')
    .filter((segment) => segment !== '')
    .map((segment) => (segment.includes(':') ? '[^/]+' : segment.replace(/[.+?^$|[\]]/g, '\\$&')));
  return new RegExp(`^/${segments.join('/')}${plain === path ? '/?$' : ''}`, 'i');
}

function limitsOfCheck(check: DeliveryCheck | undefined): DeliveryLimits | undefined {
  return check?.rawBody ? undefined : check?.limits;
}

function hasOtherParameters({ path, account }: WebhookPath): boolean {
  const parameters = path.split(':').length - 1;
  return parameters > (account === NAMED_BY_PATH ? 1 : 0);
}

/** Limits that fit all routes of a path, because only the router knows which one gets the delivery. */
export function loosestLimits(ofRoutes: readonly (DeliveryLimits | undefined)[]): DeliveryLimits | undefined {
  const [first, ...others] = ofRoutes.filter((limits) => limits !== undefined);
  return others.reduce(looser, first);
}

function looser(one: DeliveryLimits | undefined, other: DeliveryLimits): DeliveryLimits {
  if (!one) return other;
  return {
    bodyLimit: Math.max(one.bodyLimit, other.bodyLimit),
    bodyTimeoutMs: Math.max(one.bodyTimeoutMs, other.bodyTimeoutMs),
    unverifiedBytesLimit: Math.max(one.unverifiedBytesLimit, other.unverifiedBytesLimit),
    requiredHeaders: one.requiredHeaders.filter((name) => other.requiredHeaders.includes(name)),
  };
}
