import { type Attributes, type Span, SpanStatusCode } from '@opentelemetry/api';
import { type CallAttemptEvent } from '../../common/call-diagnostics.js';
import { definedFields } from '../../common/json-object.js';

/** Names of the semantic conventions and of the package. */
export const ATTR = {
  errorType: 'error.type',
  codeFunction: 'code.function.name',
  httpMethod: 'http.request.method',
  httpResend: 'http.request.resend_count',
  httpStatus: 'http.response.status_code',
  messagingOperation: 'messaging.operation.name',
  messagingOperationType: 'messaging.operation.type',
  messagingSystem: 'messaging.system',
  serverAddress: 'server.address',
  serverPort: 'server.port',

  account: 'payments.account',
  attempts: 'payments.attempts',
  code: 'payments.code',
  event: 'payments.event',
  evidence: 'payments.evidence',
  exceptionKind: 'payments.exception.kind',
  operation: 'payments.operation',
  outcome: 'payments.outcome',
  phase: 'payments.phase',
  reason: 'payments.reason',
  reference: 'payments.reference',
  requestId: 'payments.request_id',
  webhookAttempt: 'payments.webhook.attempt',
  webhookKind: 'payments.webhook.kind',
  webhookResult: 'payments.webhook.result',
  webhookSource: 'payments.webhook.source',
} as const;

/** Includes the reference only on request: a merchant's reference may contain confidential data. */
export function referenceAttribute(
  { reference }: { readonly reference?: string },
  shown: boolean,
): Readonly<Record<string, string>> {
  return shown && reference !== undefined ? { [ATTR.reference]: reference } : {};
}

/** Ends a span, if it is open: as failed if there is an error. */
export function endSpan(
  span: Span | undefined,
  error: string | undefined,
  attributes: Attributes = {},
): void {
  if (!span) return;
  span.setAttributes(definedFields({ ...attributes, [ATTR.errorType]: error }));
  if (error !== undefined) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end();
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
