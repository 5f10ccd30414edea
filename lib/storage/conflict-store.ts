import { type InboxScope, type SetAsideKind } from '../common/vocabulary.js';

/**
 * A verified delivery that is stored instead of handled.
 *
 * @publicApi
 */
export interface SetAsideDelivery extends InboxScope {
  /** Why it is not handled. */
  readonly kind: SetAsideKind;
  /** Event name. */
  readonly event: string;
  /** The merchant's reference. */
  readonly reference: string;
  /**
   * SHA-256 (hex) that tells one delivery from another of its kind: of event, reference, amount, currency, status and, where a
   * success names one, the provider reference. `unrecognized`: of the body.
   */
  readonly fingerprint: string;
  /** The verified event as JSON text: names and phone numbers are in it. */
  readonly payload: string;
}

/**
 * A stored delivery that waits for somebody to look at it.
 *
 * @publicApi
 */
export interface InboxConflict extends SetAsideDelivery {
  /** Opaque; what `PaymentsInbox.release` takes. Another one where the same delivery is set aside anew after that. */
  readonly id: string;
  /** How often it was delivered. */
  readonly seen: number;
  /** Milliseconds since 1970. */
  readonly firstSeenAt: number;
}
