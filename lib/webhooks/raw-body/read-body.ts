import { Injectable } from '@nestjs/common';
import { AsyncResource } from 'node:async_hooks';
import { type IncomingMessage, type ServerResponse } from 'node:http';
import { type Readable } from 'node:stream';
import { type DeliveryLimits } from '../delivery/delivery-head.js';
import { type WebhookReceiver } from '../delivery/webhook-receiver.js';
import { type ReadEvent } from '../signature/read-event.js';

/** Why a body was not read to its end: it broke off, came too slowly, is too long, or there was no room for it. */
type UnreadBody = 400 | 408 | 413 | 503;

/**
 * Why the body of a delivery is not verified: it broke off (400), lacks a header of the scheme (401), came
 * too slowly (408), is too long (413), is not plain JSON (415), or there was no room for it (503).
 */
export type BodyRefusal = 401 | 415 | UnreadBody;

/** Who receives the deliveries of a route. */
export type RouteReceiver = Pick<WebhookReceiver, 'scope' | 'signatures'>;

/** What the path of a POST request says about its delivery. */
export interface ExpectedDelivery {
  readonly path: string;
  /** What its body is held to; undefined where nothing is to be read here. */
  readonly limits: DeliveryLimits | undefined;
  /** Who verifies it before the parsers; undefined where another route may take the request. */
  readonly receiver: RouteReceiver | undefined;
  /** Whether nobody else can answer it: no other route, and no middleware below a parameter. */
  readonly isCertain: boolean;
}

/** The exact bytes of a delivery, or the status with which it is refused. */
export type CapturedBody = (
  | {
      readonly bytes: Uint8Array;
      /** To be released when the signature was checked: the bytes no longer count as unverified. */
      readonly unverified?: UnverifiedBody;
      /** Where the signature was found right already: the guard does not check it again. */
      readonly genuine?: GenuineBody;
    }
  | { readonly refusedWith: BodyRefusal }
) & {
  /** What the path said of it, where that had to be asked. */
  readonly expected?: ExpectedDelivery;
};

/** A body whose signature is right. */
interface GenuineBody {
  /** Who found it right: another account may have other keys. */
  readonly receiver: RouteReceiver;
  readonly read: ReadEvent;
}

/**
 * The bodies of requests, kept for the guard; a promise where one is still being read, nothing where somebody
 * else read it first. Beside the requests, not on them: they belong to the application.
 */
export const capturedBodies = new WeakMap<IncomingMessage, CapturedBody | Promise<CapturedBody>>();

/**
 * Takes a body that has come whole with its head, as nearly every delivery does: no timer, no listener.
 * Undefined where more is to come, or somebody else reads it too.
 */
export function takeWhole(
  request: IncomingMessage,
  { announced, unverified }: ReadLimits,
): CapturedBody | undefined {
  const { readableLength: length } = request;
  if (length === 0 || length !== announced || request.readableEncoding !== null) return undefined;
  if (isBeingRead(request)) return undefined;
  return judged(unverified.admit(length, true) ? (request.read() as Uint8Array) : 503, unverified);
}

/** Of a body that is refused nothing counts as held any longer. */
function judged(body: Uint8Array | UnreadBody, unverified: UnverifiedBody): CapturedBody {
  if (typeof body !== 'number') return { bytes: body, unverified };
  unverified.release();
  return { refusedWith: body };
}

/** Whether somebody waits for the bytes of a request. */
export function isBeingRead(request: IncomingMessage): boolean {
  return request.listenerCount('data') + request.listenerCount('readable') > 0;
}

