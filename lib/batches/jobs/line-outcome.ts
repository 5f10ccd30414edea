import {
  isPaymentsError,
  PaymentOutcomeUnknownError,
  PaymentRejectedError,
  PaymentsAuthenticationError,
  PaymentsConfigError,
  type PaymentsError,
  PaymentsValidationError,
  ReferenceReusedError,
} from '../../errors/payments-errors.js';
import { AnotherRecipientError } from '../../journal/payment/repeated-call-errors.js';
import { type LineState } from '../../storage/batch-store.js';
import { type BatchPause } from '../batch/batch-details.js';

/** What a call that failed says of its line, and whether the batch continues. */
interface LineOutcome {
  /** `checked`: nothing was sent, so a later run sends it. `sending`: a later run finds out whether it was sent. */
  readonly state: Extract<LineState, 'checked' | 'sending' | 'unknown' | 'refused' | 'failed'>;
  /** For people. */
  readonly detail: string;
  /** Absent: the next line may be sent. */
  readonly stop?: BatchPause;
  /** The reference belongs to a payment to another recipient. */
  readonly isOfAnother?: true;
}

/** If the money may have moved, the line is unknown. Only a final refusal is a refusal. */
export function outcomeOf(error: unknown): LineOutcome {
  if (!isPaymentsError(error)) {
    const stop = { reason: 'The process failed while it sent a line.' };
    return { state: 'unknown', detail: 'the process failed while it sent the line', stop };
  }
  if (error instanceof PaymentOutcomeUnknownError) {
    // Another process makes it, or died a moment ago: once its lease is over, a later run finds out.
    if (error.evidence === 'in-flight') return { state: 'sending', detail: '' };
    return { state: 'unknown', detail: `no certain answer came (${error.evidence})` };
  }
  if (error instanceof AnotherRecipientError && error.mayHaveBeenProcessed)
    return { state: 'unknown', detail: error.message, isOfAnother: true };
  if (error.mayHaveBeenProcessed === true) return { state: 'unknown', detail: error.message };
  // The journal could not be read, for example: an earlier run may have sent it.
  if (error.mayHaveBeenProcessed === 'not-by-this-call') {
    return { ...notSent(error.message, needsPerson(error) ? undefined : 'gateway'), state: 'sending' };
  }
  if (error instanceof ReferenceReusedError) {
    return { state: 'failed', detail: 'it ended without success: pay it under another key' };
  }
  if (error.code === 'INSUFFICIENT_BALANCE') {
    return notSent('The wallet holds too little: top it up.', 'balance');
  }
  // The next lines meet the same.
  if (error.code === 'DAILY_CAP_REACHED') return notSent(error.message);
  if (error instanceof PaymentRejectedError || error instanceof PaymentsValidationError) {
    return { state: 'refused', detail: error.message };
  }
  return notSent(error.message, error.retryable ? 'gateway' : undefined);
}

/** Time alone brings no right keys, no right option and no account. */
function needsPerson(error: PaymentsError): boolean {
  const isWrong = error instanceof PaymentsAuthenticationError || error instanceof PaymentsConfigError;
  return isWrong || error.code === 'ACCOUNT_UNKNOWN';
}

function notSent(reason: string, until?: BatchPause['until']): LineOutcome {
  return { state: 'checked', detail: '', stop: { reason, until } };
}

/**
 * The states from which a line may take an outcome. A job may run twice at once, so the weaker outcome of the second run must
 * not replace the stronger one of the first. Once money may have moved, the line says so, whatever another job thought of it, or a
 * person said while the call was running.
 */
export const REPLACES: Readonly<
  Record<'accepted' | 'paid' | Exclude<LineOutcome['state'], 'sending'>, readonly LineState[]>
> = {
  paid: ['checked', 'blocked', 'sending', 'accepted', 'unknown', 'refused', 'failed'],
  accepted: ['checked', 'blocked', 'sending', 'unknown', 'refused', 'failed'],
  unknown: ['checked', 'blocked', 'sending', 'unknown', 'refused', 'failed'],
  refused: ['sending'],
  failed: ['sending', 'unknown'],
  checked: ['sending'],
};
