import {
  PaymentsError,
  PaymentsValidationError,
  ReferenceReusedError,
} from '../../errors/payments-errors.js';
import { type BatchLine, type LineState, type StoredBatch } from '../../storage/batch-store.js';
import { type JournalEntry } from '../../common/journal-entry.js';
import { quoted } from '../../common/quoted.js';
import { type BatchAccess, notFound } from '../batch/batch-access.js';
import { checkState } from '../batch/batch-decisions.js';
import { approvalDigestOf, hashOfWords } from '../batch/approval-digest.js';
import { detailsOf } from '../batch/batch-details.js';
import { resultOf } from '../batch/line-result.js';
import { refuseRefused } from '../batch/line-settlement.js';
import { paymentReference } from '../batch/payment-reference.js';
import { hashOf } from '../lines/payout-line.js';
import { endCheck } from './end-batch.js';
import { isForgottenAs, isOfAnother, isUnheardOf, journalState, mayHaveMoved } from './journal-state.js';
import { lineInJournal } from './line-in-journal.js';
import { giveUpLine } from './line-mark.js';
import { hasOpenLookups } from './open-lookups.js';
import { writeLineEnd } from './settle-line-of.js';
import { wordsFor } from './unblock-lines.js';

/**
 * Lets blocked lines be paid. Returns how many were blocked, and the digests that approvals are bound to before and
 * after it.
 */
export async function acceptLines(
  access: BatchAccess,
  keys: readonly string[],
  { by, because }: { readonly by: string; readonly because: string },
): Promise<{ readonly lines: number; readonly before: string; readonly after: string }> {
  if (typeof because !== 'string' || because.trim() === '') {
    throw new PaymentsValidationError({ because: ['because must say why the lines may be paid'] });
  }
  checkKeys(keys);
  const seen = await access.stored();
  checkState(seen, 'accept');
  const words = await wordsFor(access, keys, by);
  let before = '';
  // Earlier approvers did not see that these lines are paid, too. No approval is possible before they are written.
  const checking = await access.change((stored) => {
    checkState(stored, 'accept');
    const details = detailsOf(stored.record);
    // Lines that were checked meanwhile may show another holder: the words would not be those that approvals are bound to.
    if (details.round !== detailsOf(seen.record).round) throw checkedMeanwhile(access.batch);
    before = approvalDigestOf(stored.record);
    const changes = {
      approvals: [],
      round: details.round + 1,
      words: hashOfWords(details.words, words, access.account),
      accepting: { by, keys },
    };
    return { action: 'accept', by, details: { keys, because }, changes };
  });
  await endCheck(access.account, checking);
  access.notify();
  return { lines: words.length, before, after: approvalDigestOf(checking.record) };
}

/** @throws PaymentsValidationError if they are no keys: one text would be taken for a list of letters. */
function checkKeys(keys: unknown): void {
  if (Array.isArray(keys) && keys.every((key) => typeof key === 'string')) return;
  throw new PaymentsValidationError({ keys: ["keys must be a list of texts: write for example ['S-1']"] });
}

function checkedMeanwhile(batch: string): PaymentsError {
  return new PaymentsError(
    'BATCH_STATE',
    `The batch "${batch}" was checked, or other lines of it were accepted, at the same moment: look at the lines, and accept them again.`,
  );
}

/**
 * Begins a check, or joins the one that is running. Returns the digests that approvals are bound to before and after
 * it: a line that is looked up again may be paid now, which a person who looked at the batch before did not see.
 */
export async function beginCheck(
  access: BatchAccess,
  by: string,
): Promise<{ readonly checking: StoredBatch; readonly before?: string; readonly after?: string }> {
  const looksAgain = await hasOpenLookups(access.account.store, (await access.stored()).record);
  let before: string | undefined;
  const checking = await access.change((stored) => {
    before = undefined;
    if (stored.record.state === 'checking') return undefined;
    checkState(stored, 'check');
    const { round, words } = detailsOf(stored.record);
    before = approvalDigestOf(stored.record);
    const changes = {
      round: round + 1,
      approvals: [],
      looksAgain: looksAgain || undefined,
      ...(looksAgain && { words: hashOf([words ?? '', round]) }),
    };
    return { action: 'check', by, changes };
  });
  if (before === undefined) return { checking };
  return { checking, before, after: approvalDigestOf(checking.record) };
}

/**
 * Writes down how a line ended.
 *
 * @throws PaymentsError with the code `LINE_NOT_SETTLED` if it was refused, and is to have failed.
 * @throws ReferenceReusedError if its reference belongs to another payment, so that this one cannot have been paid.
 */
export async function settleLine(
  access: BatchAccess,
  key: string,
  outcome: 'paid' | 'failed',
  by: string,
): Promise<void> {
  const { store, services } = access.account;
  const payment = await paymentOf(access, key);
  const { line, reference, isOther } = payment;
  refuseRefused(line, outcome);
  if (isOther && outcome === 'paid') throw ofAnother(key, reference);
  // How the other payment ended is not what somebody said about the line.
  const isApart = isOther || (await isForgotten(access, payment, outcome));
  const settled = isApart ? undefined : await settlePayment(access, payment, outcome);
  if (isOther && !payment.entry) await giveUpLine(services.journal, access.batch, line);
  const made = settled && (await lineInJournal(services, access.batch, line, settled));
  const result = made?.to === 'paid' ? made.result : undefined;
  const { record } = await access.stored();
  if (!(await writeLineEnd(store, record, key, { outcome, by }, result))) throw notFound(access.batch);
  // A call of the line that was running may have contradicted it meanwhile, and have been written before.
  const known = isApart ? undefined : await journalState(services.journal, access.batch, line);
  if (mayHaveMoved(known)) {
    await store.change(access.load, [{ number: line.number, from: ['failed'], to: known }]);
  }
  access.notify();
}

