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
  /** A text, unless an interceptor or a test adapter has parsed it. */
  readonly data: unknown;
  /** Set where a proxy answered, which let nothing through to the gateway. */
  readonly byProxy?: true;
  /** Set where an interceptor sent something before, or brought an answer that nobody saw come. */
  readonly resent?: true;
}

/** What the application's interceptors had to do with a request that was not sent. */
export interface NotSentReason {
  /** What of the request they changed. */
  readonly changed?: string;
  /** One of them failed, or did not come back. */
  readonly interceptorFailed?: true;
}

/** One request on its way to the gateway. */
export interface InFlightRequest {
  /** Rejects with the network's error; one of axios holds the secret. */
  readonly answer: Promise<TransportAnswer>;
  /** Whether bytes may have left. What nobody watched counts as sent. */
  mayHaveBeenSent(): boolean;
  /** What the application's interceptors had to do with it, where nothing was sent. */
  notSentBecause(): NotSentReason;
  /** Stops it, wherever it is: a payment that has not left will not leave. */
  giveUp(): void;
}

/**
 * Sends requests, following no redirect. Only an application's interceptor may send one again. Time limits
 * are the caller's.
 */
export interface HttpTransport {
  /**
   * Never throws.
   *
   * @param onStart Called when the first byte is about to leave; must not throw.
   */
  send(request: OutgoingRequest, onStart?: () => void): InFlightRequest;
}

/** The headers that say how to read a body; undefined where the answer had none. */
export interface BodyHeaders {
  readonly contentType?: string | undefined;
  readonly contentEncoding?: string | undefined;
}
