import { performance } from 'node:perf_hooks';
import { type AttemptInfo, type OutcomeEvidence, type ProbeWait } from '../common/vocabulary.js';
import { type ResolvedProbeWaits, type ResolvedRetryOptions } from '../config/resolved-options.js';
import { type PaymentsErrorDetails } from '../errors/payments-errors.js';
import { type CallResult, type CallFailure } from './call-result.js';
import { callError, type FailureVerdict } from './call-error.js';
import { decideAfterAttempt, type Decision } from './decide-after-attempt.js';
import { type GatewayCall } from './gateway-call.js';
import { attemptInfo, type AttemptReport, interpretAttempt } from './answer/interpret-attempt.js';
import { backOffMs, pause } from '../common/timing.js';
import { nextWaitMs, probeWaitMs } from './retry-timing.js';
import { type RateLimiter, type Turn } from './rate-limiter.js';
import { type CallLimits } from './call-options.js';
import { CallTrace } from './call-trace.js';
import { type HttpTransport, type OutgoingRequest } from './http/http-transport.js';
import { sendAttempt, type AttemptResult } from './http/send-attempt.js';

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
  readonly credentials: Readonly<Record<string, string>>;
}

/** Sends a call with all tries that the decision table allows. Never rejects. */
export type SendCall = <T extends object>(
  call: GatewayCall<T>,
  identity: Partial<IdempotentRequest>,
  limits: CallLimits,
) => Promise<CallResult<T>>;

/** Keeps the credentials in its closure. */
export function callSender(setup: CallAccount): SendCall {
  const { account, transport, rateLimiter, refusalCodes, origin, basePath, credentials } = setup;
  // No compression: a small answer gains nothing, and only some adapters would unpack it.
  const plain = { ...credentials, Accept: 'application/json', 'Accept-Encoding': 'identity' };
  const withBody = { ...plain, 'Content-Type': 'application/json' };
  return async (call, identity, limits) => {
    const { idempotencyKey, body } = identity;
    const reference = call.kind === 'read' ? {} : { reference: call.payment.reference };
    const trace = new CallTrace({ account, operation: call.operation, ...reference });
    trace.started();
    const headers = body === undefined ? plain : withBody;
    const result = await runCall(call, {
      transport,
      rateLimiter,
      trace,
      refusalCodes,
      request: {
        method: call.method,
        origin,
        path: basePath + call.path,
        headers:
          idempotencyKey === undefined ? { ...headers } : { 'Idempotency-Key': idempotencyKey, ...headers },
        body,
      },
      ...identity,
      ...limits,
    });
    trace.ended(result);
    return result;
  };
}

/** The tries of a payment before the call that probes it. */
export interface EarlierTry {
  readonly probe: ProbeWait;
  /** Why it is not known what came of them. */
  readonly evidence: OutcomeEvidence;
}

/** The parts of one call. */
interface CallSetup
  extends TurnSetup, Partial<Pick<IdempotentRequest, 'idempotencyKey' | 'earlier' | 'probing'>> {
  readonly retry: ResolvedRetryOptions;
  readonly refusalCodes: ReadonlySet<string>;
}

/** The part of a payment that every try sends, and the rules for its probe. */
interface IdempotentRequest {
  readonly idempotencyKey: string;
  readonly body: string;
  /** Set if this call is the probe of a payment that may have been made before. */
  readonly earlier: EarlierTry | undefined;
  readonly probing: Probing | undefined;
  /** Called when the first byte of a try is about to leave; must not throw. */
  readonly onSending: (() => void) | undefined;
}

/** How a call may probe its own payment. */
interface Probing {
  readonly waits: ResolvedProbeWaits;
  /** Writes down that the probe leaves now. Resolves to false if it must not leave. */
  readonly begin: (evidence: OutcomeEvidence) => Promise<boolean>;
}

