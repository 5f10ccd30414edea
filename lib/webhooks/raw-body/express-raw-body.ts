import { AsyncResource } from 'node:async_hooks';
import { type IncomingMessage, type ServerResponse } from 'node:http';
import { finished } from 'node:stream';
import { checkHead, type DeliveryLimits, signedDelivery } from '../delivery/delivery-head.js';
import { readEvent, type ReadEvent } from '../signature/read-event.js';
import { type NamedAccount } from '../delivery/delivery-check.js';
import { type OnOtherStatus, routeProgress } from './answered-request.js';
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
} from './captured-body.js';
import {
  abortedRequest,
  refuseBody,
  refuseForged,
  type ResponseLike,
  sendRefusal,
} from './webhook-refusal.js';

export type ExpressRequest = IncomingMessage & { readonly path: string };
type Next = (error?: unknown) => void;

/** The part of an Express application that is used. */
export interface ExpressLike {
  readonly router?: unknown;
  use(middleware: Middleware): unknown;
}

type Middleware = (request: ExpressRequest, response: ServerResponse & ResponseLike, next: Next) => void;

type OnRefusal = (account: string, status: BodyRefusal) => void;

/** The paths of the webhook routes. */
interface DeliveryPaths {
  /** Undefined if no webhook route has the path. */
  at(path: string): ExpectedDelivery | undefined;
}

/** Keeps the body of a possible delivery, if the package may read it, and then calls `next`. */
type Keep = (
  request: ExpressRequest,
  response: ServerResponse,
  expected: ExpectedDelivery,
  next: Next,
) => void;

/**
 * Keeps the bodies of possible deliveries before any body parser reads them. Later readers still get every
 * byte. Returns how it keeps one.
 */
export function captureOnExpress(
  app: ExpressLike,
  paths: DeliveryPaths,
  room: UnverifiedBytes,
  onOtherStatus: OnOtherStatus,
): Keep {
  const keep: Keep = (request, response, expected, next) => {
    if (expected.isCertain && !expected.find) watchAnswer(request, response, expected, onOtherStatus);
    if (expected.limits) capture(request, response, expected, expected.limits, room, next);
    else next();
  };
  // Tracers name a span of every request after the function.
  app.use(function paymentsRawBody(request, response, next) {
    const expected = possibleDelivery(request, paths);
    if (expected) keep(request, response, expected, next);
    else next();
  });
  return keep;
}

function possibleDelivery(request: ExpressRequest, paths: DeliveryPaths): ExpectedDelivery | undefined {
  return request.method === 'POST' && isUnread(request) ? paths.at(request.path) : undefined;
}

/** Other routes and middlewares may answer what is not certainly a delivery. */
function watchAnswer(
  request: ExpressRequest,
  response: ServerResponse,
  { path, receiver }: ExpectedDelivery,
  onOtherStatus: OnOtherStatus,
): void {
  response.once('finish', () => {
    const { statusCode: status } = response;
    if (!receiver || routeProgress.get(request) === status) return;
    onOtherStatus({ request, account: receiver.scope.account, path, status });
  });
}

/** If somebody else has read or decodes the request, the guard reports an error. */
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
    capturedBodies.set(request, { expected, ...head });
    next();
    return;
  }
  const unverified = room.body(limits.unverifiedBytesLimit);
  const { bodyLimit: bytes, bodyTimeoutMs: ms } = limits;
  const readLimits = { bytes, ms, announced: head.announced, unverified };
  const toCaptured = (body: CapturedBody): CapturedBody => {
    if ('refusedWith' in body) dropUnlessRead(request, response);
    // Another route may take the body without verifying it, and may keep it for long.
    if (!expected.isCertain) unverified.release();
    return { expected, ...body };
  };
  // An earlier reader would get twice what is put back.
  if (isBeingRead(request)) {
    // The application may answer instead of the guard.
    releaseAtEnd(response, unverified);
    capturedBodies.set(request, readBody(request, readLimits).then(toCaptured));
    next();
    return;
  }
  peekBody(request, readLimits, (body) => {
    capturedBodies.set(request, toCaptured(body));
    next('refusedWith' in body ? abortedRequest(body.refusedWith) : undefined);
    // Most bodies are verified by now.
    if (unverified.held > 0) releaseAtEnd(response, unverified);
  });
}

/** The default `limit` of `express.json()`: `100kb`. */
const PARSER_LIMIT = 102_400;

/**
 * Runs right before Nest's body parsers, after the application's own middleware. A parser would wait for a
 * body that is already refused, or refuse a delivery instead of the guard, so that the application's filters
 * answer it. So this middleware answers deliveries that are refused or have a wrong signature. It reads
 * bodies that a parser would refuse to their end: a parser skips a body that was read.
 *
 * It does nothing if another route may take the request. Below a parameter, where a middleware may answer
 * other requests, it refuses nothing.
 *
 * @param keep Keeps the body of a request that has the path of a route only since a middleware of the application.
 */
