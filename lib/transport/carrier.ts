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
export interface CarriedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  /** A text, unless an interceptor or a test adapter has parsed it. */
  readonly data: unknown;
}

/** One request on its way to the gateway. */
export interface Passage {
  /** Rejects with the network's error; one of axios holds the secret. */
  readonly answer: Promise<CarriedAnswer>;
  /** Whether bytes may have left. What nobody watched counts as sent. */
  mayHaveBeenSent(): boolean;
  /** Stops it, wherever it is. */
  giveUp(): void;
}

/** Sends requests, following no redirect. Only an application's interceptor may send one again. Time limits are the caller's. */
export interface Carrier {
  /** Never throws. */
  carry(request: OutgoingRequest): Passage;
}
