import { type MeterProvider, metrics, trace, type TracerProvider } from '@opentelemetry/api';
import { traceCalls } from './call-spans.js';
import { measureCalls, measureWebhooks } from './payment-metrics.js';
import { traceWebhooks } from './webhook-spans.js';

/** The instrumentation scope of the package. */
export const SCOPE = 'nestjs-payments';

/**
 * The providers of spans and metrics, and their content.
 *
 * @publicApi
 */
export interface InstrumentPaymentsOptions {
  /** Where the spans go. @default the globally registered one */
  readonly tracerProvider?: TracerProvider | undefined;
  /** Where the metrics go. @default the globally registered one at the call of `instrumentPayments` */
  readonly meterProvider?: MeterProvider | undefined;
  /**
   * Whether spans show the merchant's reference, as `payments.reference`. Metrics never do.
   * @default false
   */
  readonly references?: boolean | undefined;
  /**
   * Whether metrics name the account, as `payments.account`: each account is then a series of its own of every metric.
   * Spans always name it.
   * @default false
   */
  readonly accountLabel?: boolean | undefined;
}

/**
 * Reports every account of the process to OpenTelemetry: a span for each call to the gateway and each of its
 * tries, for each webhook and each of its handlers, and metrics of all of them. Spans and metrics contain no
 * key, no body and nothing about a customer or a recipient.
 *
 * Call it once, after the SDK has started, before or after creating the application. A second call reports
 * everything twice.
 *
 * @returns a function that stops it and ends open spans.
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
  accountLabel = false,
}: InstrumentPaymentsOptions = {}): () => void {
  const tracer = tracerProvider.getTracer(SCOPE);
  const meter = meterProvider.getMeter(SCOPE);
  const stops = [
    ...traceCalls(tracer, references),
    ...traceWebhooks(tracer, references),
    ...measureCalls(meter, accountLabel),
    ...measureWebhooks(meter, accountLabel),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}
