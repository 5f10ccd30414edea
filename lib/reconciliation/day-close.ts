import { inspect } from 'node:util';
import { type CloseException, type CloseProposal } from './exceptions/close-exception.js';
import { type CloseSummary } from './close/close-summary.js';
import { closeReport, type CloseReportOptions } from './report/close-report.js';

/**
 * A day that was closed: what we think, what the gateway says, and the difference.
 *
 * @hideconstructor
 * @publicApi
 */
export class DayClose {
  /** The day in figures. */
  readonly summary: CloseSummary;
  /** What the close found, and what was open from earlier days, which comes first. */
  readonly exceptions: readonly CloseException[];
  /** What the statement proves. Nothing of it is applied by itself. */
  readonly proposals: readonly CloseProposal[];

  constructor(
    summary: CloseSummary,
    exceptions: readonly CloseException[],
    proposals: readonly CloseProposal[],
  ) {
    this.summary = summary;
    this.exceptions = exceptions;
    this.proposals = proposals;
  }

  /**
   * The day as text: for a terminal, as Markdown, the exceptions as CSV, or as double entries.
   *
   * @throws PaymentsValidationError if there is no such format, or a name cannot be one of an account.
   */
  report(options: CloseReportOptions): string {
    return closeReport(this, options);
  }

  /** @internal */
  [inspect.custom](): string {
    return `DayClose { ${this.summary.day}, ${this.exceptions.length} exceptions }`;
  }
}
