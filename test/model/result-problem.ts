import { MONEY_PATHS } from '../support/operation-calls.js';
import { ABOUT_ANOTHER, type Belief, type CallResult, type ErrorView, REFUSALS } from './call-result.js';
import { type Effect, type SentPayment, wasTurnedAway } from './gateway.js';
import { type PlannedCall } from './plan.js';
import { operationOf } from './send-payment.js';

/** The result of a call, and what is known about its payment. */
export interface JudgedResult {
  readonly call: PlannedCall;
  readonly result: CallResult;
  readonly effects: readonly Effect[];
  /** The results that its callers got before. */
  readonly before: Belief;
  /** What came to the gateway during the call. */
  readonly sent: readonly SentPayment[];
  /** No other call for the same payment was made at the same time. */
  readonly isAlone: boolean;
  /** The merchant knows how the payment ended. */
  readonly hasEnded: boolean;
  /** Something for this payment has yet to come to the gateway. */
  readonly isOnItsWay: boolean;
}

/** So end the problems of code that threw an error of nobody: it says nothing about money. */
export const BY_ITSELF = 'failed by itself';
const SENT_AFTER_ALL = 'a call that says it sent nothing sent something';

/** What a result says that is not so; undefined: nothing. */
export function resultProblem(judged: JudgedResult): string | undefined {
  const { result } = judged;
  if (result.end === 'resolved') return resolvedProblem(judged, result.value);
  return result.end === 'rejected' ? rejectedProblem(judged, result.error) : undefined;
}

function resolvedProblem(
  { call, effects, hasEnded }: JudgedResult,
  value: { readonly reference: string; readonly amount: string },
): string | undefined {
  if (effects.length === 0) return 'a call resolved without a payment';
  const hasFailed = effects.every(({ status }) => ['failed', 'cancelled', 'expired'].includes(status));
  if (hasEnded && hasFailed) return 'a payment that had failed was handed out as made';
  const isThisPayment = effects.some(
    (effect) => effect.amount === call.amount && effect.path.endsWith(MONEY_PATHS[operationOf(call)]),
  );
  if (!isThisPayment) return 'a call resolved with another payment';
  const isItsRecord = value.reference === call.reference && value.amount === call.amount;
  return isItsRecord ? undefined : 'a call resolved with another record';
}

function rejectedProblem(
  { before, effects, sent, isAlone, isOnItsWay }: JudgedResult,
  { name, mayHaveBeenProcessed }: ErrorView,
): string | undefined {
  if (mayHaveBeenProcessed === undefined) return `a call ${BY_ITSELF}`;
  // What was turned away does not count: the gateway never looked at it.
  const hasSent = isAlone && sent.some((each) => !wasTurnedAway(each));
  if (ABOUT_ANOTHER.includes(name)) return hasSent ? SENT_AFTER_ALL : undefined;
  if (name === 'PaymentOutcomeUnknownError') {
    return mayHaveBeenProcessed === true
      ? undefined
      : 'an unknown payment is said not to have been processed';
  }
  if (hasSent && !REFUSALS.includes(name)) return SENT_AFTER_ALL;
  if (mayHaveBeenProcessed !== false) return undefined;
  if (before !== 'nothing') return 'a payment that may exist is said not to have been processed';
  const mayStand = effects.length > 0 || isOnItsWay;
  return isAlone && mayStand ? 'a payment that was made is said not to have been processed' : undefined;
}
