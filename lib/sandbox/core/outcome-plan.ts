import { type CollectionState, type DisbursementState } from './status-machine.js';

/**
 * What happens to an accepted request unless somebody decides. Times count from its acceptance, by the
 * sandbox's clock.
 */
export interface OutcomePlan {
  readonly transitions: readonly ScheduledTransition[];
  /** False: the payment waits forever unless somebody decides. */
  readonly expires: boolean;
  /** Whether the first transition and its webhook come before the answer. */
  readonly beforeAnswer: boolean;
  readonly delivery: DeliveryPlan;
}

export interface ScheduledTransition {
  readonly afterMs: number;
  readonly to: CollectionState | DisbursementState;
}

/** How the webhook of a settled payment is delivered. */
export interface DeliveryPlan {
  /** How many times the emulator delivers the same body. */
  readonly copies: number;
  /** How many of the first tries get lost. */
  readonly lost: number;
  /** Whether a try with a forged signature comes first. */
  readonly forgedFirst: boolean;
  /** Whether the copies are sent together instead of in sequence. */
  readonly atOnce: boolean;
  /** Time between the payment's end and the first try. */
  readonly delayMs: number;
  /** Times of further deliveries: milliseconds after the answer 200. */
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
