// Spans and metrics, and the channels that they hang on.
import { metrics, trace } from '@opentelemetry/api';
import {
  type Around,
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

export function observe(journal: PaymentsJournal, around: Around): readonly (() => void)[] {
  return [
    instrumentPayments(),
    instrumentPayments({ tracerProvider: trace.getTracerProvider(), references: true }),
    observeJournal(journal),
    observeJournal(journal, { account: 'payouts', meterProvider: metrics.getMeterProvider() }),
    onPaymentsDiagnostics(CALL_ATTEMPT_START_CHANNEL, ({ surround }) => {
      surround(around);
    }),
  ];
}

// @ts-expect-error -- what has ended cannot be surrounded
export type Surrounded = WebhookEndEvent['surround'];
// @ts-expect-error -- the providers, not an exporter
instrumentPayments({ exporter: {} });
