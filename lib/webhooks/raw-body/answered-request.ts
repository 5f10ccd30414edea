import { type IncomingMessage } from 'node:http';

/**
 * How far the package came with a request on a webhook route: the status that it gave to a genuine webhook, or its
 * last step. Answers to requests that it refused unverified, or verified for a route of the application, are not
 * reported.
 */
export type RouteProgress =
  number | 'verified' | 'parameters' | 'handlers' | 'refused unverified' | 'left to the route';

/** By Node's request. Absent until the package verified or refused it. */
export const routeProgress = new WeakMap<IncomingMessage, RouteProgress>();

/** A request of a webhook route whose answer has left. */
export interface AnsweredRequest {
  readonly request: IncomingMessage;
  readonly account: string;
  /** Path of the route. */
  readonly path: string;
  readonly status: number;
}

/** Gets requests that were answered with another status than the package's. */
export type OnOtherStatus = (answered: AnsweredRequest) => void;
