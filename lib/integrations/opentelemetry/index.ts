/**
 * Spans and metrics. Needs `@opentelemetry/api`.
 *
 * @module nestjs-payments/opentelemetry
 */

export { instrumentPayments, type InstrumentPaymentsOptions } from './instrument-payments.js';
export { observeJournal, type ObserveJournalOptions } from './observe-journal.js';
