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
