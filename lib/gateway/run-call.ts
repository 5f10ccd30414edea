import { performance } from 'node:perf_hooks';
import { type AttemptInfo, type OutcomeEvidence, type ProbeWait } from '../common/vocabulary.js';
import { type ResolvedProbeWaits } from '../config/resolved-options.js';
import { type PaymentsErrorDetails } from '../errors/payments-errors.js';
import { type AccountKeys, type KeyHeaders } from './account-keys.js';
import { type CallAborted, type CallResult, type CallFailure } from './call-result.js';
import { callError, type FailureVerdict } from './call-error.js';
import { type CallState, decideAfterTry, type Decision, type EarlierTries } from './decide-after-try.js';
import { type GatewayCall } from './gateway-call.js';
import { attemptInfo, type TryReport, interpretTry } from './answer/interpret-try.js';
import { backOffMs, pause } from '../common/timing.js';
import { nextWaitMs, probeWaitMs } from './wait-before-try.js';
import { type Permit, type RateLimiter } from './rate-limiter.js';
import { type CallLimits } from './call-options.js';
import { CallTrace } from './call-trace.js';
import { type HttpTransport, type OutgoingRequest } from './http/http-transport.js';
import { sendTry, type TryResult } from './http/send-try.js';

/** One call: what it sends, and how. */
interface CallSetup extends Partial<IdempotentRequest>, CallLimits {
  readonly transport: HttpTransport;
  readonly rateLimiter: RateLimiter;
  readonly refusalCodes: ReadonlySet<string>;
  readonly request: OutgoingRequest;
  /**
   * The same request with other keys, after a 401. Resolves to undefined if there are none, not in time, or not before
   * the signal fires. Never rejects.
   */
  readonly withOtherKeys?:
    ((limits: Pick<CallLimits, 'sendBy' | 'signal'>) => Promise<OutgoingRequest | undefined>) | undefined;
  readonly trace: CallTrace;
}

/** The part of a payment that every try sends, and the rules for its probe. */
export interface IdempotentRequest {
  readonly idempotencyKey: string;
  readonly body: string;
  /** Set if this call is the probe of a payment that may have been made before. */
  readonly earlier: EarlierTries | undefined;
  readonly probing: Probing | undefined;
  /** How long the payment waited for the end of a pause before it was written down. */
  readonly waitedMs?: number;
  /** Called when the first byte of a try is about to leave; must not throw. */
  readonly onSending: (() => void) | undefined;
}

/** How a call may probe its own payment. */
interface Probing {
  readonly waits: ResolvedProbeWaits;
  /** Writes down that the probe leaves now. Resolves to false if it must not leave. */
  readonly begin: (evidence: OutcomeEvidence) => Promise<boolean>;
}

/** Sends a call with all tries that the decision table allows. Never rejects. */
export type SendCall = <T extends object>(
  call: GatewayCall<T>,
  identity: Partial<IdempotentRequest>,
  limits: CallLimits,
) => Promise<CallResult<T>>;

/** The parts that all calls of an account share. */
interface CallAccount {
  readonly account: string;
  readonly transport: HttpTransport;
  readonly rateLimiter: RateLimiter;
  readonly refusalCodes: ReadonlySet<string>;
  /** Scheme, host and port. */
  readonly origin: string;
  /** Before the path of every operation. */
  readonly basePath: string;
  readonly keys: AccountKeys;
}

/** A call ends with the keys that it began with, unless the gateway refuses them and there are others. */
export function callSender(setup: CallAccount): SendCall {
  const { account, transport, rateLimiter, refusalCodes, origin, basePath, keys } = setup;
  return async (call, identity, limits) => {
    const { idempotencyKey, body } = identity;
    const reference = call.kind === 'read' ? {} : { reference: call.payment.reference };
    const trace = new CallTrace({ account, operation: call.operation, ...reference });
    trace.started(identity.waitedMs);
    const headersOf = ({ plain, withBody }: KeyHeaders): Record<string, string> => {
      const headers = body === undefined ? plain : withBody;
      return idempotencyKey === undefined
        ? { ...headers }
        : { 'Idempotency-Key': idempotencyKey, ...headers };
    };
    const first = keys.current;
    const request = { method: call.method, origin, path: basePath + call.path, body };
    const result = await runCall(call, {
      transport,
      rateLimiter,
      trace,
      refusalCodes,
      request: { headers: headersOf(first), ...request },
      withOtherKeys: async ({ sendBy, signal }) => {
        const others = await keys.renewed?.(first, sendBy, signal);
        return others && { headers: headersOf(others), ...request };
      },
      ...identity,
      ...limits,
    });
    trace.ended(result);
    return result;
  };
}

/**
 * Makes one call: sends a try, interprets it, decides, and repeats that if the decision table allows it. Never
 * rejects.
 */
