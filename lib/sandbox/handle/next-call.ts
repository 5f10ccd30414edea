import { type Duration, milliseconds } from '../clock/duration.js';
import { SANDBOX_OPERATIONS, type SandboxOperation } from '../core/operations.js';
import { type Fault, type FaultQueue, type StatusFaultOptions } from '../http/faults.js';
import { PaymentsConfigError } from '../../errors/payments-config.error.js';

/**
 * How often a fault strikes.
 *
 * @publicApi
 */
export interface PlannedFault {
  /** Spoils this many calls of the operation instead of one. */
  times(calls: number): void;
}

/**
 * Spoils the next call of an operation. Faults of the same operation strike in the order in which they were planned.
 *
 * @example
 * sandbox.next('POST /payments/mobile-money').status(429, { retryAfter: 2 }).times(2);
 *
 * @publicApi
 */
export class NextCall {
  /** @internal */
  constructor(
    private readonly faults: FaultQueue,
    private readonly operation: SandboxOperation,
  ) {
    if (!SANDBOX_OPERATIONS.includes(operation)) {
      throw new PaymentsConfigError(
        `The gateway has no operation ${JSON.stringify(operation)}: write one of ${SANDBOX_OPERATIONS.join(', ')}.`,
      );
    }
  }

  /** Closes the connection; the request is not processed. */
  dropBefore(): PlannedFault {
    return this.plan({ kind: 'dropBefore' });
  }

  /** Processes the request, then closes the connection without an answer. */
  dropAfterProcessing(): PlannedFault {
    return this.plan({ kind: 'dropAfterProcessing' });
  }

  /** Answers a status; the request is not processed. The body is `{ message }`, or shape B with `code`. */
  status(status: number, options: StatusFaultOptions = {}): PlannedFault {
    return this.plan({ kind: 'status', status: answerable(status), options });
  }

  /** Processes the request, then answers with half of its JSON. */
  malformedJson(): PlannedFault {
    return this.plan({ kind: 'malformedJson' });
  }

  /** Answers an HTML page, as a proxy would; the request is not processed. */
  html(status: number): PlannedFault {
    return this.plan({ kind: 'html', status: answerable(status) });
  }

  /** Processes the request, then answers after this time by the sandbox's clock. */
  delay(duration: Duration): PlannedFault {
    return this.plan({ kind: 'delay', delayMs: milliseconds(duration) });
  }

  /** Processes the request, then never answers and keeps the connection. */
  hang(): PlannedFault {
    return this.plan({ kind: 'hang' });
  }

  private plan(fault: Fault): PlannedFault {
    const setCalls = this.faults.add(this.operation, fault);
    return {
      times: (calls) => {
        if (!Number.isInteger(calls) || calls < 1) {
          throw new PaymentsConfigError('times(…) takes a whole number from 1 on.');
        }
        setCalls(calls);
      },
    };
  }
}

function answerable(status: number): number {
  if (Number.isInteger(status) && status >= 200 && status <= 599) return status;
  throw new PaymentsConfigError('A fault answers an HTTP status from 200 to 599.');
}
