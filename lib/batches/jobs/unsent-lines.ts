import { type BatchLine, type LineChange } from '../../storage/batch-store.js';
import { type BatchAccount } from '../batch/batch-accounts.js';
import { type BatchPlace, unpaidAs, withdrawn } from './line-mark.js';

/**
 * Those lines of which certainly no money moved, as `checked`, whatever a process that died had marked. The others become
 * `sending`: a lookup must neither block them, nor change what the journal compares their next call with.
 */
export async function unsentLines(
  account: Pick<BatchAccount, 'services' | 'store'>,
  place: BatchPlace,
  lines: readonly BatchLine[],
  atOnce: number,
): Promise<readonly BatchLine[]> {
  const isChecked = ({ state }: BatchLine): boolean => state === 'checked';
  const unpaid = await withdrawn(account, place, lines, atOnce, isChecked);
  const numbers = new Set(unpaid.map(({ number }) => number));
  const sent = lines.filter((line) => isChecked(line) && !numbers.has(line.number));
  const changes: readonly LineChange[] = [
    ...unpaid.filter((line) => !isChecked(line)).map((line) => unpaidAs(line, 'checked')),
    ...sent.map(({ number }): LineChange => ({ number, from: ['checked'], to: 'sending' })),
  ];
  const changed = new Set(await account.store.change(place.load, changes));
  const isUnsent = (line: BatchLine): boolean => isChecked(line) || changed.has(line.number);
  return unpaid.filter(isUnsent).map((line) => ({ ...line, state: 'checked' }));
}
