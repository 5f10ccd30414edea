import { type IncomingMessage, type ServerResponse } from 'node:http';
import { type ResponseLike, refuseBody, answerRefusal, sendRefusal } from './webhook-refusal.js';
import {
  type CapturedBody,
  capturedBody,
  keepBody,
  abortedRequest,
  judgeBody,
  type BodyRefusal,
} from './request-state.js';
import { isBeingRead, type ReadLimits, peekBody, type ReadBody, readBody } from './read-body.js';
import { announcedLength, type DeliveryLimits, headersOf, headRefusal } from '../delivery/delivery-limits.js';
import { dropUnlessRead } from './drain-request.js';
import { releaseAtEnd, type UnverifiedBytes } from './unverified-bytes.js';
import { finished } from 'node:stream';
import { readEvent, type ReadEvent } from '../signature/read-event.js';
import { type WebhookReceiver } from '../delivery/webhook-receiver.js';
import { signedDelivery } from './http-request.js';

export type ExpressRequest = IncomingMessage & { readonly path: string };
export type Next = (error?: unknown) => void;

/** The part of an Express application that is used. */
export interface ExpressLike {
  readonly router?: unknown;
  use(
    middleware: (request: ExpressRequest, response: ServerResponse & ResponseLike, next: Next) => void,
  ): unknown;
}

/** Who receives the deliveries of a route. */
type RouteReceiver = Pick<WebhookReceiver, 'scope' | 'verify' | 'reportUnsigned'>;

/** What the path of a POST request says about its delivery. */
export interface ExpectedDelivery {
  /** What its body is held to; undefined where nothing is to be read here. */
  readonly limits: DeliveryLimits | undefined;
  /** Who verifies it before the parsers; undefined where another route may take the request. */
  readonly receiver: RouteReceiver | undefined;
  /** Whether nobody else can answer it: no other route, and no middleware below a parameter. */
  readonly isCertain: boolean;
}

/** Undefined where no webhook route has the path. */
export type ExpectedAt = (path: string) => ExpectedDelivery | undefined;

/**
 * Keeps the bodies of what may be deliveries, before any body parser, and leaves the requests as they were: who reads them
 * afterwards reads what was sent.
 */
export function captureOnExpress(
  app: ExpressLike,
  expectedAt: ExpectedAt,
  unverified: UnverifiedBytes,
): void {
  app.use((request, response, next) => {
    const isPossible = request.method === 'POST' && isUnread(request);
    const { limits, isCertain } = (isPossible && expectedAt(request.path)) || NOT_EXPECTED;
    if (!limits) {
      next();
      return;
    }
    const headers = headersOf(request);
    const refusedWith = headRefusal(headers, limits);
    if (refusedWith) {
      keepBody(request, { refusedWith });
      next();
      return;
    }
    const readLimits = {
      bytes: limits.bodyLimit,
      ms: limits.bodyTimeoutMs,
      announced: announcedLength(headers),
      unverified: unverified.body(limits.unverifiedBytesLimit),
    };
    capture(request, response, readLimits, isCertain, next);
  });
}

const NOT_EXPECTED: ExpectedDelivery = { limits: undefined, receiver: undefined, isCertain: false };

/** Where somebody else read it before us, or decodes it, the guard says so, loudly. */
function isUnread(request: IncomingMessage): boolean {
  const untouched = request.readable && !request.readableDidRead && request.readableEncoding === null;
  return untouched && capturedBody(request) === undefined;
}

function capture(
  request: IncomingMessage,
  response: ServerResponse,
  limits: ReadLimits,
  isCertain: boolean,
  next: Next,
): void {
  const { unverified } = limits;
  const judge = (body: ReadBody): CapturedBody => {
    const captured = judgeBody(body, unverified);
    if ('refusedWith' in captured) dropUnlessRead(request, response);
    // Another route may take what has come, and verifies nothing, however long it works on it.
    if (!isCertain) unverified.release();
    return captured;
  };
  // Somebody before us has begun to, and would get twice what is put back.
  if (isBeingRead(request)) {
    // The application may answer in the place of the guard.
    releaseAtEnd(response, unverified);
    keepBody(request, readBody(request, limits).then(judge));
    next();
    return;
  }
  peekBody(request, limits, (body) => {
    const captured = judge(body);
    keepBody(request, captured);
    next(abortedRequest(captured));
    // Most are verified by now.
    if (unverified.isHeld()) releaseAtEnd(response, unverified);
  });
}