/** Reads a stream to its end, or until one of the limits; the rest of it may flow on. Never rejects. */
export function readBody(stream: Readable, limits: ReadLimits): Promise<CapturedBody> {
  return new Promise((resolve) => {
    const collected = new CollectedBytes(limits);
    const finish = (body: Uint8Array | UnreadBody): void => {
      clearTimeout(timer);
      stream.off('data', take).off('end', end).off('error', breakOff).off('close', breakOff);
      resolve(judged(body, limits.unverified));
    };
    const take = (chunk: Uint8Array | string): void => {
      const problem = collected.add(chunk);
      if (problem) finish(problem);
    };
    const end = (): void => {
      finish(collected.whole());
    };
    const breakOff = (): void => {
      finish(400);
    };
    const timer = setTimeout(finish, limits.ms, 408);
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

/**
 * Each chunk costs hundreds of bytes of its own: a body sent byte by byte must not cost a thousand times its length.
 */
const MERGED_CHUNKS = 1_024;

/** The chunks of a body as they come. */
export class CollectedBytes {
  length = 0;
  private readonly chunks: Uint8Array[] = [];
  private added = 0;

  constructor(private readonly limits: ReadLimits) {}

  /** Keeps a chunk; says why no more is to be read. */
  add(chunk: Uint8Array | string): 413 | 503 | undefined {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    const { bytes: most, announced, unverified } = this.limits;
    this.length += bytes.length;
    this.chunks.push(bytes);
    this.added += 1;
    if (this.added % MERGED_CHUNKS === 0) this.chunks.push(Buffer.concat(this.chunks.splice(-MERGED_CHUNKS)));
    if (this.length > most) return 413;
    return unverified.admit(bytes.length, this.length === announced) ? undefined : 503;
  }

  /** All of them as one; the chunk itself where there is only one. */
  whole(): Uint8Array {
    const [first] = this.chunks;
    return first && this.chunks.length === 1 ? first : Buffer.concat(this.chunks);
  }
}

/**
 * Reads the body of a request and puts it back: whoever reads the request afterwards, in whatever way, gets
 * every byte from the first one on, and the end. A body beyond the limits is put back as far as it was read.
 *
 * @param done Called once, in the caller's async context, on another tick.
 */
export function peekBody(
  request: IncomingMessage,
  limits: ReadLimits,
  done: (body: CapturedBody) => void,
): void {
  // What the packet of the head holds of the body is in the buffer of the stream then: for most deliveries, all of it.
  process.nextTick(() => {
    if (hasCome(request, 0, limits)) done(peekAtOnce(request, limits));
    else peekSlowly(request, limits, AsyncResource.bind(done));
  });
}

function peekAtOnce(request: IncomingMessage, { bytes, unverified }: ReadLimits): CapturedBody {
  if (request.readableLength > bytes) return judged(413, unverified);
  if (!unverified.admit(request.readableLength, true)) return judged(503, unverified);
  const body = takeBuffered(request) ?? Buffer.alloc(0);
  putBack(request, body);
  return judged(body, unverified);
}

function peekSlowly(request: IncomingMessage, limits: ReadLimits, done: (body: CapturedBody) => void): void {
  const collected = new CollectedBytes(limits);
  const takeMore = (): void => {
    const chunk = takeBuffered(request);
    const problem = chunk && collected.add(chunk);
    if (problem) finish(problem);
    // Node announces the end of a stream as readable without a byte.
    else if (!chunk || hasCome(request, collected.length, limits)) end();
  };
  const end = (): void => {
    finish();
  };
  const breakOff = (): void => {
    finish(400);
  };
  const finish = (problem?: UnreadBody): void => {
    clearTimeout(timer);
    request.off('readable', takeMore).off('end', end).off('error', breakOff).off('close', breakOff);
    const bytes = collected.whole();
    if (problem !== 400) putBack(request, bytes);
    done(judged(problem ?? bytes, limits.unverified));
  };
  const timer = setTimeout(finish, limits.ms, 408);
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

/**
 * How much of the room bodies may take that have not come to their end: stalled uploads never shut out what
 * comes whole.
 */
const SHARE_OF_INCOMPLETE = 0.5;

/**
 * Counts the bytes that the application holds of bodies before their signature was checked, over all
 * connections and accounts.
 */
@Injectable()
export class UnverifiedBytes {
  /** Of all bodies together. */
  held = 0;

  /** @param limit Most bytes of all bodies together. */
  body(limit: number): UnverifiedBody {
    return new UnverifiedBody(this, limit);
  }
}

/** The bytes of one body that nobody has verified yet. */
class UnverifiedBody {
  /** How many of them count. */
  held = 0;
  private isOpen = true;

  constructor(
    private readonly all: UnverifiedBytes,
    private readonly limit: number,
  ) {}

  /**
   * Whether there is room for more bytes of it; they count until `release`.
   *
   * @param isWhole Whether they are its last.
   */
  admit(bytes: number, isWhole: boolean): boolean {
    const room = this.limit * (isWhole ? 1 : SHARE_OF_INCOMPLETE);
    if (!this.isOpen || this.all.held + bytes > room) return false;
    this.all.held += bytes;
    this.held += bytes;
    return true;
  }

  /** Gives everything back. Nothing of the body is admitted afterwards, so nothing of it can be held for good. */
  release(): void {
    this.all.held -= this.held;
    this.held = 0;
    this.isOpen = false;
  }
}

/**
 * Gives back what nobody verified once the request is answered. A response that a host has made up finishes,
 * but never closes.
 */
export function releaseAtEnd(
  response: Pick<ServerResponse, 'on' | 'writableEnded' | 'destroyed'>,
  unverified: UnverifiedBody,
): void {
  const release = (): void => {
    unverified.release();
  };
  if (response.writableEnded || response.destroyed) release();
  else response.on('finish', release).on('close', release);
}