/** Makes one call: sends a try, interprets it, decides, and repeats that if the decision table allows it. */
async function runCall<T extends object>(call: GatewayCall<T>, setup: CallSetup): Promise<CallResult<T>> {
  const attempts: AttemptInfo[] = [];
  let doubt = setup.earlier?.evidence;
  let openProbe = setup.earlier?.probe;
  for (;;) {
    const { result, durationMs } = await sendInTurn(setup);
    const { report, success } = interpretAttempt(call, result, setup.refusalCodes);
    const attempt = attemptInfo(report, attempts.length + 1, durationMs);
    attempts.push(attempt);
    // An interceptor's own request may have arrived, like an earlier try of this call.
    if (call.kind !== 'read' && result.result === 'response' && result.resent) doubt ??= 'no-answer';
    const decision = decideAfterAttempt(call.kind, report.event, report.httpStatus, doubt);
    const verdict = withEarlierAnswers(decision.verdict, attempts);
    setup.trace.attempt(attempt, report.requestId, decision);
    if (report.event === 'rate-limited') {
      setup.rateLimiter.pauseFor(report.retryAfterMs ?? backOffMs(attempt.number, setup.retry));
    }
    if (verdict.end === 'success' && success) return { end: 'success', success, attempts };
    if (verdict.end === 'success' || verdict.end === 'aborted') return aborted(setup, attempts);

    // The first ambiguous try allows one probe. The next try that the gateway does not turn away uses it up.
    if (!doubt) openProbe = decision.probe;
    else if (attempt.phase !== 'not-sent' && report.event !== 'rate-limited') openProbe = undefined;
    if (verdict.end === 'unknown') doubt ??= verdict.evidence;
    const fail = (last: FailureVerdict, probe?: ProbeWait): CallFailure => ({
      ...last,
      error: callError(last, report, detailsOf(call, setup, attempts)),
      openProbe: probe,
      answered: isAnswered(attempts),
    });

    const waitMs = waitBefore(decision, report, attempts.length, setup);
    if (waitMs === undefined) return fail(verdict, openProbe);
    if (!(await setup.trace.waiting('retry', pause(waitMs, setup.signal)))) {
      return doubt ? fail({ end: 'unknown', evidence: 'aborted' }) : aborted(setup, attempts);
    }
    if (verdict.end === 'unknown' && decision.probe && !(await setup.probing?.begin(verdict.evidence)))
      return fail(verdict, openProbe);
  }
}

/** If an earlier try was answered, even with 429, a refusal does not prove that it made nothing. */
function withEarlierAnswers(
  verdict: Decision['verdict'],
  attempts: readonly AttemptInfo[],
): Decision['verdict'] {
  const isProven = verdict.end !== 'rejected' || !isAnswered(attempts.slice(0, -1));
  return isProven ? verdict : { ...verdict, proven: false };
}

/** The wait before the next try; undefined if there is none. */
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

function aborted({ signal }: CallSetup, attempts: readonly AttemptInfo[]): CallResult<never> {
  return { end: 'aborted', reason: signal?.reason, answered: isAnswered(attempts) };
}

function isAnswered(attempts: readonly AttemptInfo[]): boolean {
  return attempts.some(({ phase }) => phase !== 'not-sent');
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

interface TurnSetup {
  readonly transport: HttpTransport;
  readonly request: OutgoingRequest;
  readonly signal: AbortSignal | undefined;
  readonly timeoutMs: number;
  /** By `performance.now()`. */
  readonly deadline: number;
  /** Latest start of a try that waited for its turn, by `performance.now()`. */
  readonly sendBy: number;
  readonly rateLimiter: RateLimiter;
  readonly trace: CallTrace;
  /** Called when the first byte of a try is about to leave; must not throw. */
  readonly onSending?: (() => void) | undefined;
}

/** A try and its duration without the wait for its turn. */
interface TimedResult {
  readonly result: AttemptResult;
  readonly durationMs: number;
}

/** Waits for the account's turn, then sends once. Never rejects. */
export async function sendInTurn(setup: TurnSetup): Promise<TimedResult> {
  const { transport, request, signal, deadline, sendBy, rateLimiter, trace, onSending } = setup;
  const turn = rateLimiter.acquire(sendBy, signal);
  const granted = turn instanceof Promise ? await trace.waiting('rate', turn) : turn;
  if (granted.turn !== 'go') return { result: unsent(granted), durationMs: 0 };
  const startedAt = performance.now();
  try {
    // If this process was stopped for long, the journal may already let others act on the payment.
    if (startedAt >= deadline) return { result: unsent({ turn: 'late' }), durationMs: 0 };
    const timeoutMs = Math.min(setup.timeoutMs, deadline - startedAt);
    const result = await trace.sending(request, () =>
      sendAttempt(transport, request, timeoutMs, signal, onSending),
    );
    return { result, durationMs: performance.now() - startedAt };
  } finally {
    rateLimiter.release();
  }
}

function unsent(turn: Exclude<Turn, { readonly turn: 'go' }>): AttemptResult {
  if (turn.turn === 'held-back') return { result: 'held-back', retryAfterMs: turn.retryAfterMs };
  const aborted = turn.turn === 'aborted';
  return { result: 'failure', sent: false, aborted, code: aborted ? 'ABORTED' : 'QUEUE_TIMEOUT' };
}
