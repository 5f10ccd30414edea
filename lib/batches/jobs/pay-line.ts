import { type PaymentsAccount } from '../../accounts/account.js';
import { PaymentRejectedError } from '../../errors/payments-errors.js';
import { type BatchLine, type LineChange } from '../../storage/batch-store.js';
import { type BatchPause } from '../batch/batch-details.js';
import { resultOf } from '../batch/line-result.js';
import { paymentReference } from '../batch/payment-reference.js';
import { lineFrom } from '../lines/payout-line.js';
import { isTurnedAway, journalState, mayHaveMoved } from './journal-state.js';
import { outcomeOf, REPLACES } from './line-outcome.js';

/** What pays lines. */
export type PayingServices = Pick<PaymentsAccount, 'disbursements' | 'journal'>;

/** A line that was sent, or not. */
export interface SentLine {
  /** Absent: an earlier job may have sent it, and nobody knows now. */
  readonly change?: LineChange;
  /** Why the batch has to pause. */
  readonly stop?: BatchPause | undefined;
}

/**
 * Sends a line under the reference that it has in every run, so the journal makes it once. A line that is unknown is sent
 * again unchanged: the journal probes it with the same key when that is due, and sends nothing otherwise.
 */
export async function payLine(
  { disbursements, journal }: PayingServices,
  batch: string,
  line: BatchLine,
): Promise<SentLine> {
  const result = resultOf(line.result);
  const changed = (to: keyof typeof REPLACES, detail: string, fee = result.fee): LineChange => ({
    number: line.number,
    from: REPLACES[to],
    to,
    result: JSON.stringify({ ...result, detail, fee }),
  });
  try {
    const { fee } = await send(disbursements, batch, line, result.holder ?? '', result.network ?? '');
    return { change: changed('accepted', '', fee) };
  } catch (error) {
    const { state, detail, stop } = outcomeOf(error);
    if (state === 'sending') return { stop };
    if (state === 'unknown') return { change: changed(state, detail), stop };
    // Too many calls, or wrong keys: the next run calls it again with the same key. Unknown lines are left to a person.
    const isNoRefusal = state === 'checked' && !(error instanceof PaymentRejectedError);
    if (isNoRefusal && (await isTurnedAway(journal, paymentReference(batch, line.key)))) return { stop };
    // A call that fails before it reads the journal says too little: an earlier one may have paid.
    const known = await journalState(journal, batch, line);
    return { change: changed(mayHaveMoved(known) ? known : state, detail), stop };
  }
}

async function send(
  disbursements: PaymentsAccount['disbursements'],
  batch: string,
  { key, content }: BatchLine,
  holder: string,
  network: string,
): Promise<{ readonly fee: string }> {
  const { recipient, amount, remarks = batch } = lineFrom(content);
  const payment = { reference: paymentReference(batch, key), amount, remarks };
  if (recipient.kind === 'bank') {
    const { bankCode: bank_code, account: account_number } = recipient;
    return disbursements.bank({ ...payment, bank_code, account_number, account_name: holder });
  }
  return disbursements.mobileMoney({
    ...payment,
    recipient_phone: recipient.phone,
    recipient_name: holder,
    network,
  });
}
