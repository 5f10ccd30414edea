import { type SandboxOperation } from '../core/operations.js';

/** The request is not processed. */
export type BeforehandFault =
  | { readonly kind: 'dropBefore' }
  | { readonly kind: 'status'; readonly status: number; readonly options: StatusFaultOptions }
  | { readonly kind: 'html'; readonly status: number };

/** The request is processed, and its answer spoiled. */
export type AfterwardsFault =
  | { readonly kind: 'dropAfterProcessing' }
  | { readonly kind: 'malformedJson' }
  | { readonly kind: 'hang' }
  | { readonly kind: 'delay'; readonly delayMs: number };

export type Fault = BeforehandFault | AfterwardsFault;

export function isBeforehand(fault: Fault): fault is BeforehandFault {
  return fault.kind === 'dropBefore' || fault.kind === 'status' || fault.kind === 'html';
}

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

/** Faults that wait for their calls, first in first out per operation. */
export class FaultQueue {
  private waiting: { readonly operation: SandboxOperation; readonly fault: Fault; left: number }[] = [];

  /** The returned function says how many calls it spoils, one unless it is called. */
  add(operation: SandboxOperation, fault: Fault): (calls: number) => void {
    const entry = { operation, fault, left: 1 };
    this.waiting.push(entry);
    return (calls) => {
      entry.left = calls;
    };
  }

  take(operation: SandboxOperation): Fault | undefined {
    const entry = this.waiting.find((fault) => fault.operation === operation && fault.left > 0);
    if (!entry) return undefined;
    entry.left -= 1;
    if (entry.left === 0) this.waiting = this.waiting.filter((fault) => fault !== entry);
    return entry.fault;
  }

  clear(): void {
    this.waiting = [];
  }
}
