import { type IncomingMessage, type ServerResponse } from 'node:http';
import { finished } from 'node:stream';
import { checkHead, type DeliveryLimits, signedDelivery } from '../delivery/delivery-head.js';
import { readEvent, type ReadEvent } from '../signature/read-event.js';
import { dropUnlessRead } from './drain-request.js';
import {
  type BodyRefusal,
  capturedBodies,
  type CapturedBody,
  type ExpectedDelivery,
  isBeingRead,
  peekBody,
  readBody,
  releaseAtEnd,
  type RouteReceiver,
  type UnverifiedBytes,
} from './read-body.js';
import {
  abortedRequest,
  answerRefusal,
  refuseBody,
  type ResponseLike,
  sendRefusal,
} from './webhook-refusal.js';

export type ExpressRequest = IncomingMessage & { readonly path: string };
export type Next = (error?: unknown) => void;

/** The part of an Express application that is used. */
export interface ExpressLike {
  readonly router?: unknown;
  use(
    middleware: (request: ExpressRequest, response: ServerResponse & ResponseLike, next: Next) => void,
  ): unknown;
}

/** The paths of the webhook routes. */
interface DeliveryPaths {
  /** Undefined where no webhook route has the path. */
  at(path: string): ExpectedDelivery | undefined;
}

/**
 * Keeps the bodies of what may be deliveries, before any body parser, and leaves the requests as they were:
 * who reads them afterwards reads what was sent.
 */
export function captureOnExpress(app: ExpressLike, paths: DeliveryPaths, room: UnverifiedBytes): void {
  app.use((request, response, next) => {
    const isPossible = request.method === 'POST' && isUnread(request);
    const expected = isPossible ? paths.at(request.path) : undefined;
    if (expected?.limits) capture(request, response, expected, expected.limits, room, next);
    else next();
  });
}

/** Where somebody else read it before us, or decodes it, the guard says so, loudly. */
function isUnread(request: IncomingMessage): boolean {
  const untouched = request.readable && !request.readableDidRead && request.readableEncoding === null;
  return untouched && !capturedBodies.has(request);
}

function capture(
  request: IncomingMessage,
  response: ServerResponse,
  expected: ExpectedDelivery,
  limits: DeliveryLimits,
  room: UnverifiedBytes,
  next: Next,
): void {
  const head = checkHead(request, limits);
  if ('refusedWith' in head) {
    capturedBodies.set(request, { ...head, expected });
    next();
    return;
  }
  const unverified = room.body(limits.unverifiedBytesLimit);
  const { bodyLimit: bytes, bodyTimeoutMs: ms } = limits;
  const readLimits = { bytes, ms, announced: head.announced, unverified };
  const judge = (body: CapturedBody): CapturedBody => {
    if ('refusedWith' in body) dropUnlessRead(request, response);
    // Another route may take what has come, and verifies nothing, however long it works on it.
    if (!expected.isCertain) unverified.release();
    return { ...body, expected };
  };
  // Somebody before us has begun to, and would get twice what is put back.
  if (isBeingRead(request)) {
    // The application may answer in the place of the guard.
    releaseAtEnd(response, unverified);
    capturedBodies.set(request, readBody(request, readLimits).then(judge));
    next();
    return;
  }
  peekBody(request, readLimits, (body) => {
    capturedBodies.set(request, judge(body));
    next('refusedWith' in body ? abortedRequest(body.refusedWith) : undefined);
    // Most are verified by now.
    if (unverified.held > 0) releaseAtEnd(response, unverified);
  });
}

/** What `express.json()` takes unless it is told otherwise: `limit: '100kb'`. */
const PARSER_LIMIT = 102_400;

/**
 * Comes right before Nest's body parsers, behind what the application put there. A parser would wait for a
 * body that is refused already, or refuse a delivery in the guard's place, and the application's filters
 * would answer it. So a delivery that is refused, or whose signature is wrong, is answered here, and what a
 * parser would refuse is read off: a parser passes by a body that was read.
 *
 * Where another route may take the request nothing of this happens; below a parameter, where a middleware may
 * answer what is no delivery, nothing is refused.
 */
export function settleBeforeParsers(
  app: ExpressLike,
  paths: DeliveryPaths,
  onRefusal: (account: string, status: BodyRefusal) => void,
): void {
  app.use((request, response, next) => {
    const body = request.readable ? capturedBodies.get(request) : undefined;
    const captured = body instanceof Promise ? undefined : body;
    const expected = captured && expectedOf(request, captured, paths);
    const receiver = expected?.receiver;
    if (!captured || !receiver || (!expected.isCertain && isLeftToParsers(request, captured))) {
      next();
      return;
    }
    const { account } = receiver.scope;
    if ('refusedWith' in captured) {
      const { refusedWith } = captured;
      if (refusedWith === 401) receiver.signatures.reportUnsigned();
      onRefusal(account, refusedWith);
      sendRefusal(refuseBody(refusedWith, request, response, response), response);
      return;
    }
    const { bytes, unverified } = captured;
    const settle = (isGenuine: boolean): void => {
      unverified?.release();
      if (isGenuine) passOn(request, bytes, receiver, next);
      else if (expected.isCertain) {
        onRefusal(account, 401);
        refuseForged(request, response);
      } else next();
    };
    const isGenuine = receiver.signatures.accepts(signedDelivery(request, bytes));
    if (isGenuine instanceof Promise) isGenuine.then(settle).catch(next);
    else settle(isGenuine);
  });
}

/** A middleware of the application may have given the request another path since it was captured. */
function expectedOf(
  { path }: ExpressRequest,
  { expected }: CapturedBody,
  paths: DeliveryPaths,
): ExpectedDelivery | undefined {
  return expected?.path === path ? expected : paths.at(path);
}

/** Whether the guard may look at it behind the parsers: they take a genuine delivery of that size and charset. */
function isLeftToParsers(request: IncomingMessage, captured: CapturedBody): boolean {
  return 'refusedWith' in captured || isTaken(request, captured.bytes);
}

function passOn(request: IncomingMessage, bytes: Uint8Array, receiver: RouteReceiver, next: Next): void {
  const read = readEvent(bytes);
  capturedBodies.set(request, { bytes, genuine: { receiver, read } });
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
