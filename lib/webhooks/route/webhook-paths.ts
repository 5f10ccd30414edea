import { Injectable } from '@nestjs/common';
import { PaymentsConfigError } from '../../errors/payments-errors.js';
import { type DeliveryLimits } from '../delivery/delivery-head.js';
import { WebhookAccounts } from '../delivery/webhook-accounts.js';
import { type ExpectedDelivery } from '../raw-body/read-body.js';

/** A webhook route under its final path: prefixes and versions are in it. */
interface WebhookPath extends DeclaredRoute {
  readonly path: string;
  /** Whether it passes on the requests of other versions, to whichever route or middleware comes after it. */
  readonly passesOn: boolean;
}

/** A controller's method that is to receive webhooks by POST. */
export interface DeclaredRoute {
  readonly method: object;
  /** For messages: `WebhooksController.received`. */
  readonly name: string;
  readonly account: string;
  /** Whether the route hands its events to the handlers, or only has the guard. */
  readonly dispatches: boolean;
  /** Whether it is one of several of its path, told apart by the host that the sender names. */
  readonly isHostBound: boolean;
}

interface WebhookRoute extends WebhookPath {
  readonly pattern: RegExp;
  /** Routes of others that may have the same path. */
  readonly rivals: RegExp[];
}

/** What the router reads as a pattern, beside parameters. */
const PATTERN = /[*{}()\\]/;

/** The webhook routes, and the other routes that may take their requests, as Nest registers them. */
@Injectable()
export class WebhookPaths {
  private readonly routes: WebhookRoute[] = [];
  private readonly others: RegExp[] = [];
  private readonly unregistered = new Map<object, DeclaredRoute>();
  /** A gateway knows one path. */
  private last: { readonly path: string; readonly expected: ExpectedDelivery | undefined } | undefined;

  /** Body parsers that read a delivery before the package does: `jsonParser`. */
  readonly earlierParsers: string[] = [];

  constructor(private readonly accounts: WebhookAccounts) {}

  reportParser(name: string): void {
    this.earlierParsers.push(name);
  }

  /** A method that is to receive webhooks once Nest has registered its route. */
  declare(route: DeclaredRoute): void {
    this.unregistered.set(route.method, route);
  }

  /** @throws PaymentsConfigError where the path is a pattern. */
  add(route: WebhookPath): void {
    const { path, isHostBound } = route;
    if (PATTERN.test(path)) {
      throw new PaymentsConfigError(
        `The path ${path} of a webhook route holds a pattern: write a plain path, parameters such as :tenant included.`,
      );
    }
    this.unregistered.delete(route.method);
    this.last = undefined;
    this.routes.push({
      ...route,
      pattern: patternOf(path),
      rivals: isHostBound ? [/^/] : this.rivalsOf(path),
    });
  }

  /** A route that takes no webhooks. */
  addOther(path: string): void {
    const other = patternOf(path);
    this.others.push(other);
    this.last = undefined;
    // A later one of the very same path has another version or host, or nobody could reach it.
    for (const route of this.sharing(other)) route.rivals.push(other);
  }

  /** What a POST request to this path may be; undefined where no webhook route has it. */
  at(path: string): ExpectedDelivery | undefined {
    if (this.last?.path !== path) this.last = { path, expected: this.find(path) };
    return this.last.expected;
  }

  private find(path: string): ExpectedDelivery | undefined {
    const matching = this.routes.filter(({ pattern }) => pattern.test(path));
    const [route] = matching;
    if (!route) return undefined;
    // Version or host may tell several accounts of one path apart.
    const accounts = [...new Set(matching.map(({ account }) => account))];
    const isOurs = accounts.length === 1 && !route.rivals.some((rival) => rival.test(path));
    return {
      path,
      limits: loosestLimits(accounts.map((account) => this.limitsOf(account))),
      receiver: isOurs ? this.accounts.find(route.account) : undefined,
      // Below a parameter a middleware may answer some of the paths itself.
      isCertain: isOurs && !route.passesOn && !route.path.includes(':'),
    };
  }

  /** Undefined where nothing is to be read: the application says by `webhooks.rawBody` where the bytes are. */
  limitsOf(account: string): DeliveryLimits | undefined {
    const receiver = this.accounts.find(account);
    return receiver?.rawBody ? undefined : receiver?.limits;
  }

  all(): readonly WebhookPath[] {
    return this.routes;
  }

  /**
   * @throws PaymentsConfigError where a declared route was not registered: each of its webhooks would be
   * answered 500.
   */
  assertRegistered(): void {
    const [route] = this.unregistered.values();
    if (!route) return;
    throw new PaymentsConfigError(
      `${route.name} receives webhooks, but the HTTP adapter got no POST route with its metadata, so nobody would keep the raw ` +
        'bytes of a delivery. Something wraps the handlers of routes: up to Nest 11 `httpAdapter.setOnRouteTriggered(…)` does. ' +
        'Leave it out, update to Nest 12, or copy the metadata of each handler to its wrapper.',
    );
  }

  private sharing({ source }: RegExp): readonly WebhookRoute[] {
    return this.routes.filter(({ pattern }) => pattern.source === source);
  }

  /** Of a path without a parameter it is known at once. */
  private rivalsOf(path: string): RegExp[] {
    return path.includes(':') ? [...this.others] : this.others.filter((other) => other.test(path));
  }
}

/**
 * Matches at least what the router matches: any case, with or without a slash at the end, anything from a
 * pattern on.
 */
function patternOf(path: string): RegExp {
  const [plain = ''] = path.split(PATTERN);
  const segments = plain
    .split('/')
    .filter((segment) => segment !== '')
    .map((segment) => (segment.includes(':') ? '[^/]+' : segment.replace(/[.+?^$|[\]]/g, '\\$&')));
  return new RegExp(`^/${segments.join('/')}${plain === path ? '/?$' : ''}`, 'i');
}

/** What any of several routes takes, where only the router knows whose delivery it is. */
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
