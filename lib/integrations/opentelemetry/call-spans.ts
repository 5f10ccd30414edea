import {
  type Attributes,
  context,
  type Context,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer,
} from '@opentelemetry/api';
import {
  CALL_ATTEMPT_CHANNEL,
  CALL_ATTEMPT_START_CHANNEL,
  CALL_END_CHANNEL,
  CALL_START_CHANNEL,
  type CallAttemptEvent,
  type CallAttemptStartEvent,
  type CallEndEvent,
  type CallStartEvent,
} from '../../common/call-diagnostics.js';
import { onPaymentsDiagnostics } from '../../common/diagnostics.js';
import { ATTR, referenceAttribute } from './attributes.js';

interface OpenCall {
  readonly span: Span;
  readonly context: Context;
  attempt?: Span;
}

/** A span for every call, with a child span for every sent try. */
export class CallSpans {
  private readonly open = new Map<number, OpenCall>();

  constructor(
    private readonly tracer: Tracer,
    private readonly references: boolean,
  ) {}

  /** @returns a function that stops it. */
  start(): () => void {
    const stops = [
      onPaymentsDiagnostics(CALL_START_CHANNEL, (event) => {
        this.begin(event);
      }),
      onPaymentsDiagnostics(CALL_ATTEMPT_START_CHANNEL, (event) => {
        this.beginAttempt(event);
      }),
      onPaymentsDiagnostics(CALL_ATTEMPT_CHANNEL, (event) => {
        this.endAttempt(event);
      }),
      onPaymentsDiagnostics(CALL_END_CHANNEL, (event) => {
        this.end(event);
      }),
    ];
    return () => {
      for (const stop of stops) stop();
      for (const { span, attempt } of this.open.values()) {
        attempt?.end();
        span.end();
      }
      this.open.clear();
    };
  }

  private begin(event: CallStartEvent): void {
    const parent = context.active();
    const attributes = {
      [ATTR.operation]: event.operation,
      [ATTR.account]: event.account,
      ...referenceAttribute(event, this.references),
    };
    const span = this.tracer.startSpan(event.operation, { kind: SpanKind.INTERNAL, attributes }, parent);
    this.open.set(event.callId, { span, context: trace.setSpan(parent, span) });
  }

  private beginAttempt(event: CallAttemptStartEvent): void {
    const call = this.open.get(event.callId);
    if (!call) return;
    const attributes: Attributes = {
      [ATTR.httpMethod]: event.method,
      [ATTR.serverAddress]: event.serverAddress,
      [ATTR.serverPort]: event.serverPort,
      [ATTR.operation]: event.operation,
      [ATTR.account]: event.account,
      ...(event.attempt > 1 && { [ATTR.httpResend]: event.attempt - 1 }),
    };
    const span = this.tracer.startSpan(
      `${event.method} ${event.operation}`,
      { kind: SpanKind.CLIENT, attributes },
      call.context,
    );
    call.attempt = span;
    const inside = trace.setSpan(call.context, span);
    event.surround((run) => {
      context.with(inside, run);
    });
  }

  private endAttempt({ callId, phase, httpStatus, code, requestId }: CallAttemptEvent): void {
    const call = this.open.get(callId);
    const span = call?.attempt;
    if (!span) return;
    delete call.attempt;
    const error = attemptError(phase, httpStatus, code);
    span.setAttributes({
      [ATTR.phase]: phase,
      ...(httpStatus !== undefined && { [ATTR.httpStatus]: httpStatus }),
      ...(code !== undefined && { [ATTR.code]: code }),
      ...(requestId !== undefined && { [ATTR.requestId]: requestId }),
      ...(error !== undefined && { [ATTR.errorType]: error }),
    });
    if (error !== undefined) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end();
  }

  private end(event: CallEndEvent): void {
    const call = this.open.get(event.callId);
    if (!call) return;
    this.open.delete(event.callId);
    const { span } = call;
    const { outcome, error, evidence, code, requestId, attempts } = event;
    span.setAttributes({
      [ATTR.outcome]: outcome,
      [ATTR.attempts]: attempts,
      ...(error !== undefined && { [ATTR.errorType]: error }),
      ...(evidence !== undefined && { [ATTR.evidence]: evidence }),
      ...(code !== undefined && { [ATTR.code]: code }),
      ...(requestId !== undefined && { [ATTR.requestId]: requestId }),
    });
    if (error !== undefined) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end();
  }
}

/**
 * The `error.type` of the conventions for HTTP clients: the status of an error answer, or else what came
 * instead of an answer.
 */
export function attemptError(
  phase: CallAttemptEvent['phase'],
  httpStatus: number | undefined,
  code: string | undefined,
): string | undefined {
  if (httpStatus !== undefined && httpStatus >= 300) return String(httpStatus);
  if (phase === 'answered') return undefined;
  return httpStatus === undefined ? (code ?? '_OTHER') : 'BAD_ANSWER';
}
