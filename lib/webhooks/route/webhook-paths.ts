import { Injectable } from '@nestjs/common';
import { PaymentsConfigError } from '../../errors/payments-errors.js';

/** A webhook route under its final path: prefixes and versions are in it. */
export interface WebhookPath extends DeclaredRoute {
  readonly path: string;
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

/** What the path of a request says about who will take it. */
export interface PathMatch {
  readonly account: string;
  /** Further accounts whose routes match the path too: version or host may tell them apart. */
  readonly otherAccounts: readonly string[];
  /** Whether no other route can take the request: none that was registered earlier has such a path, none later has the same. */
  readonly isCertain: boolean;
  /** Whether the route has a parameter: middlewares may answer some of the paths below it themselves. */
  readonly hasParameter: boolean;
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
  /** A gateway knows one path, and each delivery asks twice. */
  private last: { readonly path: string; readonly match: PathMatch | undefined } | undefined;

  /** Body parsers that read a delivery before the package does: `jsonParser`. */
  readonly earlierParsers: string[] = [];

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

  /** The first webhook route that has this path. */
  at(path: string): PathMatch | undefined {
    if (this.last?.path !== path) this.last = { path, match: this.find(path) };
    return this.last.match;
  }

  private find(path: string): PathMatch | undefined {
    const [route, ...later] = this.routes.filter(({ pattern }) => pattern.test(path));
    if (!route) return undefined;
    const { account, rivals } = route;
    const otherAccounts = later.map((other) => other.account).filter((other) => other !== account);
    const isCertain = otherAccounts.length === 0 && !rivals.some((rival) => rival.test(path));
    return { account, otherAccounts, isCertain, hasParameter: route.path.includes(':') };
  }

  all(): readonly WebhookPath[] {
    return this.routes;
  }

  /** @throws PaymentsConfigError where a declared route was not registered: each of its webhooks would be answered 500. */
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

/** Matches at least what the router matches: any case, with or without a slash at the end, anything from a pattern on. */
function patternOf(path: string): RegExp {
  const [plain = ''] = path.split(PATTERN);
  const segments = plain
    .split('/')
    .filter((segment) => segment !== '')
    .map((segment) => (segment.includes(':') ? '[^/]+' : segment.replace(/[.+?^$|[\]]/g, '\\$&')));
  return new RegExp(`^/${segments.join('/')}${plain === path ? '/?$' : ''}`, 'i');
}
