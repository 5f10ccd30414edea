import { type IncomingMessage } from 'node:http';
import { type Readable } from 'node:stream';
import { type UnverifiedBody } from './unverified-bytes.js';
import { AsyncResource } from 'node:async_hooks';

/** Why a body was not read to its end. */
export type UnreadBody = 'too long' | 'no room' | 'too slow' | 'broken off';

/** The bytes of a body, or why there are none. */
export type ReadBody = Uint8Array | UnreadBody;

/**
 * Takes a body that has come whole with its head, as nearly every delivery does: no timer, no listener. Undefined where more is to
 * come, or somebody else reads it too.
 */
export function takeWhole(
  request: IncomingMessage,
  { announced, unverified }: ReadLimits,
): ReadBody | undefined {
  const { readableLength: length } = request;
  if (length === 0 || length !== announced || request.readableEncoding !== null) return undefined;
  if (isBeingRead(request)) return undefined;
  return unverified.admit(length, true) ? (request.read() as Uint8Array) : 'no room';
}

/** Whether somebody waits for the bytes of a request. */
export function isBeingRead(request: IncomingMessage): boolean {
  return request.listenerCount('data') + request.listenerCount('readable') > 0;
}

/** Reads a stream to its end, or until one of the limits; the rest of it may flow on. Never rejects. */
export function readBody(stream: Readable, limits: ReadLimits): Promise<ReadBody> {
  return new Promise((resolve) => {
    const collected = new CollectedBytes(limits);
    const finish = (body: ReadBody): void => {
      clearTimeout(timer);
      stream.off('data', take).off('end', end).off('error', breakOff).off('close', breakOff);
      resolve(body);
    };
    const take = (chunk: Uint8Array | string): void => {
      const problem = collected.add(chunk);
      if (problem) finish(problem);
    };
    const end = (): void => {
      finish(collected.whole());
    };
    const breakOff = (): void => {
      finish('broken off');
    };
    const timer = setTimeout(finish, limits.ms, 'too slow');
    stream.on('data', take).on('end', end).on('error', breakOff).on('close', breakOff);
  });
}

/** How much of a body is read, and for how long. */
export interface ReadLimits {
  readonly bytes: number;
  readonly ms: number;
  /** NaN: not announced. */
  readonly announced: number;
  readonly unverified: UnverifiedBody;
}

/** Each chunk costs hundreds of bytes of its own: a body sent byte by byte must not cost a thousand times its length. */
const MERGED_CHUNKS = 1_024;

/** The chunks of a body as they come. */
export class CollectedBytes {
  length = 0;
  private readonly chunks: Uint8Array[] = [];
  private added = 0;

  constructor(private readonly limits: ReadLimits) {}

  /** Keeps a chunk; says why no more is to be read. */
  add(chunk: Uint8Array | string): 'too long' | 'no room' | undefined {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    const { bytes: most, announced, unverified } = this.limits;
    this.length += bytes.length;
    this.chunks.push(bytes);
    this.added += 1;
    if (this.added % MERGED_CHUNKS === 0) this.chunks.push(Buffer.concat(this.chunks.splice(-MERGED_CHUNKS)));
    if (this.length > most) return 'too long';
    return unverified.admit(bytes.length, this.length === announced) ? undefined : 'no room';
  }

  /** All of them as one; the chunk itself where there is only one. */
  whole(): Uint8Array {
    const [first] = this.chunks;
    return first && this.chunks.length === 1 ? first : Buffer.concat(this.chunks);
  }
}

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
