import { Injectable, VERSION_NEUTRAL } from '@nestjs/common';
import { PaymentsConfigError } from '../../errors/payments-errors.js';
import {
  accountNamedBy,
  accountOfRoute,
  NAMED_BY_PATH,
  type RouteAccount,
} from '../delivery/route-account.js';
import { type MethodOwner } from './method-owners.js';
import { type WebhookPath } from './webhook-paths.js';

/** A route of Express that takes POST requests. */
export interface PostRoute {
  readonly verb: 'POST' | 'ALL';
  readonly path: string;
  /** The methods that it may be; none if no controller of the application has it. */
  readonly owners: readonly MethodOwner[];
  /** Those that it takes, by a header, the media type or a function; undefined: every version. */
  readonly versions: readonly unknown[] | undefined;
  readonly matches: (path: string) => boolean;
}

/** How much of what one route takes another one takes. */
type Share = 'all' | 'some' | 'none';

/**
 * What an earlier route does to a webhook route. `unreachable`: no request reaches it. `same account`: none does either, but
 * another webhook route handles its webhooks. `partial`: some requests do not reach it.
 */
type Effect = 'unreachable' | 'same account' | 'partial';

interface Finding {
  readonly earlier: PostRoute;
  readonly effect: Effect;
}

type WebhookRoute = Pick<WebhookPath, 'account' | 'path' | 'name' | 'dispatches' | 'controller' | 'method'>;

/** A parameter in a path: `:tenant`, `:"the tenant"`. */
const PARAMETER = /:(?:"[^"]*"|[\p{ID_Continue}$]+)/gu;
/** A value that no route spells out, so that a route which takes it takes every other one. */
const ANY_VALUE = '~';
/** Characters that make a host a pattern. */
const HOST_PATTERN = /[:*{}()\\]/;

/**
 * The routes of Express in the order of their registration. The first one that matches takes a request, and nobody notices
 * if that is not the webhook route: the gateway gets the answer of the other one.
 */
@Injectable()
export class EarlierRoutes {
  private readonly routes: PostRoute[] = [];

  add(route: PostRoute): void {
    this.routes.push(route);
  }

  /**
   * Warnings about webhook routes whose requests an earlier route takes.
   *
   * @throws PaymentsConfigError if nobody reaches a webhook route on any of its paths.
   */
  check(webhooks: readonly WebhookRoute[]): ReadonlyMap<WebhookRoute, string> {
    const findings = new Map<WebhookRoute, Finding>();
    for (const webhook of webhooks) {
      const finding = this.findingOf(webhook);
      if (finding) findings.set(webhook, finding);
    }
    const warnings = [...findings].map(
      ([webhook, finding]) => [webhook, describe(webhook, finding)] as const,
    );
    for (const [{ controller, method }, warning] of warnings) {
      const paths = webhooks.filter((one) => one.controller === controller && one.method === method);
      if (paths.every((path) => findings.get(path)?.effect === 'unreachable')) {
        throw new PaymentsConfigError(warning);
      }
    }
    return new Map(warnings);
  }

  private findingOf(webhook: WebhookRoute): Finding | undefined {
    const index = this.routes.findIndex(
      ({ path, owners }) => path === webhook.path && isOnly(owners, webhook),
    );
    const own = this.routes[index];
    if (!own) return undefined;
    const findings = this.routes.slice(0, index).flatMap((earlier) => {
      const effect = effectOf(earlier, own, webhook);
      return effect ? [{ earlier, effect }] : [];
    });
    return findings.find(({ effect }) => effect === 'unreachable') ?? findings[0];
  }
}

/** Whether a route is certainly this method of this controller: several may share it, and nothing may tell them apart. */
function isOnly(owners: readonly MethodOwner[], { controller, method }: WebhookRoute): boolean {
  const [owner, ...others] = owners;
  const { webhook } = owner ?? {};
  return others.length === 0 && webhook?.controller === controller && webhook.method === method;
}

