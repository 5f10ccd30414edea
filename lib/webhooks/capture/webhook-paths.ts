import { Injectable } from '@nestjs/common';
import { PaymentsConfigError } from '../../errors/payments-config.error.js';

/** A webhook route under its final path: prefixes and versions are in it. */
export interface WebhookPath {
  readonly path: string;
  readonly account: string;
  /** Whether the route hands its events to the handlers, or only has the guard. */
  readonly dispatches: boolean;
}

/** The webhook routes, as Nest registers them. */
@Injectable()
export class WebhookPaths {
  private readonly routes: (WebhookPath & { readonly pattern: RegExp })[] = [];

  add(route: WebhookPath): void {
    this.routes.push({ ...route, pattern: patternOf(route.path) });
  }

  /** The account whose webhook route has this path. */
  accountAt(path: string): string | undefined {
    return this.routes.find(({ pattern }) => pattern.test(path))?.account;
  }

  all(): readonly WebhookPath[] {
    return this.routes;
  }
}

/** Matches at least what the router matches: any case, with or without a slash at the end. */
function patternOf(path: string): RegExp {
  if (/[*{}()\\]/.test(path)) {
    throw new PaymentsConfigError(
      `The path ${path} of a webhook route holds a pattern: write a plain path, parameters such as :tenant included.`,
    );
  }
  const segments = path
    .split('/')
    .filter((segment) => segment !== '')
    .map((segment) => (segment.includes(':') ? '[^/]+' : segment.replace(/[.+?^$|[\]]/g, '\\$&')));
  return new RegExp(`^/${segments.join('/')}/?$`, 'i');
}
