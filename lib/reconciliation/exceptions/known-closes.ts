import { type StatementSummary } from '../close/close-summary.js';
import { type ProvenRow } from '../matching/proven-row.js';
import { type CloseProposal } from './close-exception.js';

/** What exceptions and proposals need of the close that they belong to. */
export interface KnownClose {
  /** Names what the run that closed the day has written. */
  readonly token: string;
  /** Undefined: the day was closed without one. */
  readonly statement: Pick<StatementSummary, 'name' | 'digest'> | undefined;
}

/** The closes of an account, for one call. */
export interface KnownCloses {
  /** Undefined if the day was not closed. */
  of(day: string): Promise<KnownClose | undefined>;
  /** What the statement of a day proves of payments without an exception. */
  proofsOf(day: string): AsyncIterable<readonly ProvenRow[]>;
}

/** The proposal of a row. */
export function proposalOf(
  place: Pick<CloseProposal, 'account' | 'day' | 'statement' | 'exception'>,
  { family, reference, outcome, row }: ProvenRow,
): CloseProposal {
  const { account, day, statement, exception } = place;
  return { account, day, statement, exception, family, reference, outcome, row };
}
