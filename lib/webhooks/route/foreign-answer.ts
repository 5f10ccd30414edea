import { type RouteProgress } from '../raw-body/answered-request.js';

/** Who may answer in the package's place. */
export type Candidate =
  | 'a middleware'
  | 'a body parser'
  | 'a hook of Fastify'
  | 'a guard'
  | 'an interceptor'
  | 'a pipe'
  | 'an exception filter';

/** How far a request came whose answer is not the package's. Undefined: not to the package's guard. */
type Reached = Exclude<RouteProgress, 'refused unverified' | 'left to the route'> | undefined;

/** An answer to a webhook that the package did not give. */
export interface ForeignAnswer {
  /** Path of the route: `/webhooks/payments`. */
  readonly path: string;
  readonly status: number;
  readonly reached: Reached;
  /** Whether its signature is valid. Otherwise nobody checked it. */
  readonly isGenuine: boolean;
  /** The HTTP server of the application. Express has no hooks. */
  readonly host: 'express' | 'fastify';
  /** Names of the classes that run on every route. */
  readonly globalClasses: ReadonlyMap<Candidate, readonly string[]>;
}

/** How far a request came if its answer is not the package's; else `'ours'`. */
export function reachedBefore(progress: RouteProgress | undefined, status: number): Reached | 'ours' {
  if (progress === 'refused unverified' || progress === 'left to the route') return 'ours';
  if (progress === status) return 'ours';
  // The route may have another code for success.
  return progress === 200 && status > 200 && status < 300 ? 'ours' : progress;
}

/** A line for the log. It holds nothing of the request but the path of its route. */
export function describeForeignAnswer(answer: ForeignAnswer): string {
  const { path, status, isGenuine, globalClasses } = answer;
  const who = candidates(answer).map((candidate) => {
    const names = globalClasses.get(candidate) ?? [];
    return names.length === 0 ? candidate : `${candidate} (global: ${names.join(', ')})`;
  });
  return (
    `A webhook at POST ${path}${isGenuine ? '' : ', whose signature nobody checked,'} was answered ${status} by ` +
    `${ANY_OF.format(who)}, not by this package: ${effectOf(answer)}. ${remedyFor(answer)} See docs/webhooks.md#foreign-answers.`
  );
}

const ANY_OF = new Intl.ListFormat('en', { type: 'disjunction' });

const BEFORE: Readonly<Record<'verified' | 'parameters' | 'handlers', readonly Candidate[]>> = {
  verified: ['an interceptor', 'a guard'],
  parameters: ['a pipe', 'an interceptor'],
  // A timer of a middleware or a hook, too, if the handlers take long.
  handlers: ['an interceptor', 'a middleware', 'a hook of Fastify'],
};

function candidates({ reached, status, host }: ForeignAnswer): readonly Candidate[] {
  if (typeof reached === 'number') return ['an interceptor', 'an exception filter'];
  const all: readonly Candidate[] = reached
    ? BEFORE[reached]
    : ['a guard', 'a middleware', 'a body parser', 'a hook of Fastify'];
  const who = host === 'fastify' ? all : all.filter((candidate) => candidate !== 'a hook of Fastify');
  return status < 300 ? [...who, 'an exception filter'] : who;
}

function effectOf({ status, reached }: ForeignAnswer): string {
  if (typeof reached === 'number') {
    const lost = status < 300 ? ', and the gateway does not deliver it again' : '';
    return `the package answered ${reached}${lost}`;
  }
  const handlers = reached === 'handlers' ? 'its handlers had not ended' : 'no handler ran';
  return status < 300 ? `the gateway takes it for handled, and ${handlers}` : handlers;
}

function remedyFor({ status, reached, host }: ForeignAnswer): string {
  if (reached !== undefined) {
    const withTimers = host === 'fastify' ? 'middlewares or hooks' : 'middlewares';
    const others = reached === 'handlers' ? `, and timers of ${withTimers},` : '';
    return `Let interceptors, pipes and exception filters${others} leave this route alone, which verifies and answers by itself.`;
  }
  if (status === 401 || status === 403) {
    return 'If a guard did, let it pass this route, with its own decorator such as @Public(): the signature says who sends.';
  }
  if (status === 429) {
    return 'If a throttler did, give this route a limit of its own or none, with @SkipThrottle() or its like: the gateway may send many at once.';
  }
  if (status === 413) {
    return (
      'If a body parser did (entity.too.large), raise its limit to webhooks.bodyLimit, as with ' +
      "app.useBodyParser('json', { limit: '64kb' }). Otherwise take this path out of what answered."
    );
  }
  if (status >= 300 && status < 400) return 'Take the redirect off this path: the gateway may not follow it.';
  return 'Take this path out of it, so that the webhook reaches the route.';
}
