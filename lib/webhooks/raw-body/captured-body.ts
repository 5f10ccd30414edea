import { type ArgumentsHost, Injectable } from '@nestjs/common';
import { AsyncResource } from 'node:async_hooks';
import { EventEmitter } from 'node:events';
import { type IncomingMessage, type ServerResponse } from 'node:http';
import { type Http2ServerResponse } from 'node:http2';
import { type Readable } from 'node:stream';
import { type DeliveryCheck, type FoundAccount, type NamedAccount } from '../delivery/delivery-check.js';
import { type DeliveryLimits } from '../delivery/delivery-head.js';
import { type ReadEvent } from '../signature/read-event.js';

/** A request or response as Nest gives it: Express extends that of Node, and Fastify keeps it in `raw`. */
export type MaybeWrapped<Own extends object> = Own & { readonly raw?: Own };

/** Node's own request or response. On Express, `raw` is of the application: a body parser may keep the bytes there. */
export function nodeOf<Own extends object>(given: MaybeWrapped<Own>): Own {
  return given instanceof EventEmitter ? given : (given.raw ?? given);
}

/** Node's own request: by it the package knows the body and the answer. */
export function nodeRequest(host: ArgumentsHost): IncomingMessage {
  return nodeOf(host.switchToHttp().getRequest<MaybeWrapped<IncomingMessage>>());
}

/** Why a body was not read to its end. */
type UnreadBody = 400 | 408 | 413 | 503;

/**
 * Why a delivery is not verified: the body broke off (400), came too slowly (408), is too long (413), is not
 * plain JSON (415) or found no room (503), or a header of the scheme is missing (401).
 */
export type BodyRefusal = 401 | 415 | UnreadBody;

export type RouteReceiver = Pick<DeliveryCheck, 'scope' | 'signatures'>;

/** The delivery that a POST request to a path may be. */
export interface ExpectedDelivery {
  readonly path: string;
  /** Undefined if the package must not read the body. */
  readonly limits: DeliveryLimits | undefined;
  /** Verifies the delivery before the parsers; undefined if another route may take the request. */
  readonly receiver: RouteReceiver | undefined;
  /** Looks up the account that the path names, for a body of this many bytes; absent if the route has one account. */
  readonly find?: (bytes: number) => FoundAccount | Promise<FoundAccount>;
  /** Whether no other route, and no middleware below a parameter, can answer the request. */
  readonly isCertain: boolean;
}

/** The exact bytes of a delivery, or the status with which it is refused. */
export type CapturedBody = (
  | {
      readonly bytes: Uint8Array;
      /** Release it when the signature was checked. */
      readonly unverified?: UnverifiedBody;
      /** Set if the signature is valid: the guard does not check it again. */
      readonly genuine?: GenuineBody;
    }
  | { readonly refusedWith: BodyRefusal }
) & {
  /** Set on Express, for the check before the parsers. */
  readonly expected?: ExpectedDelivery;
};

interface GenuineBody {
  /** The receiver that checked the signature. Another account may have other keys. */
  readonly receiver: RouteReceiver;
  readonly read: ReadEvent;
  /** The account that the path names, if the path names it. */
  readonly named?: NamedAccount;
}

/**
 * The bodies of requests for the guard; a promise while one is being read, absent if somebody else read it
 * first.
 */
export const capturedBodies = new WeakMap<IncomingMessage, CapturedBody | Promise<CapturedBody>>();

/**
 * Takes a body that came whole with its head, without timer and listener. Nearly every delivery does.
 * Undefined if more is to come, or if somebody else reads the request.
 */
export function takeWhole(
  request: IncomingMessage,
  { announced, unverified }: ReadLimits,
): CapturedBody | undefined {
  const { readableLength: length } = request;
  if (length === 0 || length !== announced || request.readableEncoding !== null) return undefined;
  if (isBeingRead(request)) return undefined;
  return capturedFrom(unverified.admit(length, true) ? (request.read() as Uint8Array) : 503, unverified);
}

/** Releases the bytes of a refused body. */
function capturedFrom(body: Uint8Array | UnreadBody, unverified: UnverifiedBody): CapturedBody {
  if (typeof body !== 'number') return { bytes: body, unverified };
  unverified.release();
  return { refusedWith: body };
}

/** Whether somebody waits for the bytes of a request. */
export function isBeingRead(stream: Readable): boolean {
  return stream.listenerCount('data') + stream.listenerCount('readable') > 0;
}