/** What `express.json()` takes unless it is told otherwise: `limit: '100kb'`. */
const PARSER_LIMIT = 102_400;

/**
 * Comes right before Nest's body parsers, behind what the application put there. A parser would wait for a body that is refused
 * already, or refuse a delivery in the guard's place, and the application's filters would answer it. So a delivery that is
 * refused, or whose signature is wrong, is answered here, and what a parser would refuse is read off: a parser passes by a body
 * that was read.
 *
 * Where another route may take the request nothing of this happens; below a parameter, where a middleware may answer what is no
 * delivery, nothing is refused.
 */
export function settleBeforeParsers(
  app: ExpressLike,
  expectedAt: ExpectedAt,
  onRefusal: (account: string, status: BodyRefusal) => void,
): void {
  app.use((request, response, next) => {
    const captured = request.readable ? capturedBody(request) : undefined;
    const isRead = captured !== undefined && !(captured instanceof Promise);
    const { receiver, isCertain } = (isRead && expectedAt(request.path)) || NOT_EXPECTED;
    if (!isRead || !receiver || (!isCertain && isLeftToParsers(request, captured))) {
      next();
      return;
    }
    const { account } = receiver.scope;
    if ('refusedWith' in captured) {
      const { refusedWith } = captured;
      if (refusedWith === 401) receiver.reportUnsigned();
      onRefusal(account, refusedWith);
      sendRefusal(refuseBody(refusedWith, request, response, response), response);
      return;
    }
    const { bytes, release } = captured;
    const settle = (isGenuine: boolean): void => {
      release?.();
      if (isGenuine) passOn(request, bytes, receiver, next);
      else if (isCertain) {
        onRefusal(account, 401);
        refuseForged(request, response);
      } else next();
    };
    const isGenuine = receiver.verify(signedDelivery(request, bytes));
    if (isGenuine instanceof Promise) isGenuine.then(settle).catch(next);
    else settle(isGenuine);
  });
}

/** Whether the guard may look at it behind the parsers: they take a genuine delivery of that size and charset. */
function isLeftToParsers(request: IncomingMessage, captured: CapturedBody): boolean {
  return 'refusedWith' in captured || isTaken(request, captured.bytes);
}

function passOn(request: IncomingMessage, bytes: Uint8Array, receiver: RouteReceiver, next: Next): void {
  const read = readEvent(bytes);
  keepBody(request, { bytes, genuine: { receiver, read } });
  if (isParsable(request, bytes, read)) next();
  else readOff(request, next);
}

/** All of it has come. */
function refuseForged(request: IncomingMessage, response: ServerResponse & ResponseLike): void {
  request.resume();
  // The application may have answered while the scheme was asked.
  if (!response.headersSent) answerRefusal(401, response);
}

/** Whether `express.json()` parses it, as far as that is known; it looks at JSON alone. */
function isParsable(request: IncomingMessage, bytes: Uint8Array, read: ReadEvent): boolean {
  return isTaken(request, bytes) && ('event' in read || read.status !== 400);
}

/** Whether `express.json()` takes a body of that size and charset. */
function isTaken({ headers }: IncomingMessage, bytes: Uint8Array): boolean {
  return bytes.length <= PARSER_LIMIT && !/charset="?utf8/i.test(headers['content-type'] ?? '');
}

/** All of it has come: it was put back. */
function readOff(request: IncomingMessage, next: Next): void {
  finished(request, () => {
    next();
  });
  request.resume();
}
