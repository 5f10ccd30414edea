import { type CollectionState, type DisbursementState } from './status-machine.js';

/** What becomes of an accepted request if nobody decides. Times run from its acceptance, by the sandbox's clock. */
export interface OutcomePlan {
  readonly moves: readonly ScheduledTransition[];
  /** False: a payment that nobody decides waits for ever. */
  readonly expires: boolean;
  /** The first move, and its webhook, come before the answer. */
  readonly beforeAnswer: boolean;
  readonly delivery: DeliveryPlan;
}

export interface ScheduledTransition {
  readonly afterMs: number;
  readonly to: CollectionState | DisbursementState;
}

/** How the webhook of a payment's end is delivered. */
export interface DeliveryPlan {
  /** How often it is delivered, the same body each time. */
  readonly copies: number;
  /** So many first tries never arrive. */
  readonly lost: number;
  /** A try with a forged signature comes first. */
  readonly forgedFirst: boolean;
  /** The copies are sent together rather than one after the other. */
  readonly atOnce: boolean;
  /** How long after the payment's end the first try starts. */
  readonly delayMs: number;
  /** When it is delivered once more, in milliseconds after it was answered 200. */
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

/** Somebody decides, or the payment expires. */
export const WAITING: OutcomePlan = {
  moves: [],
  expires: true,
  beforeAnswer: false,
  delivery: PLAIN_DELIVERY,
};
