import { type MeterProvider, metrics, trace, type TracerProvider } from '@opentelemetry/api';
import { CallSpans } from './call-spans.js';
import { measureCalls, measureWebhooks } from './payment-metrics.js';
import { WebhookSpans } from './webhook-spans.js';

/** The instrumentation scope of all that the package reports. */
export const SCOPE = 'nestjs-payments';

/**
 * Where spans and metrics go, and what they show.
 *
 * @publicApi
 */
export interface InstrumentPaymentsOptions {
  /** @default the one that is registered globally */
  readonly tracerProvider?: TracerProvider | undefined;
  /** @default the one that is registered globally when `instrumentPayments` is called */
  readonly meterProvider?: MeterProvider | undefined;
  /**
   * Whether spans show the merchant's reference, as `payments.reference`. It is never in a metric.
   * @default false
   */
  readonly references?: boolean | undefined;
}

/**
 * Reports every account of the process to OpenTelemetry: a span for each call to the gateway and each of its
 * tries, for each webhook and each of its handlers, and metrics of all of them. No span and no metric holds a
 * key, a body or anything about a customer or a recipient.
 *
 * Call it once, after the SDK has started, before or after the application is created. A second call reports
 * everything twice.
 *
 * @returns a function that ends it; spans that are open then end.
 *
 * @example
 * ```ts
 * const sdk = new NodeSDK({ serviceName: 'shop' });
 * sdk.start();
 * instrumentPayments();
 * ```
 *
 * @publicApi
 */
export function instrumentPayments({
  tracerProvider = trace.getTracerProvider(),
  meterProvider = metrics.getMeterProvider(),
  references = false,
}: InstrumentPaymentsOptions = {}): () => void {
  const tracer = tracerProvider.getTracer(SCOPE);
  const meter = meterProvider.getMeter(SCOPE);
  const stops = [
    new CallSpans(tracer, references).start(),
    new WebhookSpans(tracer, references).start(),
    measureCalls(meter),
    measureWebhooks(meter),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}
