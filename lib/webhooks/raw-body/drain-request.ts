import { type IncomingMessage, type ServerResponse } from 'node:http';
import { type Http2ServerRequest } from 'node:http2';
import { finished, type Writable } from 'node:stream';
import { isBeingRead } from './captured-body.js';

/** How much a sender may still send after the refusal. */
const MOST_BYTES = 4 * 1_048_576;
const LONGEST_MS = 5_000;

const dropped = new WeakSet<IncomingMessage>();

/**
 * Discards the rest of a refused body after the answer, and ends an upload that does not end by itself. Closing at
 * once would reset the connection of a sender that is still writing, before it reads the answer.
 */
export function drainRequest(request: IncomingMessage, response: ServerResponse): void {
  if (request.httpVersionMajor >= 2) {
    whenAnswered(request, response, () => {
      drop(request);
    });
    return;
  }
  const { socket } = request;
  const isLast = !response.shouldKeepAlive;
  // Otherwise Node closes with the answer if the sender asked for it, although it is still writing.
  response.shouldKeepAlive = true;
  // Without a read before the answer, Node itself would discard the rest without a limit.
  request.read();
  whenAnswered(request, response, () => {
    drop(request);
    finished(request, () => {
      if (isLast) socket.end();
    });
  });
}

/**
 * Discards the rest of a body that a guard, a middleware or another route may answer, unless somebody reads
 * it by then. Node discards only unread bodies, and the package has begun to read this one: the next request
 * on the connection would never be read, and an HTTP/2 stream would never close.
 */
export function dropUnlessRead(request: IncomingMessage, response: ServerResponse): void {
  whenAnswered(request, response, () => {
    if (!isBeingRead(request)) drop(request);
  });
}

/** In HTTP/2 the response finishes only when the stream closes. */
function whenAnswered(request: IncomingMessage, response: ServerResponse, run: () => void): void {
  const { stream } = request as unknown as Http2ServerRequest;
  const answer: Writable = request.httpVersionMajor >= 2 ? stream : response;
  if (answer.writableFinished) run();
  else answer.once('finish', run);
}

function drop(request: IncomingMessage): void {
  if (dropped.has(request)) return;
  dropped.add(request);
  const { stream } = request as unknown as Http2ServerRequest;
  const cutOff = (): void => {
    (request.httpVersionMajor >= 2 ? stream : request.socket).destroy();
  };
  const timer = setTimeout(cutOff, LONGEST_MS).unref();
  let left = MOST_BYTES;
  request.on('data', (chunk: Uint8Array | string) => {
    left -= chunk.length;
    if (left < 0) cutOff();
  });
  finished(request, () => {
    clearTimeout(timer);
  });
  request.resume();
}
