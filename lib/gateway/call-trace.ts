import { performance } from 'node:perf_hooks';
import { quoted } from '../common/quoted.js';
import { Logger } from '@nestjs/common';
import { type AttemptInfo } from '../common/vocabulary.js';
import {
  CALL_ATTEMPT_CHANNEL,
  CALL_ATTEMPT_START_CHANNEL,
  CALL_END_CHANNEL,
  CALL_START_CHANNEL,
  CALL_WAIT_CHANNEL,
  type CallAttemptStartEvent,
  type CallEndEvent,
  type CallStartEvent,
  type CallWaitEvent,
} from '../common/call-diagnostics.js';
import { publishInContext, publishDiagnostics } from '../common/diagnostics.js';
import { SafeLogger } from '../common/safe-logger.js';
import { type PaymentsError } from '../errors/payments-errors.js';
import { type CallResult } from './call-result.js';
import { type Decision } from './decide-after-try.js';
import { type OutgoingRequest } from './http/http-transport.js';

const logger = new SafeLogger('PaymentsCalls');
let lastCallId = 0;

/** Reports one call to the log and the diagnostics channels. */
export class CallTrace {
  private readonly subject: CallStartEvent;
  private tries = 0;
  private startedAt = 0;

  constructor(subject: Omit<CallStartEvent, 'callId'>) {
    this.subject = { callId: (lastCallId += 1), ...subject };
  }

  /** @param waitedMs How long the call has waited before. */
  started(waitedMs = 0): void {
    this.startedAt = performance.now() - waitedMs;
    publishDiagnostics(CALL_START_CHANNEL, () => ({ ...this.subject }));
    if (waitedMs > 0) this.waited('rate', waitedMs);
  }

  /** Reports a call that was refused before it could begin. */
  refused({ name, code }: PaymentsError): void {
    this.started();
    publishDiagnostics(CALL_END_CHANNEL, () => ({
      ...this.subject,
      outcome: 'failed',
      error: name,
      code,
      attempts: 0,
      durationMs: 0,
    }));
  }

  ended(result: CallResult<unknown>): void {
    if ('error' in result && NEEDS_OPERATOR.has(result.end)) this.logError(result.error);
    publishDiagnostics(CALL_END_CHANNEL, () => ({
      ...this.subject,
      ...endReport(result),
      attempts: this.tries,
      durationMs: Math.round(performance.now() - this.startedAt),
    }));
  }

  /** Sends one try. */
  sending<T>({ method, origin }: OutgoingRequest, send: () => Promise<T>): Promise<T> {
    const start = (): Omit<CallAttemptStartEvent, 'runInContext'> => {
      const { hostname, port, protocol } = new URL(origin);
      const serverPort = port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port);
      return { ...this.subject, attempt: this.tries + 1, method, serverAddress: hostname, serverPort };
    };
    return publishInContext(CALL_ATTEMPT_START_CHANNEL, start, send);
  }

  /** Reports a try after the decision on it. */
  tried(info: AttemptInfo, requestId: string | undefined, decision: Decision): void {
    this.tries = info.number;
    publishDiagnostics(CALL_ATTEMPT_CHANNEL, () => {
      const { number: attempt, ...rest } = info;
      return { ...this.subject, attempt, ...rest, ...(requestId !== undefined && { requestId }) };
    });
    this.log(deservesWarning(decision) ? 'warn' : 'debug', info, requestId);
  }

  /** Reports a wait before the next try. */
  async waiting<T>(reason: CallWaitEvent['reason'], wait: Promise<T>): Promise<T> {
    const startedAt = performance.now();
    try {
      return await wait;
    } finally {
      this.waited(reason, performance.now() - startedAt);
    }
  }

  private waited(reason: CallWaitEvent['reason'], ms: number): void {
    const event = { attempt: this.tries + 1, reason, durationMs: Math.round(ms) };
    publishDiagnostics(CALL_WAIT_CHANNEL, () => ({ ...this.subject, ...event }));
  }

  private log(level: 'debug' | 'warn', info: AttemptInfo, requestId: string | undefined): void {
    if (level === 'warn' || writesDebugLines()) logger[level](this.line(info, requestId));
  }

  /** The caller of the application may never see the hint. */
  private logError({ name, code, httpStatus, requestId, hint }: PaymentsError): void {
    const { operation, reference } = this.subject;
    const status = httpStatus === undefined ? '' : ` httpStatus=${httpStatus}`;
    logger.warn(
      `${operation}${field('reference', reference)} error=${name}${field('code', code)}${status}` +
        `${field('requestId', requestId)}${field('hint', hint)}`,
    );
  }

  private line(
    { number: attempt, phase, code, durationMs }: AttemptInfo,
    requestId: string | undefined,
  ): string {
    const { operation, reference } = this.subject;
    return (
      `${operation}${field('reference', reference)} attempt=${attempt} phase=${phase}` +
      `${field('code', code)}${field('requestId', requestId)} duration=${durationMs}ms`
    );
  }
}

/** Ends after which every call fails until somebody changes keys or options. */
const NEEDS_OPERATOR: ReadonlySet<string> = new Set(['authentication', 'redirected', 'request-changed']);

/** Quoted: text from outside must not break the line. */
function field(name: string, value: string | undefined): string {
  return value === undefined ? '' : ` ${name}=${quoted(value)}`;
}

/** With an application's own logger, Nest 11 reports every level as disabled, even `fatal`. */
function writesDebugLines(): boolean {
  try {
    return Logger.isLevelEnabled('debug') || !Logger.isLevelEnabled('fatal');
  } catch {
    // Money may have moved: a failing logger must not change the result of the call.
    return false;
  }
}

function endReport(
  result: CallResult<unknown>,
): Pick<CallEndEvent, 'outcome' | 'error' | 'evidence' | 'code' | 'requestId'> {
  if (result.end === 'aborted') return { outcome: 'aborted' };
  if (result.end === 'success') {
    const { code, requestId } = result.success.envelope;
    return { outcome: 'success', code, ...(requestId !== undefined && { requestId }) };
  }
  const { name, code, requestId } = result.error;
  return {
    ...(result.end === 'unknown' ? { outcome: 'unknown', evidence: result.evidence } : { outcome: 'failed' }),
    error: name,
    code,
    ...(requestId !== undefined && { requestId }),
  };
}

/** Whether somebody may want to act: the outcome is unknown, or the gateway has problems. */
function deservesWarning({ retry, verdict }: Decision): boolean {
  return retry || verdict.end === 'unknown' || verdict.end === 'rate-limit';
}