export function settleBeforeParsers(
  app: ExpressLike,
  paths: DeliveryPaths,
  keep: Keep,
  onRefusal: OnRefusal,
): void {
  const settle = settling(paths, onRefusal);
  app.use(function paymentsVerdict(request, response, next) {
    const late = possibleDelivery(request, paths);
    // Without limits nothing is kept, so its path may be the one that it came with.
    if (late?.limits) {
      keep(request, response, late, (error) => {
        if (error === undefined) settle(request, response, next);
        else next(error);
      });
    } else settle(request, response, next);
  });
}

function settling(paths: DeliveryPaths, onRefusal: OnRefusal): Middleware {
  return (request, response, next) => {
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
      routeProgress.set(request, 'refused unverified');
      sendRefusal(refuseBody(refusedWith, request, response, response), response);
      return;
    }
    const { bytes, unverified } = captured;
    const settle = ({ account, status, passed }: Verdict): void => {
      unverified?.release();
      if (passed) passOn(request, bytes, passed, next);
      else if (expected.isCertain) {
        onRefusal(account, status);
        routeProgress.set(request, 'refused unverified');
        refuseForged(status, request, response);
      } else next();
    };
    const verdict = verdictOn(request, response, bytes, { ...expected, receiver });
    if (verdict instanceof Promise) verdict.then(settle).catch(next);
    else settle(verdict);
  };
}

/** Whether a delivery is genuine. */
interface Verdict {
  readonly account: string;
  /** The answer if it is not. */
  readonly status: 401 | 503;
  /** Who checked a genuine one. */
  readonly passed?: { readonly receiver: RouteReceiver; readonly named?: NamedAccount };
}

/** Returns no promise if the scheme returns none, and the account is known. */
function verdictOn(
  request: IncomingMessage,
  response: ServerResponse,
  bytes: Uint8Array,
  { receiver, find }: { readonly receiver: RouteReceiver; readonly find?: ExpectedDelivery['find'] },
): Verdict | Promise<Verdict> {
  if (find) return verdictOfNamed(request, response, bytes, receiver, find);
  const { account } = receiver.scope;
  const verdict = (isGenuine: boolean): Verdict => ({
    account,
    status: 401,
    ...(isGenuine && { passed: { receiver } }),
  });
  const isGenuine = receiver.signatures.accepts(signedDelivery(request, bytes));
  return isGenuine instanceof Promise ? isGenuine.then(verdict) : verdict(isGenuine);
}

async function verdictOfNamed(
  request: IncomingMessage,
  response: ServerResponse,
  bytes: Uint8Array,
  { scope }: RouteReceiver,
  find: NonNullable<ExpectedDelivery['find']>,
): Promise<Verdict> {
  const named = await find(bytes.length);
  if (named === 'busy') return { account: scope.account, status: 503 };
  releaseAtEnd(response, named);
  const { check: receiver } = named;
  const isGenuine = await receiver.signatures.accepts(signedDelivery(request, bytes));
  const { account } = receiver.scope;
  return { account, status: 401, ...(isGenuine && { passed: { receiver, named } }) };
}

/** A middleware may have changed the path since the capture. */
function expectedOf(
  { path }: ExpressRequest,
  { expected }: CapturedBody,
  paths: DeliveryPaths,
): ExpectedDelivery | undefined {
  return expected?.path === path ? expected : paths.at(path);
}

/** Whether the guard may check the delivery after the parsers, which accept its size and charset. */
function isLeftToParsers(request: IncomingMessage, captured: CapturedBody): boolean {
  return 'refusedWith' in captured || isTaken(request, captured.bytes);
}

function passOn(
  request: IncomingMessage,
  bytes: Uint8Array,
  passed: NonNullable<Verdict['passed']>,
  next: Next,
): void {
  const read = readEvent(bytes);
  capturedBodies.set(request, { bytes, genuine: { read, ...passed } });
  if (isParsable(request, bytes, read)) next();
  else readOff(request, next);
}

/** Whether `express.json()` parses the body, as far as that is known. */
function isParsable(request: IncomingMessage, bytes: Uint8Array, read: ReadEvent): boolean {
  return isTaken(request, bytes) && ('event' in read || read.status !== 400);
}

/** Whether `express.json()` accepts the size and charset. */
function isTaken({ headers }: IncomingMessage, bytes: Uint8Array): boolean {
  return bytes.length <= PARSER_LIMIT && !/charset="?utf8/i.test(headers['content-type'] ?? '');
}

/** Calls `next` in the async context of the caller: the stream ends in that of its connection. */
function readOff(request: IncomingMessage, next: Next): void {
  const ended = AsyncResource.bind(() => {
    next();
  });
  finished(request, ended);
  request.resume();
}
