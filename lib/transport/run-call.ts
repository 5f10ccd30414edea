import { performance } from 'node:perf_hooks';
import { type AttemptInfo } from '../common/attempt.js';
import { type ResolvedRetryOptions } from '../config/resolved-options.js';
import { type PaymentsErrorDetails } from '../errors/payments.error.js';
import { callError } from './call-error.js';
import { attemptInfo } from './call-report.js';
import { decide } from './decide.js';
import { type GatewayCall } from './gateway-call.js';
import { interpretAttempt } from './interpret-attempt.js';
import { withLastResponse, type PaymentsResponse } from './last-response.js';
import { backOffMs, nextWaitMs, pause } from './retry-timing.js';
import { sendInTurn, type TurnSetup } from './send-in-turn.js';

/** Everything that one call needs; every try sends the same request. */
export interface CallSetup extends TurnSetup {
  readonly idempotencyKey: string | undefined;
  readonly deadlineMs: number;
  readonly retry: ResolvedRetryOptions;
  readonly refusalCodes: ReadonlySet<string>;
}

/** Makes one call: try, interpret, decide, and again where the decision table allows it. */
export async function runCall<T extends object>(
  call: GatewayCall<T>,
  setup: CallSetup,
): Promise<PaymentsResponse<T>> {
  const { signal, idempotencyKey } = setup;
  const deadline = performance.now() + setup.deadlineMs;
  const attempts: AttemptInfo[] = [];
  let ambiguous = false;
  for (;;) {
    const { result, durationMs } = await sendInTurn(setup, deadline);
    const { report, success } = interpretAttempt(call, result, setup.refusalCodes);
    const attempt = attemptInfo(report, attempts.length + 1, durationMs);
    attempts.push(attempt);
    const decision = decide(call.kind, report.event, report.httpStatus, ambiguous);
    const { retry, verdict } = decision;
    ambiguous ||= attempt.phase === 'ambiguous';
    setup.trace.attempt(attempt, report.requestId, decision);
    if (report.event === 'rate-limited') {
      setup.gate.coolDown(report.retryAfterMs ?? backOffMs(attempt.number, setup.retry));
    }

    if (verdict.end === 'success' && success) {
      const key = idempotencyKey === undefined ? {} : { idempotencyKey };
      return withLastResponse(success.value, {
        ...success.envelope,
        ...key,
        attempts,
        warnings: success.warnings,
      });
    }
    if (verdict.end === 'success' || verdict.end === 'aborted') throw signal?.reason;

    const remainingMs = deadline - performance.now();
    const waitMs = retry
      ? nextWaitMs({ tries: attempts.length, remainingMs, retryAfterMs: report.retryAfterMs }, setup.retry)
      : undefined;
    if (waitMs === undefined) throw callError(verdict, report, detailsOf(call, idempotencyKey, attempts));
    await setup.trace.waiting('retry', pause(waitMs, signal));
  }
}

function detailsOf(
  call: GatewayCall<object>,
  idempotencyKey: string | undefined,
  attempts: readonly AttemptInfo[],
): PaymentsErrorDetails {
  return {
    operation: call.operation,
    reference: call.kind === 'read' ? undefined : call.payment.reference,
    idempotencyKey,
    attempts,
  };
}
