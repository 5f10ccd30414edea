import { type CollectionState, type DisbursementState } from './status-machine.js';

/** What happens to an accepted request if nobody decides. Times count from its acceptance, by the sandbox's clock. */
export interface OutcomePlan {
  readonly transitions: readonly ScheduledTransition[];
  /** False: the payment waits for ever if nobody decides. */
  readonly expires: boolean;
  /** The first transition and its webhook come before the answer. */
  readonly beforeAnswer: boolean;
  readonly delivery: DeliveryPlan;
}

export interface ScheduledTransition {
  readonly afterMs: number;
  readonly to: CollectionState | DisbursementState;
}

/** How the webhook of a settled payment is delivered. */
export interface DeliveryPlan {
  /** How many times the same body is delivered. */
  readonly copies: number;
  /** How many of the first tries never arrive. */
  readonly lost: number;
  /** A try with a forged signature comes first. */
  readonly forgedFirst: boolean;
  /** The copies are sent together, not one after the other. */
  readonly atOnce: boolean;
  /** How long after the payment's end the first try starts. */
  readonly delayMs: number;
  /** When it is delivered once more: milliseconds after the answer 200. */
  readonly lateCopies: readonly number[];
}

export const PLAIN_DELIVERY: DeliveryPlan = {
  copies: 1,
  lost: 0,
  forgedFirst: false,
  atOnce: false,
  delayMs: 0,
  lateCopies: [],
};

/** The payment waits until somebody decides, or until it expires. */
export const WAITING: OutcomePlan = {
  transitions: [],
  expires: true,
  beforeAnswer: false,
  delivery: PLAIN_DELIVERY,
};