export async function runCall<T extends object>(
  call: GatewayCall<T>,
  setup: CallSetup,
): Promise<CallResult<T>> {
  const attempts: AttemptInfo[] = [];
  let before: CallState = { answered: false, turnedAway: true, doubt: setup.earlier };
  let { request, withOtherKeys } = setup;
  for (;;) {
    const { result, durationMs } = await sendInTurn({ ...setup, request });
    const { report, success } = interpretTry(call, result, setup.refusalCodes);
    const info = attemptInfo(report, attempts.length + 1, durationMs);
    attempts.push(info);
    const resent = result.result === 'response' && result.resent === true;
    const { decision, state } = decideAfterTry(call.kind, before, {
      event: report.event,
      httpStatus: report.httpStatus,
      turnedAway: report.turnedAway,
      resent,
    });
    const { verdict } = decision;
    setup.trace.tried(info, report.requestId, decision);
    if (report.event === 'rate-limited') {
      setup.rateLimiter.pauseFor(report.retryAfterMs ?? backOffMs(info.number, setup.retry));
    }
    const aborted = (): CallAborted => ({
      end: 'aborted',
      reason: setup.signal?.reason,
      answered: state.answered,
      turnedAway: state.turnedAway,
    });
    if (verdict.end === 'success' && success) return { end: 'success', success, attempts };
    if (verdict.end === 'success' || verdict.end === 'aborted') return aborted();

    const again = await requestWithOtherKeys(decision, report, { ...setup, withOtherKeys });
    if (again === 'aborted') return aborted();
    if (again) {
      [request, withOtherKeys, before] = [again, undefined, state];
      continue;
    }

    const failed = (last: FailureVerdict, probe?: ProbeWait): CallFailure => ({
      ...last,
      error: callError(last, report, detailsOf(call, setup, attempts)),
      openProbe: probe,
      answered: state.answered,
      turnedAway: state.turnedAway,
    });
    const next = await waitForNext(decision, report, attempts.length, setup);
    if (next === 'stop') return failed(verdict, openProbe(state, setup));
    if (next === 'aborted') return state.doubt ? failed({ end: 'unknown', evidence: 'aborted' }) : aborted();
    before = state;
  }
}

/**
 * The probe that is left to a later call or to recovery. A caller who allows one try only leaves none, but takes away no
 * probe of an earlier call without having sent it.
 */
function openProbe(
  { doubt, answered }: CallState,
  { once, earlier }: Pick<CallSetup, 'once' | 'earlier'>,
): ProbeWait | undefined {
  const mayBeLast = once && (earlier === undefined || answered);
  return mayBeLast ? undefined : doubt?.probe;
}

/**
 * The request for one more try with other keys, if there are any and it is safe. A 401 was refused before anything was processed, and no earlier try is in
 * doubt: otherwise the verdict would be `unknown`. The try has the same idempotency key and the same bytes.
 */
async function requestWithOtherKeys(
  { verdict }: Decision,
  { httpStatus }: TryReport,
  { once, withOtherKeys, sendBy, signal }: Pick<CallSetup, 'once' | 'withOtherKeys' | 'sendBy' | 'signal'>,
): Promise<OutgoingRequest | 'aborted' | undefined> {
  if (verdict.end !== 'authentication' || httpStatus !== 401 || once) return undefined;
  const again = await withOtherKeys?.({ sendBy, signal });
  return signal?.aborted ? 'aborted' : again;
}

/** Waits for the next try, and says whether to make it. */
async function waitForNext(
  decision: Decision,
  report: TryReport,
  tries: number,
  setup: CallSetup,
): Promise<'go' | 'stop' | 'aborted'> {
  const waitMs = waitBefore(decision, report, tries, setup);
  if (waitMs === undefined) return 'stop';
  if (!(await setup.trace.waiting('retry', pause(waitMs, setup.signal)))) return 'aborted';
  const { probe, verdict } = decision;
  if (!probe || verdict.end !== 'unknown') return 'go';
  if (await setup.probing?.begin(verdict.evidence)) return 'go';
  return setup.signal?.aborted ? 'aborted' : 'stop';
}

/** The wait before the next try; undefined if there is none. */
function waitBefore(
  { retry, probe }: Decision,
  { retryAfterMs }: TryReport,
  tries: number,
  setup: CallSetup,
): number | undefined {
  const remainingMs = setup.deadline - performance.now();
  if (probe) return setup.probing && probeWaitMs(probe, remainingMs, setup.probing.waits);
  return retry ? nextWaitMs({ tries, remainingMs, retryAfterMs }, setup.retry) : undefined;
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

/** A try and its duration without the wait for its permit. */
interface TimedResult {
  readonly result: TryResult;
  readonly durationMs: number;
}

/** Waits for a permit of the account, then sends once. Never rejects. */
export async function sendInTurn(
  setup: Pick<
    CallSetup,
    | 'transport'
    | 'request'
    | 'signal'
    | 'timeoutMs'
    | 'deadline'
    | 'wallDeadline'
    | 'sendBy'
    | 'rateLimiter'
    | 'trace'
    | 'onSending'
  >,
): Promise<TimedResult> {
  const { transport, request, signal, deadline, wallDeadline, sendBy, rateLimiter, trace, onSending } = setup;
  const asked = rateLimiter.acquire(sendBy, signal);
  const granted = asked instanceof Promise ? await trace.waiting('rate', asked) : asked;
  if (granted.permit !== 'granted') return { result: unsent(granted), durationMs: 0 };
  const startedAt = performance.now();
  try {
    // If this process or its machine stood still for long, the journal may already let others act on the payment.
    if (startedAt >= deadline || Date.now() >= wallDeadline)
      return { result: unsent({ permit: 'late' }), durationMs: 0 };
    const timeoutMs = Math.min(setup.timeoutMs, deadline - startedAt);
    const result = await trace.sending(request, () =>
      sendTry(transport, request, timeoutMs, signal, onSending, setup),
    );
    return { result, durationMs: performance.now() - startedAt };
  } finally {
    rateLimiter.release();
  }
}

function unsent(refused: Exclude<Permit, { readonly permit: 'granted' }>): TryResult {
  if (refused.permit === 'held-back') return { result: 'held-back', retryAfterMs: refused.retryAfterMs };
  const aborted = refused.permit === 'aborted';
  return { result: 'failure', sent: false, aborted, code: aborted ? 'ABORTED' : 'QUEUE_TIMEOUT' };
}
