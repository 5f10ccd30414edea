import { performance } from 'node:perf_hooks';
import { setImmediate } from 'node:timers/promises';
import { type Dispatcher } from 'undici';
import {
  type HttpTransport,
  type OutgoingRequest,
  type TransportAnswer,
  type NotSentReason,
  type InFlightRequest,
  type SendLimits,
} from './http-transport.js';
import { readAnswer } from './send-try.js';
import { noteStart, refuseChanged, sendWatchOf } from './send-watch.js';
import { type IncomingHttpHeaders } from 'node:http';
import { type AxiosAdapter, type AxiosResponse, type InternalAxiosRequestConfig } from 'axios';

/** Sends requests over an undici dispatcher. */
export class UndiciTransport implements HttpTransport {
  /** Pending from an answer until its connection is free again. */
  private restOfTurn: Promise<void> | undefined;

  constructor(private readonly dispatcher: Dispatcher) {}

  /**
   * @param onSending Called when the first byte is about to leave; must not throw.
   * @param limits After these nothing may leave.
   * @param isOver Called before that. True if the try has ended, so that nothing may leave.
   */
  send(
    request: OutgoingRequest,
    onSending?: () => void,
    limits?: SendLimits,
    isOver?: () => boolean,
  ): ResponseCollector {
    const collector = new ResponseCollector(this.answered, onSending, limits, isOver);
    if (this.restOfTurn) {
      void this.restOfTurn.then(() => {
        this.dispatch(request, collector);
      });
    } else {
      this.dispatch(request, collector);
    }
    return collector;
  }

  private dispatch(
    { method, origin, path, headers, body }: OutgoingRequest,
    collector: ResponseCollector,
  ): void {
    this.dispatcher.dispatch(
      // The timer of the try limits both times, to the millisecond.
      { method, origin, path, headers, body: body ?? null, headersTimeout: 0, bodyTimeout: 0 },
      collector,
    );
  }

  /**
   * undici reuses a connection in the turn of the event loop after its answer. A call that does not wait for
   * that turn opens another connection, with another handshake.
   */
  private readonly answered = (): void => {
    this.restOfTurn ??= this.endOfTurn();
  };

  private async endOfTurn(): Promise<void> {
    // undici schedules its own work for the next turn after this callback, and must come first.
    await Promise.resolve();
    await setImmediate();
    this.restOfTurn = undefined;
  }
}

/** A complete response. */
interface CollectedResponse extends TransportAnswer {
  readonly statusText: string;
  readonly headers: IncomingHttpHeaders;
  readonly data: string;
}

/** Collects one response of an undici dispatcher, and notes when sending begins. */
export class ResponseCollector implements Dispatcher.DispatchHandler, InFlightRequest {
  readonly answer: Promise<CollectedResponse>;
  private resolve!: (response: CollectedResponse) => void;
  private reject!: (error: Error) => void;
  private controller: Dispatcher.DispatchController | undefined;
  private isAborted = false;
  private status!: number;
  private statusText!: string;
  private headers!: IncomingHttpHeaders;
  private readonly chunks: Buffer[] = [];

  /** @param onEnd Called when the answer is complete. */
  constructor(
    private readonly onEnd: () => void,
    private readonly onSending?: () => void,
    private readonly limits?: SendLimits,
    private readonly isOver?: () => boolean,
  ) {
    this.answer = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
  }

  mayHaveBeenSent(): boolean {
    return this.controller !== undefined;
  }

  notSentBecause(): NotSentReason {
    return {};
  }

  abort(): void {
    const error = new Error('given up');
    this.isAborted = true;
    this.controller?.abort(error);
    this.reject(error);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // If this throws, undici does not write the request: it was given up while it waited for a connection, or
    // undici wants to send it a second time.
    if (this.isAborted || this.isOver?.()) throw new Error('given up before sending');
    if (this.controller) throw new Error('sent once already');
    if (hasPassed(this.limits)) throw lateError();
    this.controller = controller;
    this.onSending?.();
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    statusCode: number,
    headers: IncomingHttpHeaders,
    statusMessage = '',
  ): void {
    this.status = statusCode;
    this.statusText = statusMessage;
    this.headers = headers;
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.chunks.push(chunk);
  }

