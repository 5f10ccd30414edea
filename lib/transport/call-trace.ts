import { performance } from 'node:perf_hooks';
import { Logger } from '@nestjs/common';
import { type AttemptInfo } from '../common/attempt.js';
import {
  CALL_ATTEMPT_CHANNEL,
  CALL_END_CHANNEL,
  CALL_START_CHANNEL,
  CALL_WAIT_CHANNEL,
  publishDiagnostics,
  type CallEndEvent,
  type CallStartEvent,
  type CallWaitEvent,
} from '../common/diagnostics.js';
import { PaymentOutcomeUnknownError } from '../errors/payment-outcome-unknown.error.js';
import { isPaymentsError } from '../errors/payments.error.js';
import { type Decision } from './decide.js';
import { type PaymentsResponse } from './last-response.js';

const logger = new Logger('PaymentsCalls');
let lastCallId = 0;

/** Tells the log and the diagnostics channels how one call goes. */
export class CallTrace {
  private readonly subject: CallStartEvent;
  private attempts = 0;

  constructor(subject: Omit<CallStartEvent, 'callId'>) {
    this.subject = { callId: (lastCallId += 1), ...subject };
  }

  /** Runs the call between its start and its end. */
  async around<T extends object>(run: () => Promise<PaymentsResponse<T>>): Promise<PaymentsResponse<T>> {
    const startedAt = performance.now();
    publishDiagnostics(CALL_START_CHANNEL, () => ({ ...this.subject }));
    const end = (how: () => EndReport): void => {
      publishDiagnostics(CALL_END_CHANNEL, () => ({
        ...this.subject,
        ...how(),
        attempts: this.attempts,
        durationMs: Math.round(performance.now() - startedAt),
      }));
    };
    try {
      const response = await run();
      end(() => successReport(response));
      return response;
    } catch (error) {
      end(() => failureReport(error));
      throw error;
    }
  }

  /** One try is over, and it is decided what comes of it. */
  attempt(info: AttemptInfo, requestId: string | undefined, decision: Decision): void {
    const { number: attempt, ...rest } = info;
    this.attempts = attempt;
    const answer = { ...rest, ...(requestId !== undefined && { requestId }) };
    publishDiagnostics(CALL_ATTEMPT_CHANNEL, () => ({ ...this.subject, attempt, ...answer }));
    this.log(deservesWarning(decision) ? 'warn' : 'debug', attempt, answer);
  }

  /** Waits for something that comes before the next try. */
  async waiting<T>(reason: CallWaitEvent['reason'], wait: Promise<T>): Promise<T> {
    const startedAt = performance.now();
    try {
      return await wait;
    } finally {
      publishDiagnostics(CALL_WAIT_CHANNEL, () => ({
        ...this.subject,
        attempt: this.attempts + 1,
        reason,
        durationMs: Math.round(performance.now() - startedAt),
      }));
    }
  }

  private log(
    level: 'debug' | 'warn',
    attempt: number,
    { phase, code, durationMs, requestId }: Omit<AttemptInfo, 'number'> & { readonly requestId?: string },
  ): void {
    const { operation, reference } = this.subject;
    const parts = [
      operation,
      // Quoted, because it comes from outside and must not break the line.
      reference === undefined ? undefined : `reference=${JSON.stringify(reference)}`,
      `attempt=${attempt}`,
      `phase=${phase}`,
      code === undefined ? undefined : `code=${JSON.stringify(code)}`,
      requestId === undefined ? undefined : `requestId=${JSON.stringify(requestId)}`,
      `duration=${durationMs}ms`,
    ];
    try {
      logger[level](parts.filter((part) => part !== undefined).join(' '));
    } catch {
      // Money may have moved: a logger that fails must not decide what the caller hears of it.
    }
  }
}

type EndReport = Pick<CallEndEvent, 'outcome' | 'error' | 'evidence' | 'code' | 'requestId'>;

function successReport({ lastResponse: { code, requestId } }: PaymentsResponse<object>): EndReport {
  return { outcome: 'success', code, ...(requestId !== undefined && { requestId }) };
}

function failureReport(error: unknown): EndReport {
  if (!isPaymentsError(error)) return { outcome: 'aborted' };
  const { name, code, requestId } = error;
  const known = { error: name, code, ...(requestId !== undefined && { requestId }) };
  return error instanceof PaymentOutcomeUnknownError
    ? { outcome: 'unknown', evidence: error.evidence, ...known }
    : { outcome: 'failed', ...known };
}

/** What somebody may want to act on: the outcome is unknown, or the gateway is unwell. */
function deservesWarning({ retry, verdict }: Decision): boolean {
  return retry || verdict.end === 'unknown' || verdict.end === 'rate-limit';
}
