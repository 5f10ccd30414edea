// Spans and metrics, and the channels that they hang on.
import { metrics, trace } from '@opentelemetry/api';
import {
  type ContextRunner,
  CALL_ATTEMPT_START_CHANNEL,
  onPaymentsDiagnostics,
  type PaymentsJournal,
  type WebhookEndEvent,
} from 'nestjs-payments';
import { instrumentPayments, observeJournal } from 'nestjs-payments/opentelemetry';
import { type Equal, type Expect } from './expect.js';

export type Checks = [
  Expect<Equal<ReturnType<typeof instrumentPayments>, () => void>>,
  Expect<Equal<ReturnType<typeof observeJournal>, () => void>>,
  Expect<Equal<WebhookEndEvent['status'], 200 | 500 | 503>>,
];

export function observe(journal: PaymentsJournal, runner: ContextRunner): readonly (() => void)[] {
  return [
    instrumentPayments(),
    instrumentPayments({ tracerProvider: trace.getTracerProvider(), references: true }),
    observeJournal(journal),
    observeJournal(journal, { account: 'payouts', meterProvider: metrics.getMeterProvider() }),
    onPaymentsDiagnostics(CALL_ATTEMPT_START_CHANNEL, ({ runInContext }) => {
      runInContext(runner);
    }),
  ];
}

// @ts-expect-error -- what has ended runs in no context
export type EndedInContext = WebhookEndEvent['runInContext'];
// @ts-expect-error -- the providers, not an exporter
instrumentPayments({ exporter: {} });