  onResponseEnd(): void {
    const { status, statusText, headers, chunks } = this;
    const [only] = chunks;
    const bytes = only && chunks.length === 1 ? only : Buffer.concat(chunks);
    this.onEnd();
    this.resolve({
      status,
      statusText,
      headers,
      data: bytes.toString('utf8'),
      ...(endsWithConnection(headers) && { mayBeCutOff: true }),
    });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.reject(error);
  }
}

/**
 * Whether the time of a call is up. Asked again right before the first byte: the process or its machine may have stood
 * still while the request waited for a connection, and the journal may already let others act on the payment.
 */
export function hasPassed(limits: SendLimits | undefined): boolean {
  return limits !== undefined && (performance.now() >= limits.deadline || Date.now() >= limits.wallDeadline);
}

/** Fails a request whose time was up before it left. */
export function lateError(): Error {
  return Object.assign(new Error('too late to be sent'), { code: 'QUEUE_TIMEOUT' });
}

/** Whether nothing but the end of the connection ends the body. To undici a connection that breaks is that end, too. */
export function endsWithConnection({
  'content-length': length,
  'transfer-encoding': coding = '',
}: IncomingHttpHeaders): boolean {
  return length === undefined && !/\bchunked\s*$/i.test(coding);
}

const TRANSPORTS = new WeakMap<object, UndiciTransport>();

/** An axios adapter on a transport. The request's signal and the package's signal abort it. */
export function undiciAdapter(transport: UndiciTransport): AxiosAdapter {
  const adapter: AxiosAdapter = async (config) => {
    const watch = sendWatchOf(config.signal);
    const signals = new Set([config.signal as AbortSignal | undefined, watch?.signal]);
    for (const signal of signals) if (signal?.aborted) throw new Error('given up before sending');
    const request = requestOf(config);
    if (watch) {
      watch.taken += 1;
      // An adapter above this one may have changed it.
      refuseChanged(watch, request);
    }
    const start = (): void => {
      if (watch) noteStart(watch);
    };
    const inFlight = transport.send(request, start, watch?.limits, () => watch?.over === true);
    const abort = (): void => {
      inFlight.abort();
    };
    for (const signal of signals) signal?.addEventListener('abort', abort, { once: true });
    try {
      const answer = await inFlight.answer;
      if (watch) watch.answer = readAnswer(answer);
      return toAxiosResponse(answer, config);
    } finally {
      for (const signal of signals) signal?.removeEventListener('abort', abort);
    }
  };
  TRANSPORTS.set(adapter, transport);
  return adapter;
}

/** The transport of the package's own adapter; undefined for another adapter. */
export function transportBelow(adapter: unknown): UndiciTransport | undefined {
  return typeof adapter === 'function' ? TRANSPORTS.get(adapter) : undefined;
}

/** A request as axios changed it. */
export function requestOf(
  { url, method = 'get', headers, data }: InternalAxiosRequestConfig,
  address = url ?? '',
): OutgoingRequest {
  const { origin, pathname, search } = new URL(address);
  return {
    method: method.toUpperCase() as OutgoingRequest['method'],
    origin,
    path: pathname + search,
    // An interceptor may have set a plain object.
    headers:
      typeof headers.toJSON === 'function'
        ? headers.toJSON(true)
        : Object.fromEntries(Object.entries(headers)),
    body: typeof data === 'string' ? data : undefined,
  };
}

function toAxiosResponse(
  { data, status, statusText, headers }: CollectedResponse,
  config: InternalAxiosRequestConfig,
): AxiosResponse<string> {
  return { data, status, statusText, headers: headers as Record<string, string | string[]>, config };
}