/** Reads a stream to its end or to a limit; the rest may flow on. Never rejects. */
export function readBody(stream: Readable, limits: ReadLimits): Promise<CapturedBody> {
  return new Promise((resolve) => {
    const collected = new CollectedBytes(limits);
    const finish = (body: Uint8Array | UnreadBody): void => {
      clearTimeout(timer);
      stream.off('data', take).off('end', end).off('error', breakOff).off('close', breakOff);
      resolve(capturedFrom(body, limits.unverified));
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

/** Every 1,024 chunks are merged, so that a body sent byte by byte cannot exhaust memory. */
const MERGED_CHUNKS = 1_024;

/** The chunks of a body as they come. */
export class CollectedBytes {
  length = 0;
  private readonly chunks: Uint8Array[] = [];
  private added = 0;

  constructor(private readonly limits: ReadLimits) {}

  /** Keeps a chunk. Returns a status if the body is refused. */
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

  /** The whole body, without a copy if there is only one chunk. */
  whole(): Uint8Array {
    const [first] = this.chunks;
    return first && this.chunks.length === 1 ? first : Buffer.concat(this.chunks);
  }
}

/**
 * Reads the body of a request and puts it back, so that later readers get every byte and the end. A body
 * beyond the limits is put back as far as it was read.
 *
 * @param done Called once, in the caller's async context, on another tick.
 */
export function peekBody(
  request: IncomingMessage,
  limits: ReadLimits,
  done: (body: CapturedBody) => void,
): void {
  // After a tick, the buffer holds the part of the body that came with the head: mostly all of it.
  process.nextTick(() => {
    if (hasCome(request, 0, limits)) done(peekAtOnce(request, limits));
    else peekSlowly(request, limits, AsyncResource.bind(done));
  });
}

function peekAtOnce(request: IncomingMessage, { bytes, unverified }: ReadLimits): CapturedBody {
  if (request.readableLength > bytes) return capturedFrom(413, unverified);
  if (!unverified.admit(request.readableLength, true)) return capturedFrom(503, unverified);
  const body = takeBuffered(request) ?? Buffer.alloc(0);
  putBack(request, body);
  return capturedFrom(body, unverified);
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
    done(capturedFrom(problem ?? bytes, limits.unverified));
  };
  const timer = setTimeout(finish, limits.ms, 408);
  request.on('readable', takeMore).on('end', end).on('error', breakOff).on('close', breakOff);
}

/** Whether the last byte has come, if `taken` bytes were already taken. */
function hasCome(request: IncomingMessage, taken: number, { announced }: ReadLimits): boolean {
  if (Number.isNaN(announced)) return request.complete;
  return taken + request.readableLength >= announced;
}

/** Reading an empty buffer would take the end of the stream, which cannot be put back. */
function takeBuffered(request: IncomingMessage): Uint8Array | undefined {
  return request.readableLength > 0 ? (request.read() as Uint8Array) : undefined;
}

/** Call it in the tick of the read: later, a stream that was read to its last byte has ended. */
function putBack(request: IncomingMessage, bytes: Uint8Array): void {
  if (bytes.length > 0 && !request.readableEnded) request.unshift(bytes);
}

/** The share of the room for incomplete bodies, so that stalled uploads do not block complete ones. */
export const SHARE_OF_INCOMPLETE = 0.5;

/** Counts the unverified bytes that the application holds, over all connections and accounts. */
@Injectable()
export class UnverifiedBytes {
  held = 0;

  /** @param limit Most bytes of all bodies together. */
  body(limit: number): UnverifiedBody {
    return new UnverifiedBody(this, limit);
  }
}

/** The unverified bytes of one body. */
class UnverifiedBody {
  held = 0;
  private isOpen = true;

  constructor(
    private readonly all: UnverifiedBytes,
    private readonly limit: number,
  ) {}

  /**
   * Counts more bytes until `release`. Returns false if there is no room.
   *
   * @param isWhole Whether they are the last ones.
   */
  admit(bytes: number, isWhole: boolean): boolean {
    const room = this.limit * (isWhole ? 1 : SHARE_OF_INCOMPLETE);
    if (!this.isOpen || this.all.held + bytes > room) return false;
    this.all.held += bytes;
    this.held += bytes;
    return true;
  }

  /** Releases all bytes. Afterwards the body gets no room, so nothing of it can count forever. */
  release(): void {
    this.all.held -= this.held;
    this.held = 0;
    this.isOpen = false;
  }
}

/**
 * Releases unverified bytes, or an account, when the request is answered. The response of a host may finish without
 * closing.
 */
export function releaseAtEnd(
  response: Pick<ServerResponse, 'on' | 'writableEnded' | 'destroyed'> &
    Partial<Pick<Http2ServerResponse, 'stream'>>,
  held: { release(): void },
): void {
  let isHeld = true;
  const release = (): void => {
    if (isHeld) held.release();
    isHeld = false;
  };
  // In HTTP/2 only the stream says that the client has cut it off.
  const isOver = response.writableEnded || response.destroyed || response.stream?.destroyed;
  if (isOver) release();
  else response.on('finish', release).on('close', release);
}
