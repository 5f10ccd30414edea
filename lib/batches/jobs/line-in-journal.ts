import { type JournalEntry } from '../../common/journal-entry.js';
import { type BatchLine, type LineChange } from '../../storage/batch-store.js';
import { stateIn } from './journal-state.js';
import { REPLACES } from './line-outcome.js';
import { changeTo, type PayingServices, payLine } from './pay-line.js';

/**
 * What the journal says of a line whose reference it holds; undefined if nothing can be said now. Only a call compares the
 * whole payment with that of the line. It repeats the answer of a payment that was made, with its fee, and sends nothing then.
 */
export async function lineInJournal(
  services: PayingServices,
  batch: string,
  line: BatchLine,
  entry: JournalEntry,
): Promise<LineChange | undefined> {
  const { state } = line;
  if (entry.state === 'planned') return undefined;
  if (entry.state === 'rejected' || (entry.state === 'settled' && entry.outcome !== 'paid')) {
    return { ...changeTo(line, stateIn(entry, line)), from: [state] };
  }
  const { change } = await payLine(services, batch, line);
  if (!change || change.to === 'checked') return change;
  if (change.to === 'accepted' && entry.outcome === 'paid') {
    return { ...change, from: REPLACES.paid, to: 'paid' };
  }
  return { ...change, from: [state, ...change.from] };
}
