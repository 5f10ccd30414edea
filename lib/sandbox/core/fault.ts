/** The request is not processed. */
export type BeforehandFault =
  | { readonly kind: 'dropBefore' }
  | { readonly kind: 'status'; readonly status: number; readonly options: StatusFaultOptions }
  | { readonly kind: 'html'; readonly status: number };

/** The request is processed, and its answer spoiled. */
export type AfterwardsFault =
  | { readonly kind: 'dropAfterProcessing' }
  | { readonly kind: 'reset' }
  | { readonly kind: 'partialBody' }
  | { readonly kind: 'malformedJson' }
  | { readonly kind: 'hang' }
  | { readonly kind: 'delay'; readonly delayMs: number }
  | { readonly kind: 'drip'; readonly everyMs: number };

/** What can go wrong between a request and its answer. */
export type Fault = BeforehandFault | AfterwardsFault;

/**
 * What else a `status` fault answers.
 *
 * @publicApi
 */
export interface StatusFaultOptions {
  /** `Retry-After` in seconds. */
  readonly retryAfter?: number;
  /** Gateway code of the body, in shape B. @default a body with a message alone */
  readonly code?: string;
}

export function isBeforehand(fault: Fault): fault is BeforehandFault {
  return fault.kind === 'dropBefore' || fault.kind === 'status' || fault.kind === 'html';
}
