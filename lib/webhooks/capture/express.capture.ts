import { type IncomingMessage, type ServerResponse } from 'node:http';
import { type ResponseLike } from '../routes/webhook-refusal.js';
import { type CapturedBody, capturedBody, keepBody } from './captured-body.js';
import { type ReadLimits } from './collected-bytes.js';
import { announcedLength, type DeliveryLimits, headersOf, headRefusal } from './delivery-limits.js';
import { dropUnlessRead, isBeingRead } from './drop-rest.js';
import { abortedRequest, judgeBody } from './judge-body.js';
import { peekBody } from './peek-body.js';
import { type ReadBody, readBody } from './read-body.js';
import { releaseAtEnd, type UnverifiedBytes } from './unverified-bytes.js';

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
  /** Whether no other route can take the request. */
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
