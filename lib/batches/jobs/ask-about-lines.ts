import { type JournalEntry } from '../../common/journal-entry.js';
import {
  type BatchLine,
  type BatchRecord,
  type LineChange,
  type LineState,
} from '../../storage/batch-store.js';
import { type BatchAccess } from '../batch/batch-access.js';
import { detailsOf } from '../batch/batch-details.js';
import { linePages } from '../batch/batch-pages.js';
import { resultOf } from '../batch/line-result.js';
import { paymentReference } from '../batch/payment-reference.js';
import { inParallel } from './in-parallel.js';
import { isOfAnother, isUnheardOf, mayHaveMoved, stateIn } from './journal-state.js';
import { lineInJournal } from './line-in-journal.js';
import { giveUpLine, isUnpaying, takeOver, unpaidAs, withdrawn } from './line-mark.js';
import { type PayingServices } from './pay-line.js';

/** The states that say that a line was not paid. A payment beside the batch may have its reference, and people may be wrong. */
const NOT_PAID: readonly LineState[] = ['checked', 'blocked', 'refused', 'failed'];

/** The states of the lines that `askAgain()` reads: a batch that is worked on finds out about the others by itself. */
function askedAbout(record: BatchRecord): readonly LineState[] {
  if (record.state === 'running' || record.state === 'paused') return ['unknown'];
  const wasStarted = detailsOf(record).run !== undefined;
  return wasStarted ? ['unknown', 'sending', ...NOT_PAID] : ['unknown', 'sending'];
}

/**
 * Finds out what became of the lines that may have been sent, from the journal. Those that are unknown there too are called once
 * more, which never sends anything new. Returns how many have another state now.
 */
export async function askAboutUnknown(access: BatchAccess): Promise<number> {
  const { store } = access.account;
  const { concurrency, stopping } = access.context;
  const states = askedAbout((await access.stored()).record);
  let known = 0;
  const ask = async (line: BatchLine): Promise<void> => {
    const found = await fromJournal(access, line);
    // A run that read an earlier refusal may stand still, and make the next attempt later.
    if (found?.to === 'failed') await giveUpLine(access.account.services.journal, access.batch, line);
    const change = found && isUnpaying(found) ? await unpaying(access, line, found) : found;
    if (!change) return;
    const changed = await store.change(access.load, [change]);
    if (changed.length > 0 && change.to !== line.state) known += 1;
  };
  for await (const lines of linePages(store, access.load, states)) {
    await inParallel(lines, concurrency, ask, () => !stopping.aborted);
    if (stopping.aborted) break;
  }
  access.notify();
  return known;
}

/** A change to an unpaid line, once no process can be sending it any more; undefined if one may. */
async function unpaying(
  { account, batch, load }: BatchAccess,
  line: BatchLine,
  change: LineChange,
): Promise<LineChange | undefined> {
  const [unpaid] = await withdrawn(account, { batch, load }, [line], 1);
  return unpaid && { ...change, ...unpaidAs(unpaid, change.to) };
}

/** What the journal says of a line. A call of a payment that it does not hold, or that was refused, would send it. */
async function fromJournal(
  { account: { services, store }, batch, load }: BatchAccess,
  line: BatchLine,
): Promise<LineChange | undefined> {
  const { number, state } = line;
  const reference = paymentReference(batch, line.key);
  const entry = await services.journal.get('disbursement', reference);
  if (entry && NOT_PAID.includes(state)) return madeAfterAll(services, batch, line, entry);
  if (entry?.state === 'in-flight' && state === 'sending') {
    if (await services.journal.isHeld('disbursement', reference)) return undefined;
    const owned = await takeOver(store, load, line);
    return owned && lineInJournal(services, batch, owned, entry);
  }
  if (entry) return lineInJournal(services, batch, line, entry);
  // The journal knows a payment before it is sent, so a line that was only begun was not sent.
  const isUnsent = state === 'sending' && (await isUnheardOf(services.journal, reference));
  return isUnsent ? { number, from: [state], to: 'checked' } : undefined;
}

/** What becomes of a line that was called unpaid; undefined if its payment says so, too, or is that of another one. */
async function madeAfterAll(
  services: PayingServices,
  batch: string,
  line: BatchLine,
  entry: JournalEntry,
): Promise<LineChange | undefined> {
  const { number, state } = line;
  if (!mayHaveMoved(stateIn(entry, line)) || isOfAnother(entry, line)) return undefined;
  // A call that is running may remove its payment, and another one would send it then.
  const found = entry.state === 'in-flight' ? undefined : await lineInJournal(services, batch, line, entry);
  if (state !== 'failed') return found ?? { number, from: [state], to: 'sending' };
  // Only the call compares the recipient: what somebody said of the line is not about the payment of another one.
  return found && !resultOf(found.result ?? '').isOfAnother ? found : undefined;
}
