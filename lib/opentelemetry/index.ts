export { instrumentPayments, type InstrumentPaymentsOptions } from './instrument-payments.js';
export { observeJournal, type ObserveJournalOptions } from './observe-journal.js';
