import { type IncomingMessage, type ServerResponse } from 'node:http';
import { type ResponseLike, refuseBody, answerRefusal, sendRefusal } from './webhook-refusal.js';
import {
  type CapturedBody,
  capturedBody,
  keepBody,
  abortedRequest,
  judgeBody,
  type BodyRefusal,
} from './captured-body.js';
import { type ReadLimits, peekBody, type ReadBody, readBody } from './read-body.js';
import { announcedLength, type DeliveryLimits, headersOf, headRefusal } from '../delivery/delivery-limits.js';
import { dropUnlessRead, isBeingRead } from './drain-request.js';
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

/** What the path of a request says about its body. */
export interface ExpectedBody {
  readonly limits: DeliveryLimits;
  /** Whether no other route, and no middleware below a parameter, can take the request. */
  readonly isCertain: boolean;
}

/**
 * Keeps the bodies of what may be deliveries, before any body parser, and leaves the requests as they were: who reads them
 * afterwards reads what was sent.
 */
export function captureOnExpress(
  app: ExpressLike,
  expectedOf: (request: ExpressRequest) => ExpectedBody | undefined,
  unverified: UnverifiedBytes,
): void {
  app.use((request, response, next) => {
    const expected = isUnread(request) ? expectedOf(request) : undefined;
    if (!expected) {
      next();
      return;
    }
    const { limits, isCertain } = expected;
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

/** Who receives the deliveries of a route. */
type RouteReceiver = Pick<WebhookReceiver, 'scope' | 'verify' | 'reportUnsigned'>;

/** Who receives what no other route can take. */
export interface EarlyReceiver {
  readonly receiver: RouteReceiver;
  /** Whether it refuses before the parsers: below a parameter a middleware may answer what is no delivery. */
  readonly refuses: boolean;
}

/**
 * Comes right before Nest's body parsers, behind what the application put there. A parser would wait for a body that is refused
 * already, or refuse a delivery in the guard's place, and the application's filters would answer it. So a delivery that is
 * refused, or whose signature is wrong, is answered here, and what a parser would refuse is read off: a parser passes by a body
 * that was read.
 *
 * @param receiverOf Undefined where another route may take the request: nothing of this happens then.
 */
export function settleBeforeParsers(
  app: ExpressLike,
  receiverOf: (request: ExpressRequest) => EarlyReceiver | undefined,
  onRefusal: (account: string, status: BodyRefusal) => void,
): void {
  app.use((request, response, next) => {
    const captured = request.readable ? capturedBody(request) : undefined;
    const isRead = captured !== undefined && !(captured instanceof Promise);
    const early = isRead ? receiverOf(request) : undefined;
    if (!isRead || !early || (!early.refuses && isLeftToParsers(request, captured))) {
      next();
      return;
    }
    const { receiver, refuses } = early;
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
      else if (refuses) {
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