function effectOf(earlier: PostRoute, own: PostRoute, webhook: WebhookRoute): Effect | undefined {
  const requested = own.path.replace(PARAMETER, ANY_VALUE);
  if (!earlier.matches(requested)) return undefined;
  const shares = [hostShare(hostsOf(earlier), hostsOf(own)), shareOf(earlier.versions, own.versions)];
  if (shares.includes('none')) return undefined;
  // Whichever of its methods the route is.
  const certain = [...shares, ...earlier.owners.map(({ hosts }) => hostShare(hosts, hostsOf(own)))];
  const takesAll = !mayPassOn(earlier) && certain.every((share) => share === 'all');
  if (!receivesWebhooks(earlier)) return takesAll ? 'unreachable' : 'partial';
  // Webhook routes that share a path with different hosts or versions are meant so.
  if (!takesAll) return undefined;
  const account = accountAt(requested, own.path, webhook.account);
  const isSame = earlier.owners.every(
    ({ webhook: other }) =>
      other?.dispatches === webhook.dispatches &&
      accountAt(requested, earlier.path, accountOfRoute(other.account, earlier.path)) === account,
  );
  if (!isSame) return 'unreachable';
  // Another path of the same method.
  return isOnly(earlier.owners, webhook) ? undefined : 'same account';
}

/** A method that can call `next()`, and what is no method of a controller. */
function mayPassOn({ owners }: PostRoute): boolean {
  return owners.length === 0 || owners.some(({ handsOver }) => handsOver);
}

function receivesWebhooks({ owners }: PostRoute): boolean {
  return owners.length > 0 && owners.every(({ webhook }) => webhook !== undefined);
}

function accountAt(requested: string, path: string, account: RouteAccount): string | undefined {
  return account === NAMED_BY_PATH ? accountNamedBy(requested, path) : account;
}

/** Undefined if the route, or one of the methods that it may be, takes every host. */
function hostsOf({ owners }: PostRoute): MethodOwner['hosts'] {
  const hosts = owners.flatMap((owner) => owner.hosts ?? []);
  return owners.length > 0 && owners.every((owner) => owner.hosts !== undefined) ? hosts : undefined;
}

function hostShare(taken: MethodOwner['hosts'], asked: MethodOwner['hosts']): Share {
  const share = shareOf(taken, asked);
  const hosts = [...(taken ?? []), ...(asked ?? [])];
  const arePlain = hosts.every((host) => typeof host === 'string' && !HOST_PATTERN.test(host));
  return share === 'none' && !arePlain ? 'some' : share;
}

/** Of hosts or versions; undefined means all of them. */
function shareOf(taken: readonly unknown[] | undefined, asked: readonly unknown[] | undefined): Share {
  if (taken === undefined) return 'all';
  if (asked === undefined) return 'some';
  if (asked.every((one) => taken.includes(one))) return 'all';
  return asked.some((one) => taken.includes(one)) ? 'some' : 'none';
}

function describe(webhook: WebhookRoute, { earlier, effect }: Finding): string {
  const route = `the webhook route POST ${webhook.path} of ${webhook.name}`;
  const names = earlier.owners.map(({ name }) => name).join(' or ');
  const other = `the route ${earlier.verb} ${earlier.path}${names === '' ? '' : ` of ${names}`}`;
  if (effect === 'unreachable') {
    return (
      `Nobody reaches ${route}, because ${other} comes before it and ${reasonOf(earlier)}: declare the webhook route first, above ` +
      'the other one in its class, in `controllers` or in `imports`. Nest registers the controllers of a module before those of ' +
      'its imports.'
    );
  }
  if (effect === 'same account') {
    return (
      `The method of ${route} never runs, because ${other} comes before it and takes its webhooks, for the same account: leave ` +
      'one of the two out.'
    );
  }
  return (
    `Some requests for ${route} may not reach it, because ${other} comes before it and takes ${partOf(earlier)}: no handler runs ` +
    'for those, and nobody checks their signature. Declare the webhook route first.'
  );
}

function reasonOf(earlier: PostRoute): string {
  if (!receivesWebhooks(earlier)) return 'answers its requests, which nobody verifies and no handler gets';
  const [account] = earlier.owners.map(({ webhook }) => accountOfRoute(webhook?.account, earlier.path));
  if (account === NAMED_BY_PATH) return 'takes the end of that path for the name of an account';
  return `takes its webhooks, for the account '${String(account)}'`;
}

function partOf(earlier: PostRoute): string {
  const { owners, versions } = earlier;
  if (owners.length === 0) return 'what it does not pass on (no controller of this application has it)';
  const hosts = hostsOf(earlier);
  const parts = [
    hosts && ` for the host ${hosts.map((host) => `'${String(host)}'`).join(' or ')}`,
    versions && ` with the version ${versions.map(versionName).join(' or ')}`,
    mayPassOn(earlier) && ' that its method does not pass on by next()',
  ];
  const said = parts.filter((part) => typeof part === 'string').join('');
  return `those${said === '' ? ' of one of these methods' : said}`;
}

function versionName(version: unknown): string {
  return version === VERSION_NEUTRAL ? 'none' : `'${String(version)}'`;
}
