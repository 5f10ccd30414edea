/**
 * The close of a day: what the journal says, what the gateway says, and every difference with a reason.
 *
 * @module nestjs-payments/reconciliation
 */
import 'reflect-metadata';

export {
  type BalanceEquation,
  type BalanceReading,
  type CloseSum,
  type CloseSummary,
  type StatementSummary,
} from './close/close-summary.js';
export {
  type CloseOptions,
  type ReconciliationActor,
  type ReconciliationOfAccount,
} from './close-options.js';
export { DayClose } from './day-close.js';
export { type ApplyReport, type RefusedProposal } from './exceptions/apply.js';
export {
  type CloseException,
  type CloseProposal,
  type ExceptionKind,
  type ExceptionNote,
  type ExceptionState,
  type OwnSide,
  type StatementSide,
} from './exceptions/close-exception.js';
export { Reconciliation, type ReconciliationStatus } from './reconciliation.js';
export {
  type ReconciliationClosed,
  type ReconciliationEvents,
  type ReconciliationSettled,
} from './reconciliation-events.js';
export {
  type ReconciliationAsyncOptions,
  type ReconciliationExtras,
  ReconciliationModule,
  type ReconciliationRootOptions,
} from './reconciliation.module.js';
export { type ReconciliationOptions } from './reconciliation-options.js';
export { type LooseMatching, type ReconciliationPolicy } from './reconciliation-policy.js';
export { closeReport, type CloseReportFormat, type CloseReportOptions } from './report/close-report.js';
export { type CloseToReport } from './report/close-to-report.js';
export { type JournalAccounts } from './report/journal-accounts.js';
export { csvStatement } from './statement/csv-statement.js';
export {
  type PreviewColumn,
  previewStatement,
  type StatementPreview,
} from './statement/preview-statement.js';
export { type StatementColumns, type StatementField } from './statement/statement-columns.js';
export { type CsvStatementOptions } from './statement/statement-options.js';
export { type Statement, type StatementRow, type StatementRowKind } from './statement/statement-row.js';
