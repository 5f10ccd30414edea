import { context, type Span, SpanKind, SpanStatusCode, trace, type Tracer } from '@opentelemetry/api';
import { onPaymentsDiagnostics } from '../../common/diagnostics.js';
import {
  WEBHOOK_END_CHANNEL,
  WEBHOOK_HANDLER_END_CHANNEL,
  WEBHOOK_HANDLER_START_CHANNEL,
  WEBHOOK_START_CHANNEL,
  type WebhookEndEvent,
  type WebhookHandlerEndEvent,
  type WebhookHandlerStartEvent,
  type WebhookStartEvent,
} from '../../common/webhook-diagnostics.js';
import { ATTR, referenceAttribute } from './attributes.js';

/** The name of the messaging system. */
const SYSTEM = 'nestjs-payments';

/**
 * A span for every webhook, with a child span for every handler. Each is active while its webhook or handler
 * runs.
 */
export class WebhookSpans {
  private readonly webhooks = new Map<number, Span>();
  /** One span for each delivery: handlers run in sequence. */
  private readonly handlers = new Map<number, Span>();

  constructor(
    private readonly tracer: Tracer,
    private readonly references: boolean,
  ) {}

  /** @returns a function that stops it. */
  start(): () => void {
    const stops = [
      onPaymentsDiagnostics(WEBHOOK_START_CHANNEL, (event) => {
        this.begin(event);
      }),
      onPaymentsDiagnostics(WEBHOOK_HANDLER_START_CHANNEL, (event) => {
        this.beginHandler(event);
      }),
      onPaymentsDiagnostics(WEBHOOK_HANDLER_END_CHANNEL, (event) => {
        this.endHandler(event);
      }),
      onPaymentsDiagnostics(WEBHOOK_END_CHANNEL, (event) => {
        this.end(event);
      }),
    ];
    return () => {
      for (const stop of stops) stop();
      for (const spans of [this.handlers, this.webhooks]) {
        for (const span of spans.values()) span.end();
        spans.clear();
      }
    };
  }

  private begin(event: WebhookStartEvent): void {
    const attributes = {
      [ATTR.messagingSystem]: SYSTEM,
      [ATTR.messagingOperation]: 'process',
      [ATTR.messagingOperationType]: 'process',
      [ATTR.account]: event.account,
      [ATTR.event]: event.event,
      [ATTR.webhookSource]: event.source,
      ...referenceAttribute(event, this.references),
    };
    const span = this.tracer.startSpan(`process ${event.event}`, { kind: SpanKind.CONSUMER, attributes });
    this.webhooks.set(event.deliveryId, span);
    activate(span, event);
  }

  private beginHandler(event: WebhookHandlerStartEvent): void {
    const attributes = {
      [ATTR.codeFunction]: event.handler,
      [ATTR.account]: event.account,
      [ATTR.event]: event.event,
      [ATTR.webhookAttempt]: event.attempt,
    };
    const span = this.tracer.startSpan(event.handler, { kind: SpanKind.INTERNAL, attributes });
    this.handlers.set(event.deliveryId, span);
    activate(span, event);
  }

  private endHandler({ deliveryId, outcome, error }: WebhookHandlerEndEvent): void {
    const span = this.handlers.get(deliveryId);
    if (!span) return;
    this.handlers.delete(deliveryId);
    if (outcome === 'failed') {
      span.setAttribute(ATTR.errorType, error ?? '_OTHER');
      span.setStatus({ code: SpanStatusCode.ERROR });
    }
    span.end();
  }

  private end({ deliveryId, kind, result, status }: WebhookEndEvent): void {
    const span = this.webhooks.get(deliveryId);
    if (!span) return;
    this.webhooks.delete(deliveryId);
    span.setAttributes({
      [ATTR.webhookResult]: result,
      [ATTR.httpStatus]: status,
      ...(kind !== undefined && { [ATTR.webhookKind]: kind }),
      ...(status !== 200 && { [ATTR.errorType]: result }),
    });
    if (status !== 200) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end();
  }
}

function activate(span: Span, { surround }: Pick<WebhookStartEvent, 'surround'>): void {
  const inside = trace.setSpan(context.active(), span);
  surround((run) => {
    context.with(inside, run);
  });
}
