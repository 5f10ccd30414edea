import { context, type Context, type ContextManager, ROOT_CONTEXT } from '@opentelemetry/api';
import {
  type DataPoint,
  InMemoryMetricExporter,
  AggregationTemporality,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { AsyncLocalStorage } from 'node:async_hooks';

/** What Node's own context manager of OpenTelemetry does. */
class AsyncContexts implements ContextManager {
  private readonly store = new AsyncLocalStorage<Context>();

  active(): Context {
    return this.store.getStore() ?? ROOT_CONTEXT;
  }
  with<A extends unknown[], F extends (...args: A) => ReturnType<F>>(
    inside: Context,
    run: F,
    self?: ThisParameterType<F>,
    ...args: A
  ): ReturnType<F> {
    return this.store.run(inside, () => run.apply(self, args));
  }
  bind<T>(_context: Context, target: T): T {
    return target;
  }
  enable(): this {
    return this;
  }
  disable(): this {
    this.store.disable();
    return this;
  }
}

/** One measured value. */
export interface Measured {
  readonly metric: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  /** A counter's sum, a gauge's value, or how often a histogram was recorded to. */
  readonly value: number;
}

/** The real SDK, with exporters that keep what they get. */
export class Telemetry {
  private readonly exported = new InMemorySpanExporter();
  private readonly metrics = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  readonly tracerProvider = new BasicTracerProvider({
    spanProcessors: [new SimpleSpanProcessor(this.exported)],
  });
  readonly meterProvider = new MeterProvider({
    readers: [new PeriodicExportingMetricReader({ exporter: this.metrics, exportIntervalMillis: 3_600_000 })],
  });

  constructor() {
    context.setGlobalContextManager(new AsyncContexts());
  }

  /** Spans that ended, in the order in which they did. */
  spans(): readonly ReadableSpan[] {
    return this.exported.getFinishedSpans();
  }

  span(name: string): ReadableSpan {
    const found = this.spans().filter((span) => span.name === name);
    if (found.length === 1) return found[0]!;
    throw new Error(
      `${found.length} spans are called ${name}: ${this.spans()
        .map((span) => span.name)
        .join(', ')}`,
    );
  }

  /** Everything measured so far. */
  async measured(metric?: string): Promise<readonly Measured[]> {
    this.metrics.reset();
    await this.meterProvider.forceFlush();
    const all = this.metrics
      .getMetrics()
      .flatMap(({ scopeMetrics }) => scopeMetrics)
      .flatMap(({ metrics }) => metrics)
      .flatMap(({ descriptor, dataPoints }) =>
        (dataPoints as readonly DataPoint<number | { readonly count: number }>[]).map(
          ({ attributes, value }) => ({
            metric: descriptor.name,
            attributes,
            value: typeof value === 'number' ? value : value.count,
          }),
        ),
      );
    return metric === undefined ? all : all.filter((one) => one.metric === metric);
  }

  async stop(): Promise<void> {
    context.disable();
    await Promise.all([this.tracerProvider.shutdown(), this.meterProvider.shutdown()]);
  }
}
