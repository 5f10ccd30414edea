import { type TimelineEntry } from '../timeline/timeline-entry.js';
import { type SandboxDelivery, type SandboxPayment, type SandboxPayout } from './records.js';

/** `GET /payments/{reference}` */
export type SandboxPaymentDetail = SandboxPayment & { readonly timeline: readonly TimelineEntry[] };

/** `GET /payouts/{reference}` */
export type SandboxPayoutDetail = SandboxPayout & { readonly timeline: readonly TimelineEntry[] };

/** The newest webhook of a payment in `GET /payments`; `GET /deliveries/{id}` has all of it. */
export interface SandboxPaymentWebhook {
  /** Its id in the control API. */
  readonly id: string;
  readonly event: string;
  readonly state: SandboxDelivery['state'];
  /** How many tries it has had. */
  readonly attempts: number;
  /** Why the last try did not count as delivered; null if it did, or if there was none. */
  readonly problem: string | null;
  /** When the next try is due; null if none is scheduled. */
  readonly next_attempt_at: string | null;
}

/** A registered account with its holder. */
export interface SandboxDirectoryEntry {
  readonly account_number: string;
  /** Null: the account does not exist. */
  readonly account_name: string | null;
}

/** A secret that signs an endpoint's webhooks. */
interface SandboxEndpointSecret {
  /** Its last four characters after dots; the whole secret in the answer that created it. */
  readonly secret: string;
  readonly created_at: string;
  /** When the emulator stops using it, by the sandbox's clock; null for the newest. */
  readonly expires_at: string | null;
}

/** An address that receives webhooks. */
export interface SandboxWebhookEndpoint {
  /** `default` and `default-<merchant>` are the addresses of `deliverTo`. */
  readonly id: string;
  /** Null: every merchant without an endpoint of its own. */
  readonly merchant: string | null;
  readonly url: string;
  /** The events that it receives; null for all. */
  readonly events: readonly string[] | null;
  readonly enabled: boolean;
  readonly created_at: string;
  /** The newest first. If there are two, the tries of a delivery alternate between them. */
  readonly secrets: readonly SandboxEndpointSecret[];
}

/**
 * A planned fault.
 *
 * @publicApi
 */
export interface SandboxFault {
  /** Its id in the control API. */
  readonly id: string;
  /** Method and path below `/api/v1`. */
  readonly operation: string;
  /** It applies only to calls of this reference; null for any. */
  readonly reference: string | null;
  /** It applies only to calls of this merchant; null for any. */
  readonly merchant: string | null;
  /** What happens to the call: the name of a method of `NextCall`. */
  readonly kind: string;
  /** HTTP status of `status` and `html`. */
  readonly status: number | null;
  /** `Retry-After` of `status`, in seconds. */
  readonly retry_after: number | null;
  /** Gateway code of `status`. */
  readonly code: string | null;
  /** Whether `status` and `html` process the call before they answer; null for the other kinds. */
  readonly after_processing: boolean | null;
  /** Duration of `delay`, or time between two bytes of `drip`. */
  readonly duration_ms: number | null;
  /** How many calls it still applies to; null: until you remove it. */
  readonly left: number | null;
  /** The chance that it applies to a call, from 0 to 1. */
  readonly probability: number;
}

/**
 * The planned faults, in the order in which they apply.
 *
 * @publicApi
 */
export interface SandboxFaults {
  /** The faults, the next one first. */
  readonly items: readonly SandboxFault[];
}

/**
 * The sandbox's clock.
 *
 * @publicApi
 */
export interface SandboxClockState {
  /** A manual clock moves only when you advance it. */
  readonly kind: 'real' | 'manual';
  /** The sandbox's time: ISO 8601. */
  readonly now: string;
  /** Whether time stands still until you advance it. */
  readonly frozen: boolean;
  /** How many expiries, redeliveries and automatic outcomes are due later. */
  readonly waiting: number;
  /** The next 100 of them, the first one first. */
  readonly due: readonly SandboxDueEvent[];
}

/**
 * Something that the sandbox's clock brings.
 *
 * @publicApi
 */
export interface SandboxDueEvent {
  /** By the sandbox's clock. */
  readonly at: string;
  /** What changes. An `answer` is one that a fault delays. */
  readonly what: 'payment' | 'payout' | 'delivery' | 'answer';
  /** The `x` of the key pair; null if the emulator refused the keys. */
  readonly merchant: string | null;
  /** The merchant's reference; null if the call names none. */
  readonly reference: string | null;
  /** The next status of the payment or payout, or the webhook's event; null for an answer. */
  readonly to: string | null;
}

/** What `POST /clock/advance` brought, in order. */
export interface SandboxHappened {
  readonly count: number;
  /** The first 100. */
  readonly items: readonly SandboxDueEvent[];
}

/** A magic number. */
export interface SandboxScenario {
  /** The last four digits of the phone or account number. */
  readonly ending: string;
  readonly operations: readonly string[];
  /** What happens, in English. */
  readonly description: string;
}
