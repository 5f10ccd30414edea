import { isPaymentsError } from 'nestjs-payments';

/** How a call ended, as its caller sees it: nothing of the package's own classes. */
export type CallResult =
  | { readonly end: 'resolved'; readonly value: { readonly reference: string; readonly amount: string } }
  | { readonly end: 'rejected'; readonly error: ErrorView }
  /** The process ended before the call did. */
  | { readonly end: 'died' };

export interface ErrorView {
  readonly name: string;
  readonly message: string;
  /** Undefined: no error of the package. */
  readonly mayHaveBeenProcessed?: boolean | 'not-by-this-call' | undefined;
  /** Why the outcome of a payment is unknown. */
  readonly evidence?: string | undefined;
}

/** What callers of these stories abort with. */
export const CALLER_GAVE_UP = new Error('the caller gave up');

/** The caller's own reason comes back as it is, and says that this call sent nothing. */
export function viewOf(error: unknown): ErrorView {
  if (error === CALLER_GAVE_UP)
    return { name: 'aborted', message: '', mayHaveBeenProcessed: 'not-by-this-call' };
  const { name, message } = error as Error;
  return isPaymentsError(error)
    ? { name, message, mayHaveBeenProcessed: error.mayHaveBeenProcessed, evidence: evidenceOf(error) }
    : { name, message };
}

function evidenceOf(error: object): string | undefined {
  return 'evidence' in error ? String(error.evidence) : undefined;
}

/** Names of the errors about the existing payment or about the request, and not about this payment. */
export const ABOUT_ANOTHER: readonly string[] = ['ReferenceReusedError', 'PaymentsValidationError'];

/** Names of the errors with which a gateway, or something before it, refuses what was sent. */
export const REFUSALS: readonly string[] = [
  'PaymentRejectedError',
  'PaymentsAuthenticationError',
  'PaymentsRateLimitError',
  'PaymentsConfigError',
];

/** What the results for a reference say: that nothing was sent, or that something may have been. */
export type Belief = 'nothing' | 'open';

/**
 * What a result leaves to be believed: something may stand; nothing does, as far as this call goes; or nothing does, and the
 * reference is free.
 */
export function beliefAfter(result: CallResult): Belief | 'freed' {
  if (result.end !== 'rejected') return 'open';
  const { name, mayHaveBeenProcessed, evidence } = result.error;
  // Another call has it in its hands, and that one's word counts.
  if (name === 'PaymentOutcomeUnknownError') return evidence === 'in-flight' ? 'nothing' : 'open';
  return REFUSALS.includes(name) && mayHaveBeenProcessed === false ? 'freed' : 'nothing';
}

/** The gateway said no, and the journal holds that. */
export function isRefused(result: CallResult): boolean {
  return (
    result.end === 'rejected' &&
    result.error.name === 'PaymentRejectedError' &&
    result.error.mayHaveBeenProcessed === false
  );
}
