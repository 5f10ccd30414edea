import { context, type Span, SpanKind, trace, type Tracer } from '@opentelemetry/api';
import { onPaymentsDiagnostics } from '../../common/diagnostics.js';
import {
  WEBHOOK_END_CHANNEL,
  WEBHOOK_HANDLER_END_CHANNEL,
  WEBHOOK_HANDLER_START_CHANNEL,
  WEBHOOK_START_CHANNEL,
  type WebhookStartEvent,
} from '../../common/webhook-diagnostics.js';
import { ATTR, endSpan, referenceAttribute } from './attributes.js';

/** The name of the messaging system. */
const SYSTEM = 'nestjs-payments';

/**
 * Makes a span for every webhook, with a child span for every handler. Each is active while its webhook or
 * handler runs.
 *
 * @returns functions that stop it; the last one ends open spans.
 */
export function traceWebhooks(tracer: Tracer, references: boolean): readonly (() => void)[] {
  const webhooks = new Map<number, Span>();
  /** One span for each delivery: handlers run in sequence. */
  const handlers = new Map<number, Span>();
  return [
    onPaymentsDiagnostics(WEBHOOK_START_CHANNEL, (event) => {
      const attributes = {
        [ATTR.messagingSystem]: SYSTEM,
        [ATTR.messagingOperation]: 'process',
        [ATTR.messagingOperationType]: 'process',
        [ATTR.account]: event.account,
        [ATTR.event]: event.event,
        [ATTR.webhookSource]: event.source,
        ...referenceAttribute(event, references),
      };
      const span = tracer.startSpan(`process ${event.event}`, { kind: SpanKind.CONSUMER, attributes });
      webhooks.set(event.deliveryId, span);
      activate(span, event);
    }),
    onPaymentsDiagnostics(WEBHOOK_HANDLER_START_CHANNEL, (event) => {
      const attributes = {
        [ATTR.codeFunction]: event.handler,
        [ATTR.account]: event.account,
        [ATTR.event]: event.event,
        [ATTR.webhookAttempt]: event.attempt,
      };
      const span = tracer.startSpan(event.handler, { kind: SpanKind.INTERNAL, attributes });
      handlers.set(event.deliveryId, span);
      activate(span, event);
    }),
    onPaymentsDiagnostics(WEBHOOK_HANDLER_END_CHANNEL, ({ deliveryId, outcome, error = '_OTHER' }) => {
      const span = handlers.get(deliveryId);
      handlers.delete(deliveryId);
      endSpan(span, outcome === 'failed' ? error : undefined);
    }),
    onPaymentsDiagnostics(WEBHOOK_END_CHANNEL, ({ deliveryId, kind, result, status }) => {
      const span = webhooks.get(deliveryId);
      webhooks.delete(deliveryId);
      endSpan(span, status === 200 ? undefined : result, {
        [ATTR.webhookResult]: result,
        [ATTR.httpStatus]: status,
        [ATTR.webhookKind]: kind,
      });
    }),
    () => {
      for (const spans of [handlers, webhooks]) {
        for (const span of spans.values()) span.end();
        spans.clear();
      }
    },
  ];
}

function activate(span: Span, { runInContext }: Pick<WebhookStartEvent, 'runInContext'>): void {
  const inside = trace.setSpan(context.active(), span);
  runInContext((run) => {
    context.with(inside, run);
  });
}
