import { type IncomingMessage, type ServerResponse } from 'node:http';
import { type Http2ServerRequest } from 'node:http2';
import { finished, type Writable } from 'node:stream';
import { isBeingRead } from './read-body.js';

/** What a sender may still send after it was refused. */
const MOST_BYTES = 4 * 1_048_576;
const LONGEST_MS = 5_000;

/** The requests whose rest is thrown away already. */
const dropped = new WeakSet<IncomingMessage>();

/**
 * Throws away what is left of a body that the package refused, once the answer is written, and ends the
 * upload where it does not end by itself. To close at once would reset the connection of a sender that is
 * still writing, and cost it the answer.
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
  // Otherwise Node closes with the answer, as the sender asked, whatever it is still writing.
  response.shouldKeepAlive = true;
  // Without a read before the answer, Node itself would throw away all that comes, however much it is.
  request.read();
  whenAnswered(request, response, () => {
    drop(request);
    finished(request, () => {
      if (isLast) socket.end();
    });
  });
}

/**
 * Does so where somebody else may answer in the package's place: a guard, a middleware, or another route of
 * the same path. Node throws away only what nobody has begun to read, and the package has: the next request
 * on the connection would never be heard, and an HTTP/2 stream never close. Whoever reads the request by then
 * reads on.
 */
export function dropUnlessRead(request: IncomingMessage, response: ServerResponse): void {
  whenAnswered(request, response, () => {
    if (!isBeingRead(request)) drop(request);
  });
}

/** Of HTTP/2 the response itself finishes only when the stream closes. */
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