/** Settles the payment of a line, unless it has ended like this. Undefined if the journal has lost it. */
async function settlePayment(
  access: BatchAccess,
  payment: LinePayment,
  outcome: 'paid' | 'failed',
): Promise<JournalEntry | undefined> {
  const { journal } = access.account.services;
  const { line, reference, entry } = payment;
  const isWritten = hasEnded(entry, outcome) || (await isLost(access, payment));
  const settled = isWritten ? entry : await journal.settle('disbursement', reference, outcome);
  // A run that read an earlier refusal may stand still, and make the next attempt later.
  if (outcome === 'failed') await giveUpLine(journal, access.batch, line);
  return settled;
}

/**
 * Why an outcome of a line cannot be written down as far as that is known now, with what to do instead; undefined if nothing
 * speaks against it. For people.
 */
export async function settlementProblem(
  access: BatchAccess,
  key: string,
  outcome: 'paid' | 'failed',
): Promise<string | undefined> {
  const payment = await paymentOf(access, key);
  const { entry, isOther } = payment;
  const word = quoted(key);
  if (isOther && outcome === 'paid')
    return `The reference of the line ${word} belongs to another payment: settle the line as failed, and pay it under another key.`;
  if (isOther || (await isForgotten(access, payment, outcome)) || (await isLost(access, payment)))
    return undefined;
  if (!entry) return `The journal holds no payment of the line ${word}, or has forgotten it: leave it out.`;
  if (entry.state !== 'settled' || hasEnded(entry, outcome)) return undefined;
  const instead = entry.outcome === 'paid' ? 'paid' : 'failed';
  return `The journal says that the payment of the line ${word} has ended as ${entry.outcome ?? instead}, which is final: settle it as ${instead}, or leave it out.`;
}

const MAY_BE_SENT: readonly LineState[] = ['sending', 'accepted', 'unknown', 'paid'];

/** A line has no other word for a payment that was cancelled than failed. */
function hasEnded(entry: JournalEntry | undefined, outcome: 'paid' | 'failed'): boolean {
  return entry?.state === 'settled' && (entry.outcome === 'paid') === (outcome === 'paid');
}

/**
 * Whether the journal has forgotten the payment, and remembers the end that somebody says. One that moved no money has failed
 * even if it was that of an earlier batch with this name. Whether one that was paid was that of the line, only people know.
 */
async function isForgotten(
  { account: { services } }: BatchAccess,
  { line: { state }, entry, reference }: LinePayment,
  outcome: 'paid' | 'failed',
): Promise<boolean> {
  // The payment of an earlier batch with this name says nothing of a line that was never sent.
  if (entry !== undefined || (outcome === 'paid' && !MAY_BE_SENT.includes(state))) return false;
  return isForgottenAs(services.journal, reference, outcome);
}

/**
 * Whether the journal knows nothing of a line that is unknown, and nobody sends anything of its batch any more: then only people
 * know how it ended.
 */
async function isLost(
  access: BatchAccess,
  { line: { state }, entry, reference }: LinePayment,
): Promise<boolean> {
  if (entry !== undefined || state !== 'unknown') return false;
  const { record } = await access.stored();
  const isOver = record.state === 'ended' || record.state === 'cancelled';
  return isOver && isUnheardOf(access.account.services.journal, reference);
}

/** A line with the payment of its reference, which may be another one. */
interface LinePayment {
  readonly line: BatchLine;
  readonly reference: string;
  readonly entry: JournalEntry | undefined;
  readonly isOther: boolean;
}

async function paymentOf(access: BatchAccess, key: string): Promise<LinePayment> {
  const reference = paymentReference(access.batch, key);
  const line = await access.line(key);
  const entry = await access.account.services.journal.get('disbursement', reference);
  const isOther = entry ? await isOfOther(access, line, entry) : resultOf(line.result).isOfAnother === true;
  return { line, reference, entry, isOther };
}

/** A call of a payment that was made sends nothing, and compares the recipient, too. */
async function isOfOther(
  { account: { services }, batch }: BatchAccess,
  line: BatchLine,
  entry: JournalEntry,
): Promise<boolean> {
  const isMade = entry.state === 'accepted' || entry.outcome === 'paid';
  const compared = isMade ? await lineInJournal(services, batch, line, entry) : undefined;
  return isOfAnother(entry, { ...line, ...(compared?.result !== undefined && { result: compared.result }) });
}

function ofAnother(key: string, reference: string): ReferenceReusedError {
  return new ReferenceReusedError(
    `Nothing was written: the reference of the line "${key}" belongs to another payment, so the line was never paid under it.`,
    { reference, hint: 'Settle the line as failed, and pay it under another key.' },
    true,
  );
}
