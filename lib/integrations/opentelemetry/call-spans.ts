import { type Context, context, type Span, SpanKind, trace, type Tracer } from '@opentelemetry/api';
import {
  CALL_ATTEMPT_CHANNEL,
  CALL_ATTEMPT_START_CHANNEL,
  CALL_END_CHANNEL,
  CALL_START_CHANNEL,
  type CallAttemptStartEvent,
  type CallStartEvent,
} from '../../common/call-diagnostics.js';
import { onPaymentsDiagnostics } from '../../common/diagnostics.js';
import { ATTR, attemptError, endSpan, referenceAttribute } from './attributes.js';

interface OpenCall {
  readonly span: Span;
  readonly context: Context;
  attempt?: Span;
}

/**
 * Makes a span for every call, with a child span for every sent try.
 *
 * @returns functions that stop it; the last one ends open spans.
 */
export function traceCalls(tracer: Tracer, references: boolean): readonly (() => void)[] {
  const open = new Map<number, OpenCall>();
  return [
    onPaymentsDiagnostics(CALL_START_CHANNEL, (event) => {
      open.set(event.callId, startCall(tracer, event, references));
    }),
    onPaymentsDiagnostics(CALL_ATTEMPT_START_CHANNEL, (event) => {
      const call = open.get(event.callId);
      if (call) call.attempt = startTry(tracer, event, call.context);
    }),
    onPaymentsDiagnostics(CALL_ATTEMPT_CHANNEL, ({ callId, phase, httpStatus, code, requestId }) => {
      const call = open.get(callId);
      const span = call?.attempt;
      if (!span) return;
      delete call.attempt;
      endSpan(span, attemptError(phase, httpStatus, code), {
        [ATTR.phase]: phase,
        [ATTR.httpStatus]: httpStatus,
        [ATTR.code]: code,
        [ATTR.requestId]: requestId,
      });
    }),
    onPaymentsDiagnostics(CALL_END_CHANNEL, (event) => {
      const call = open.get(event.callId);
      if (!call) return;
      open.delete(event.callId);
      endSpan(call.span, event.error, {
        [ATTR.outcome]: event.outcome,
        [ATTR.attempts]: event.attempts,
        [ATTR.evidence]: event.evidence,
        [ATTR.code]: event.code,
        [ATTR.requestId]: event.requestId,
      });
    }),
    () => {
      for (const { span, attempt } of open.values()) {
        attempt?.end();
        span.end();
      }
      open.clear();
    },
  ];
}

function startCall(tracer: Tracer, event: CallStartEvent, references: boolean): OpenCall {
  const parent = context.active();
  const attributes = {
    [ATTR.operation]: event.operation,
    [ATTR.account]: event.account,
    ...referenceAttribute(event, references),
  };
  const span = tracer.startSpan(event.operation, { kind: SpanKind.INTERNAL, attributes }, parent);
  return { span, context: trace.setSpan(parent, span) };
}

/** The span is active while the request is made. */
function startTry(tracer: Tracer, event: CallAttemptStartEvent, parent: Context): Span {
  const attributes = {
    [ATTR.httpMethod]: event.method,
    [ATTR.serverAddress]: event.serverAddress,
    [ATTR.serverPort]: event.serverPort,
    [ATTR.operation]: event.operation,
    [ATTR.account]: event.account,
    ...(event.attempt > 1 && { [ATTR.httpResend]: event.attempt - 1 }),
  };
  const name = `${event.method} ${event.operation}`;
  const span = tracer.startSpan(name, { kind: SpanKind.CLIENT, attributes }, parent);
  const inside = trace.setSpan(parent, span);
  event.runInContext((run) => {
    context.with(inside, run);
  });
  return span;
}
