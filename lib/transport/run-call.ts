import { performance } from 'node:perf_hooks';
import { type AttemptInfo } from '../common/attempt.js';
import { type ProbeWait } from '../common/journal-port.js';
import { type OutcomeEvidence } from '../common/outcome-evidence.js';
import { type ResolvedProbeWaits, type ResolvedRetryOptions } from '../config/resolved-options.js';
import { type PaymentsErrorDetails } from '../errors/payments.error.js';
import { type CallEnd, type CallFailure } from './call-end.js';
import { callError, type FailureVerdict } from './call-error.js';
import { attemptInfo, type AttemptReport } from './call-report.js';
import { decide, type AttemptEvent, type Decision } from './decide.js';
import { type GatewayCall } from './gateway-call.js';
import { interpretAttempt } from './interpret-attempt.js';
import { backOffMs, nextWaitMs, pause, probeWaitMs } from './retry-timing.js';
import { sendInTurn, type TurnSetup } from './send-in-turn.js';

/** Everything that one call needs; every try sends the same request. */
export interface CallSetup extends TurnSetup {
  readonly idempotencyKey: string | undefined;
  readonly retry: ResolvedRetryOptions;
  readonly refusalCodes: ReadonlySet<string>;
  /** Set where the payment may have been made before this call, which then is its probe. */
  readonly probeFor?: ProbeWait | undefined;
  readonly probing?: Probing | undefined;
}

/** How a payment may be tried once more within its call. */
export interface Probing {
  readonly waits: ResolvedProbeWaits;
  /** Writes down that the probe leaves now; false where it must not. */
  readonly begin: (evidence: OutcomeEvidence) => Promise<boolean>;
}

/** Makes one call: try, interpret, decide, and again where the decision table allows it. */
export async function runCall<T extends object>(call: GatewayCall<T>, setup: CallSetup): Promise<CallEnd<T>> {
  const attempts: AttemptInfo[] = [];
  let ambiguous = setup.probeFor !== undefined;
  let openProbe = setup.probeFor;
  for (;;) {
    const { result, durationMs } = await sendInTurn(setup);
    const { report, success } = interpretAttempt(call, result, setup.refusalCodes);
    const attempt = attemptInfo(report, attempts.length + 1, durationMs);
    attempts.push(attempt);
    // What an interceptor sent before may have arrived, like an earlier try of this call.
    ambiguous ||= call.kind !== 'read' && result.result === 'response' && result.resent === true;
    const decision = decide(call.kind, report.event, report.httpStatus, ambiguous);
    const { verdict } = decision;
    setup.trace.attempt(attempt, report.requestId, decision);
    if (report.event === 'rate-limited') {
      setup.gate.coolDown(report.retryAfterMs ?? backOffMs(attempt.number, setup.retry));
    }
    if (verdict.end === 'success' && success) return { end: 'success', success, attempts };
    if (verdict.end === 'success' || verdict.end === 'aborted') return aborted(setup);

    // The first ambiguous try opens the probe; a later one that reached the gateway was it.
    if (!ambiguous) openProbe = decision.probe;
    else if (reachedGateway(report)) openProbe = undefined;
    ambiguous ||= call.kind !== 'read' && attempt.phase === 'ambiguous';
    const fail = (last: FailureVerdict, probe?: ProbeWait): CallFailure => ({
      end: 'failed',
      verdict: last,
      error: callError(last, report, detailsOf(call, setup, attempts)),
      openProbe: probe,
    });

    const waitMs = waitBefore(decision, report, attempts.length, setup);
    if (waitMs === undefined) return fail(verdict, openProbe);
    if (!(await setup.trace.waiting('retry', pause(waitMs, setup.signal)))) {
      return ambiguous ? fail({ end: 'unknown', evidence: 'aborted' }) : aborted(setup);
    }
    if (verdict.end === 'unknown' && decision.probe && !(await setup.probing?.begin(verdict.evidence)))
      return fail(verdict, openProbe);
  }
}

/** How long to wait for the next try; undefined: none. */
function waitBefore(
  { retry, probe }: Decision,
  { retryAfterMs }: AttemptReport,
  tries: number,
  setup: CallSetup,
): number | undefined {
  const remainingMs = setup.deadline - performance.now();
  if (probe) return setup.probing && probeWaitMs(probe, remainingMs, setup.probing.waits);
  return retry ? nextWaitMs({ tries, remainingMs, retryAfterMs }, setup.retry) : undefined;
}

function aborted({ signal }: CallSetup): CallEnd<never> {
  return { end: 'aborted', reason: signal?.reason };
}

const TURNED_AWAY: ReadonlySet<AttemptEvent> = new Set<AttemptEvent>([
  'not-sent',
  'request-changed',
  'held-back',
  'aborted-unsent',
  'rate-limited',
]);

/** Whether the gateway had the request in its hands, and did not turn it away unread. */
function reachedGateway({ event }: AttemptReport): boolean {
  return !TURNED_AWAY.has(event);
}

function detailsOf(
  call: GatewayCall<object>,
  { idempotencyKey }: CallSetup,
  attempts: readonly AttemptInfo[],
): PaymentsErrorDetails {
  return {
    operation: call.operation,
    reference: call.kind === 'read' ? undefined : call.payment.reference,
    idempotencyKey,
    attempts,
  };
}
