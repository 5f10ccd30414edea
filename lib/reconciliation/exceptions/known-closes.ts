import { type StatementSummary } from '../close/close-summary.js';
import { type ProvenRow } from '../matching/proven-row.js';
import { type StoredReconciliationEntry } from '../../storage/reconciliation-store.js';
import { detailsOf } from './exception-entry.js';

/** What exceptions and proposals need of the close that they belong to. */
interface KnownClose {
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

/** Whether the run that has written an exception has closed its day. Anything else was left by a run that died or was overtaken. */
export async function isOfClose(stored: StoredReconciliationEntry, closes: KnownCloses): Promise<boolean> {
  const { day, token } = detailsOf(stored);
  return (await closes.of(day))?.token === token;
}
