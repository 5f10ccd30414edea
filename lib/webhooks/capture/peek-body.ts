import { AsyncResource } from 'node:async_hooks';
import { type IncomingMessage } from 'node:http';
import { CollectedBytes, type ReadLimits } from './collected-bytes.js';
import { type ReadBody, type UnreadBody } from './read-body.js';

/**
 * Reads the body of a request and puts it back: whoever reads the request afterwards, in whatever way, gets every byte from
 * the first one on, and the end. A body beyond the limits is put back as far as it was read.
 *
 * @param done Called once, in the caller's async context, on another tick.
 */
export function peekBody(request: IncomingMessage, limits: ReadLimits, done: (body: ReadBody) => void): void {
  // What the packet of the head holds of the body is in the buffer of the stream then: for most deliveries, all of it.
  process.nextTick(() => {
    if (hasCome(request, 0, limits)) done(peekAtOnce(request, limits));
    else peekSlowly(request, limits, AsyncResource.bind(done));
  });
}

function peekAtOnce(request: IncomingMessage, { bytes, unverified }: ReadLimits): ReadBody {
  if (request.readableLength > bytes) return 'too long';
  if (!unverified.admit(request.readableLength, true)) return 'no room';
  const body = takeBuffered(request) ?? Buffer.alloc(0);
  putBack(request, body);
  return body;
}

function peekSlowly(request: IncomingMessage, limits: ReadLimits, done: (body: ReadBody) => void): void {
  const collected = new CollectedBytes(limits);
  const takeMore = (): void => {
    const chunk = takeBuffered(request);
    const problem = chunk && collected.add(chunk);
    if (problem) finish(problem);
    // Node announces the end of a stream as readable without a byte.
    else if (!chunk || hasCome(request, collected.length, limits)) end();
  };
  const end = (): void => {
    finish('whole');
  };
  const breakOff = (): void => {
    finish('broken off');
  };
  const finish = (outcome: 'whole' | UnreadBody): void => {
    clearTimeout(timer);
    request.off('readable', takeMore).off('end', end).off('error', breakOff).off('close', breakOff);
    const bytes = collected.whole();
    if (outcome !== 'broken off') putBack(request, bytes);
    done(outcome === 'whole' ? bytes : outcome);
  };
  const timer = setTimeout(finish, limits.ms, 'too slow');
  request.on('readable', takeMore).on('end', end).on('error', breakOff).on('close', breakOff);
}

/** Whether the last byte has come, `taken` bytes after the first: it has where nothing was announced, too. */
function hasCome(request: IncomingMessage, taken: number, { announced }: ReadLimits): boolean {
  if (Number.isNaN(announced)) return request.complete;
  return taken + request.readableLength >= announced;
}

/** A read of an empty buffer would take the end of the stream, which nobody can put back. */
function takeBuffered(request: IncomingMessage): Uint8Array | undefined {
  return request.readableLength > 0 ? (request.read() as Uint8Array) : undefined;
}

/** In the tick of the read: after it a stream that was read to its last byte emits its end, and takes nothing back. */
function putBack(request: IncomingMessage, bytes: Uint8Array): void {
  if (bytes.length > 0 && !request.readableEnded) request.unshift(bytes);
}
