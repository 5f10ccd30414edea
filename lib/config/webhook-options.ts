import { type PaymentEventName } from '../common/events.js';
import { type WebhookScheme } from '../common/webhook-scheme.js';

/**
 * Receiving webhooks of one account.
 *
 * @publicApi
 */
export interface WebhookOptions {
  /** How deliveries are signed. There is no default: the specification does not show it ("Events" rule 3). */
  readonly scheme: WebhookScheme;
  /** Signing secrets, at least 16 bytes each; several while rotating. */
  readonly secrets: readonly WebhookSecret[];
  /** Longest accepted body in bytes. @default 262_144 */
  readonly bodyLimit?: number;
  /** How long all handlers of one delivery may take, in milliseconds. @default 25_000 */
  readonly handlerTimeoutMs?: number;
  /** How long a claim holds when its process dies, in milliseconds. @default 60_000 */
  readonly leaseMs?: number;
  /** How long a repeated delivery waits for the running one, in milliseconds. @default 2_000 */
  readonly inFlightWaitMs?: number;
  /** How old a handled outcome must be, in days, for `PaymentsInbox.purge()` to forget it. @default 30 */
  readonly retentionDays?: number;
  /**
   * Outcomes that may replace a finished one, for example `[['payment.failed', 'payment.success']]`.
   * @default []
   */
  readonly supersede?: readonly (readonly [from: PaymentEventName, to: PaymentEventName])[];
}

/**
 * A signing secret: plain text in the scheme's own encoding, or spelled out.
 *
 * @publicApi
 */
export type WebhookSecret =
  | string
  | {
      /** The secret itself. */
      readonly value: string;
      /** How `value` becomes key bytes. @default the scheme's own, else 'utf8' */
      readonly encoding?: 'utf8' | 'base64' | 'hex';
      /** After this moment the secret is refused. */
      readonly notAfter?: Date | string;
    };
