import { type PaymentsAccount } from '../../accounts/account.js';
import { PaymentRejectedError, PaymentsValidationError } from '../../errors/payments-errors.js';
import { type BatchLine, type LineChange, type LineState } from '../../storage/batch-store.js';
import { type BatchPause } from '../batch/batch-details.js';
import { type LineResult, resultOf } from '../batch/line-result.js';
import { paymentReference } from '../batch/payment-reference.js';
import { lineFrom } from '../lines/payout-line.js';
import { isTurnedAway, journalState, mayHaveMoved, stateIn } from './journal-state.js';
import { outcomeOf, REPLACES } from './line-outcome.js';

/** What pays lines. */
export type PayingServices = Pick<PaymentsAccount, 'disbursements' | 'journal'>;

/** A line that was sent, or not. */
export interface SentLine {
  /** Absent: an earlier job may have sent it, and nobody knows now. */
  readonly change?: LineChange | undefined;
  /** Why the batch has to pause. */
  readonly stop?: BatchPause | undefined;
}

/** A call with an attempt that has ended without a payment: nothing was sent. */
const ATTEMPT_OVER = 'attempt over';

/**
 * Sends a line under the reference that it has in every run, so the journal makes it once. A line that is unknown is sent
 * again unchanged: the journal probes it with the same key when that is due, and sends nothing otherwise. What somebody settled
 * as failed is not sent again.
 *
 * @param mayTryAgain Whether a payment that the gateway has refused may be made once more. @default no
 */
export async function payLine(
  services: PayingServices,
  batch: string,
  line: BatchLine,
  mayTryAgain: () => Promise<boolean> = () => Promise.resolve(false),
): Promise<SentLine> {
  // Without a number, the call would begin the next attempt of a payment that somebody has settled as failed.
  const sent = await payAttempt(services, batch, line, 1);
  if (sent !== ATTEMPT_OVER) return sent;
  const entry = await services.journal.get('disbursement', paymentReference(batch, line.key));
  const state = entry && stateIn(entry, line);
  // It was forgotten, or another process has begun the next attempt, at this moment: a later run finds out.
  if (!state || mayHaveMoved(state)) return {};
  if (state !== 'refused' || !(await mayTryAgain())) return { change: changeTo(line, state) };
  const again = await payAttempt(services, batch, line, entry.attempt + 1);
  return again === ATTEMPT_OVER ? {} : again;
}

/** More about a state that the journal knows of a line; absent: what was written before stays. */
const KNOWN_BEFORE: Partial<Record<LineState, string>> = {
  accepted: '',
  paid: '',
  refused: 'it was refused or given up before',
  failed: 'its payment was settled as failed before',
};

/** The change of a line to a state that the journal knows. */
export function changeTo(line: BatchLine, state: keyof typeof REPLACES): LineChange {
  return changeOf(line, state, { detail: KNOWN_BEFORE[state] ?? resultOf(line.result).detail });
}

async function payAttempt(
  { disbursements, journal }: PayingServices,
  batch: string,
  line: BatchLine,
  attempt: number,
): Promise<SentLine | typeof ATTEMPT_OVER> {
  try {
    const { fee } = await send(disbursements, batch, line, attempt);
    return { change: changeOf(line, 'accepted', { detail: '', fee }) };
  } catch (error) {
    if (error instanceof PaymentsValidationError && 'attempt' in error.errors) return ATTEMPT_OVER;
    const { state, detail, stop, isOfAnother } = outcomeOf(error);
    if (state === 'sending') return { stop };
    if (state === 'unknown') return { change: changeOf(line, state, { detail, isOfAnother }), stop };
    // Too many calls, or wrong keys: the next run calls it again with the same key. Unknown lines are left to a person.
    const isNoRefusal = state === 'checked' && !(error instanceof PaymentRejectedError);
    if (isNoRefusal && (await isTurnedAway(journal, paymentReference(batch, line.key)))) return { stop };
    // A call that fails before it reads the journal says too little: an earlier one may have paid, or been settled. Nor has it
    // compared the payment there with this line.
    const known = await journalState(journal, batch, line);
    if (mayHaveMoved(known)) return { change: changeOf(line, 'unknown', { detail }), stop };
    const to = known === 'failed' ? known : state;
    return { change: changeOf(line, to, { detail: to === state ? detail : KNOWN_BEFORE[to] }), stop };
  }
}

function changeOf(
  line: BatchLine,
  to: keyof typeof REPLACES,
  more: {
    readonly detail?: string | undefined;
    readonly fee?: string | undefined;
    readonly isOfAnother?: true | undefined;
  },
): LineChange {
  const result = resultOf(line.result);
  const { detail = '', fee = result.fee } = more;
  const isOfAnother = to === 'accepted' ? undefined : (more.isOfAnother ?? result.isOfAnother);
  const known: LineResult = {
    ...result,
    mark: undefined,
    detail,
    ...(fee !== undefined && { fee }),
    isOfAnother,
  };
  return { number: line.number, from: REPLACES[to], to, result: JSON.stringify(known) };
}

async function send(
  disbursements: PaymentsAccount['disbursements'],
  batch: string,
  { key, content, result }: BatchLine,
  attempt: number,
): Promise<{ readonly fee?: string }> {
  const { recipient, amount, remarks = batch } = lineFrom(content);
  const { holder = '', network = '' } = resultOf(result);
  const payment = { reference: paymentReference(batch, key), amount, remarks };
  if (recipient.kind === 'bank') {
    const { bankCode: bank_code, account: account_number } = recipient;
    return disbursements.bank({ ...payment, bank_code, account_number, account_name: holder }, { attempt });
  }
  const to = { recipient_phone: recipient.phone, recipient_name: holder, network };
  return disbursements.mobileMoney({ ...payment, ...to }, { attempt });
}
