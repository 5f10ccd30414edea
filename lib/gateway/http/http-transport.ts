/** The end of a call by both clocks: after either nothing may leave. */
export interface SendLimits {
  /** By `performance.now()`. */
  readonly deadline: number;
  /** The same by `Date.now()`, which goes on while the machine is suspended. `performance.now()` stands still. */
  readonly wallDeadline: number;
}

/** One request as every try of a call sends it. */
export interface OutgoingRequest {
  readonly method: 'GET' | 'POST';
  /** Scheme, host and port. */
  readonly origin: string;
  /** Path and query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** A complete answer, of whatever status. */
export interface TransportAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  /** A text, unless an interceptor or a test's adapter has parsed it. */
  readonly data: unknown;
  /** Set if a proxy answered and let nothing through to the gateway. */
  readonly byProxy?: true;
  /** Set if an interceptor sent another request before, or replaced the answer. */
  readonly resent?: true;
  /** Set if the end of the connection was the end of the body, so that it may be cut off. */
  readonly mayBeCutOff?: true;
}

/** Why the application's interceptors kept a request from being sent. */
export interface NotSentReason {
  /** The part of the request that they changed. */
  readonly changed?: string;
  /** One of them failed or did not return. */
  readonly interceptorFailed?: true;
}

/** One request on its way to the gateway. */
export interface InFlightRequest {
  /** Rejects with the network's error. An error of axios holds the secret. */
  readonly answer: Promise<TransportAnswer>;
  /** Whether bytes may have left. An unobserved request counts as sent. */
  mayHaveBeenSent(): boolean;
  /** Call it only if nothing was sent. */
  notSentBecause(): NotSentReason;
  /** Stops the request. A payment that has not left will not leave. */
  abort(): void;
}

/**
 * Sends requests without time limits and follows no redirect. Only an interceptor of the application may send
 * a request twice.
 */
export interface HttpTransport {
  /**
   * Never throws.
   *
   * @param onSending Called when the first byte is about to leave; must not throw.
   * @param limits After these nothing may leave.
   */
  send(request: OutgoingRequest, onSending?: () => void, limits?: SendLimits): InFlightRequest;
}

/** The headers that say how to read a body. */
export interface BodyHeaders {
  readonly contentType?: string | undefined;
  readonly contentEncoding?: string | undefined;
}
