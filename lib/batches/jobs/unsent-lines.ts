import { type BatchLine, type LineChange } from '../../storage/batch-store.js';
import { type BatchAccount } from '../batch/batch-accounts.js';
import { inParallel } from './in-parallel.js';
import { journalState, type LineJournal } from './journal-state.js';

/**
 * The numbers of those lines of which certainly no money moved: the journal never heard of them, or the gateway refused them. What a
 * job has marked and not reached may have been sent by another run of the job, whatever became of that one.
 */
export async function unmovedLines(
  journal: LineJournal,
  batch: string,
  lines: readonly BatchLine[],
  atOnce: number,
): Promise<ReadonlySet<number>> {
  const unmoved = new Set<number>();
  await inParallel(lines, atOnce, async (line) => {
    const known = await journalState(journal, batch, line);
    if (known === undefined || known === 'refused') unmoved.add(line.number);
  });
  return unmoved;
}

/**
 * Those lines of which certainly no money moved, as `checked`, whatever a process that died had marked. The others become
 * `sending`: a lookup must neither block them, nor change what the journal compares their next call with.
 */
export async function unsentLines(
  { services, store }: Pick<BatchAccount, 'services' | 'store'>,
  { batch, load }: { readonly batch: string; readonly load: string },
  lines: readonly BatchLine[],
  atOnce: number,
): Promise<readonly BatchLine[]> {
  const unmoved = await unmovedLines(services.journal, batch, lines, atOnce);
  const stateOf = ({ number }: BatchLine): 'checked' | 'sending' =>
    unmoved.has(number) ? 'checked' : 'sending';
  const changes = lines
    .filter((line) => line.state !== stateOf(line))
    .map((line): LineChange => ({ number: line.number, from: [line.state], to: stateOf(line) }));
  if (changes.length > 0) await store.change(load, changes);
  return lines.flatMap((line) => (unmoved.has(line.number) ? [{ ...line, state: 'checked' as const }] : []));
}
