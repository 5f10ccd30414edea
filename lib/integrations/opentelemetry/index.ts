/**
 * Spans and metrics. Needs `@opentelemetry/api`.
 *
 * @module nestjs-payments/opentelemetry
 */

export { instrumentPayments, type InstrumentPaymentsOptions } from './instrument-payments.js';
export {
  observeAllJournals,
  type ObserveAllJournalsOptions,
  observeJournal,
  type ObserveJournalOptions,
} from './observe-journal.js';
export { observeReconciliation, type ObserveReconciliationOptions } from './observe-reconciliation.js';
