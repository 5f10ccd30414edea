import { type LineState } from '../../storage/batch-store.js';
import { type ResolvedBatchPolicy } from './batch-policy.js';

/** How many of the last lines ended without success, one after the other. */
interface OutcomeRow {
  readonly unknown: number;
  readonly refused: number;
}

/** Counts an outcome, and says as a sentence why the batch has to pause, if it has to. */
export function countRow(
  row: OutcomeRow,
  state: LineState,
  { stopAfterUnknown, stopAfterRefused }: Pick<ResolvedBatchPolicy, 'stopAfterUnknown' | 'stopAfterRefused'>,
): { readonly row: OutcomeRow; readonly stop?: string } {
  const next: OutcomeRow = {
    unknown: state === 'unknown' ? row.unknown + 1 : 0,
    refused: state === 'refused' ? row.refused + 1 : 0,
  };
  if (next.unknown >= stopAfterUnknown) {
    return {
      row: next,
      stop: `${next.unknown} outcomes in a row are unknown: look what is wrong at the gateway.`,
    };
  }
  if (next.refused >= stopAfterRefused) {
    return {
      row: next,
      stop: `${next.refused} lines in a row were refused: look at the reasons before you continue.`,
    };
  }
  return { row: next };
}
