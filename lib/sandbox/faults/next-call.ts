import { callOptionErrors, refuseUnknown } from '../../errors/option-errors.js';
import { PaymentsConfigError } from '../../errors/payments-errors.js';
import { type Duration, milliseconds } from '../clock/duration.js';
import { assertOperation } from '../core/assert-operation.js';
import {
  type Fault,
  type FaultTarget,
  type PlannedCallFault,
  type ProcessingOptions,
  type StatusFaultOptions,
} from '../core/fault.js';
import { type SandboxOperation } from '../core/operation-name.js';
import { type FaultQueue } from './fault-queue.js';

/**
 * Sets how often a fault applies. By default it applies to one call.
 *
 * @publicApi
 */
export interface PlannedFault {
  /**
   * Applies to this many calls instead of one.
   *
   * @throws PaymentsConfigError if it is not a positive integer.
   */
  times(calls: number): PlannedFault;
  /**
   * Applies to each call with this chance, until `reset()` or until it has applied `times(…)`. The same seed
   * and the same calls give the same faults.
   *
   * @throws PaymentsConfigError if it is not from 0 to 1.
   */
  probability(chance: number): PlannedFault;
}

/**
 * The calls of an operation that a fault applies to.
 *
 * @publicApi
 */
export interface CallSelection {
  /** The request's `reference`. @default any */
  readonly reference?: string;
  /** The `x` of the request's key pair `pk_test_x` / `sk_test_x`. @default any */
  readonly merchant?: string;
}

/**
 * Plans a fault for the next call of an operation. Faults that fit the same call apply in the order of their
 * planning.
 *
 * @example
 * ```ts
 * sandbox.next('POST /payments/mobile-money').status(429, { retryAfter: 2 }).times(2);
 * sandbox.next('POST /disbursements/bank', { reference: 'salary-1' }).dropAfterProcessing();
 * sandbox.next('GET /merchant-balance').reset().probability(0.2);
 * ```
 *
 * @publicApi
 */
export class NextCall {
  /** @internal */
  constructor(
    private readonly faults: FaultQueue,
    private readonly operation: SandboxOperation,
    private readonly selection: Omit<FaultTarget, 'operation'>,
    private readonly calls?: number,
  ) {
    assertOperation(operation);
    refuseUnknown(selection, ['reference', 'merchant'], callOptionErrors('next()'));
  }

  /**
   * The next calls, this many of them, instead of the next one: `times(2).status(503)` plans what `status(503).times(2)` plans.
   * Plans nothing by itself.
   *
   * @throws PaymentsConfigError if it is not a positive integer.
   */
  times(calls: number): NextCall {
    assertCalls(calls);
    return new NextCall(this.faults, this.operation, this.selection, calls);
  }

  /** Closes the connection without processing the request. */
  dropBefore(): PlannedFault {
    return this.plan({ kind: 'dropBefore' });
  }

  /** Processes the request, then closes the connection without an answer. */
  dropAfterProcessing(): PlannedFault {
    return this.plan({ kind: 'dropAfterProcessing' });
  }

  /** Processes the request, then resets the connection (TCP RST) without an answer. */
  reset(): PlannedFault {
    return this.plan({ kind: 'reset' });
  }

  /** Processes the request, sends the answer's head and half of its body, then closes the connection. */
  partialBody(): PlannedFault {
    return this.plan({ kind: 'partialBody' });
  }

  /**
   * Answers a status, and processes the request only with `afterProcessing`. The body is `{ message }`, or
   * shape B with `code`; an answer with 204, 205 or 304 has none.
   *
   * @throws PaymentsConfigError if the status is not from 200 to 599, or `retryAfter` is not a whole number
   * of seconds from 0 on, or an option is unknown.
   */
  status(status: number, options: StatusFaultOptions = {}): PlannedFault {
    refuseUnknown(options, ['afterProcessing', 'retryAfter', 'code'], callOptionErrors('status()'));
    const { retryAfter = 0 } = options;
    if (!Number.isSafeInteger(retryAfter) || retryAfter < 0) {
      throw new PaymentsConfigError('retryAfter takes whole seconds from 0 on: write { retryAfter: 2 }.');
    }
    return this.plan({ kind: 'status', status: answerable(status), options });
  }

  /** Processes the request, then answers with half of its JSON as if that were all. */
  malformedJson(): PlannedFault {
    return this.plan({ kind: 'malformedJson' });
  }

  /**
   * Answers an HTML page, like a proxy, and processes the request only with `afterProcessing`.
   *
   * @throws PaymentsConfigError if the status is not from 200 to 599, or an option is unknown.
   */
  html(status: number, options: ProcessingOptions = {}): PlannedFault {
    refuseUnknown(options, ['afterProcessing'], callOptionErrors('html()'));
    return this.plan({ kind: 'html', status: answerable(status), options });
  }

  /**
   * Processes the request, then answers after this time by the sandbox's clock.
   *
   * @throws PaymentsConfigError if the duration is invalid.
   */
  delay(duration: Duration): PlannedFault {
    return this.plan({ kind: 'delay', delayMs: milliseconds(duration) });
  }

  /**
   * Processes the request, then sends the answer's body byte by byte, one in this time by the sandbox's
   * clock.
   *
   * @throws PaymentsConfigError if the duration is invalid.
   */
  drip(every: Duration): PlannedFault {
    return this.plan({ kind: 'drip', everyMs: milliseconds(every) });
  }

  /** Processes the request, then keeps the connection open and never answers. */
  hang(): PlannedFault {
    return this.plan({ kind: 'hang' });
  }

  private plan(fault: Fault): PlannedFault {
    const target = { operation: this.operation, ...this.selection };
    const planned = plannedFault(this.faults, this.faults.add(target, fault));
    return this.calls === undefined ? planned : planned.times(this.calls);
  }
}

function plannedFault(faults: FaultQueue, entry: PlannedCallFault): PlannedFault {
  let counted = false;
  const handle: PlannedFault = {
    times: (calls) => {
      assertCalls(calls);
      faults.change(entry, { left: calls });
      counted = true;
      return handle;
    },
    probability: (chance) => {
      if (!(chance >= 0 && chance <= 1)) {
        throw new PaymentsConfigError(
          'probability(…) takes a number from 0 to 1: write 0.25 for every fourth call.',
        );
      }
      faults.change(entry, { probability: chance, ...(!counted && { left: Infinity }) });
      return handle;
    },
  };
  return handle;
}

function assertCalls(calls: number): void {
  if (Number.isSafeInteger(calls) && calls >= 1) return;
  throw new PaymentsConfigError('times(…) takes a whole number from 1 to 9007199254740991.');
}

function answerable(status: number): number {
  if (Number.isInteger(status) && status >= 200 && status <= 599) return status;
  throw new PaymentsConfigError('A fault answers an HTTP status from 200 to 599.');
}
