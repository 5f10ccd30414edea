/** Something else is answered; the request is processed only where the fault says so. */
export type InsteadFault =
  | { readonly kind: 'dropBefore' }
  | { readonly kind: 'status'; readonly status: number; readonly options: StatusFaultOptions }
  | { readonly kind: 'html'; readonly status: number; readonly options?: ProcessingOptions };

/** The request is processed, and its answer is faulty. */
export type AfterwardsFault =
  | { readonly kind: 'dropAfterProcessing' }
  | { readonly kind: 'reset' }
  | { readonly kind: 'partialBody' }
  | { readonly kind: 'malformedJson' }
  | { readonly kind: 'hang' }
  | { readonly kind: 'delay'; readonly delayMs: number }
  | { readonly kind: 'drip'; readonly everyMs: number };

/** What can go wrong between a request and its answer. */
export type Fault = InsteadFault | AfterwardsFault;

/**
 * Whether a fault lets its request through.
 *
 * @publicApi
 */
export interface ProcessingOptions {
  /** The request is processed first, as behind a proxy that gave up waiting. @default false */
  readonly afterProcessing?: boolean;
}

/**
 * What else a `status` fault answers.
 *
 * @publicApi
 */
export interface StatusFaultOptions extends ProcessingOptions {
  /** `Retry-After` in whole seconds. */
  readonly retryAfter?: number;
  /** Gateway code of the body, in shape B. @default a body with a message alone */
  readonly code?: string;
}

/** Whether the fault applies before the request is processed. */
export function isBeforehand(fault: Fault): fault is InsteadFault {
  if (fault.kind === 'dropBefore') return true;
  return (fault.kind === 'status' || fault.kind === 'html') && fault.options?.afterProcessing !== true;
}

/** Which calls a planned fault is for. */
export interface FaultTarget {
  /** Method and path below `/api/v1`. */
  readonly operation: string;
  /** Undefined: any reference. */
  readonly reference?: string | undefined;
  /** Undefined: any merchant. */
  readonly merchant?: string | undefined;
}

/** A fault that waits for its calls. */
export interface PlannedCallFault extends FaultTarget {
  readonly id: string;
  readonly fault: Fault;
  /** How many calls it still applies to; Infinity: until it is removed. */
  left: number;
  /** The chance that it applies to a call that it fits, from 0 to 1. */
  probability: number;
}
