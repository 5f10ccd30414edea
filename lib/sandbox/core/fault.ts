/** Answers in place of the gateway. The request is processed only if the fault says so. */
export type AnsweringFault =
  | { readonly kind: 'status'; readonly status: number; readonly options: StatusFaultOptions }
  | { readonly kind: 'html'; readonly status: number; readonly options?: ProcessingOptions };

/** Replaces the answer. */
export type InsteadFault = { readonly kind: 'dropBefore' } | AnsweringFault;

/** Every kind of fault. */
export const FAULT_KINDS = [
  'dropBefore',
  'dropAfterProcessing',
  'reset',
  'partialBody',
  'malformedJson',
  'hang',
  'status',
  'html',
  'delay',
  'drip',
] as const satisfies readonly Fault['kind'][];

/** A fault between a request and its answer. Most faults spoil the answer after the request was processed. */
export type Fault =
  | InsteadFault
  | { readonly kind: 'dropAfterProcessing' }
  | { readonly kind: 'reset' }
  | { readonly kind: 'partialBody' }
  | { readonly kind: 'malformedJson' }
  | { readonly kind: 'hang' }
  | { readonly kind: 'delay'; readonly delayMs: number }
  | { readonly kind: 'drip'; readonly everyMs: number };

/**
 * Whether the emulator processes a request in spite of its fault.
 *
 * @publicApi
 */
export interface ProcessingOptions {
  /** Processes the request first, like a gateway whose proxy gave up waiting. @default false */
  readonly afterProcessing?: boolean;
}

/**
 * Options of a `status` fault.
 *
 * @publicApi
 */
export interface StatusFaultOptions extends ProcessingOptions {
  /** `Retry-After` in whole seconds. */
  readonly retryAfter?: number;
  /** Gateway code of the body, in shape B. @default a body that has only a message */
  readonly code?: string;
}

/** Whether the fault applies before the request is processed. */
export function isBeforehand(fault: Fault): fault is InsteadFault {
  if (fault.kind === 'dropBefore') return true;
  return (fault.kind === 'status' || fault.kind === 'html') && fault.options?.afterProcessing !== true;
}

/** The calls that a planned fault applies to. */
export interface FaultTarget {
  /** Method and path below `/api/v1`. */
  readonly operation: string;
  /** Undefined: any reference. */
  readonly reference?: string | undefined;
  /** Undefined: any merchant. */
  readonly merchant?: string | undefined;
}

/** A planned fault. */
export interface PlannedCallFault extends FaultTarget {
  readonly id: string;
  readonly fault: Fault;
  /** How many calls it still applies to; Infinity: until somebody removes it. */
  left: number;
  /** The chance that it applies to a fitting call, from 0 to 1. */
  probability: number;
}
