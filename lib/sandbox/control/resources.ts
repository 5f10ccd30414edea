import { type SandboxRequest } from '../core/request-journal.js';
import { type TimelineEntry } from '../timeline/timeline-entry.js';
import {
  type SandboxBalance,
  type SandboxDelivery,
  type SandboxPayment,
  type SandboxPayout,
} from './records.js';

/** `GET /payments/{reference}` */
export type SandboxPaymentDetail = SandboxPayment & { readonly timeline: readonly TimelineEntry[] };

/** `GET /payouts/{reference}` */
export type SandboxPayoutDetail = SandboxPayout & { readonly timeline: readonly TimelineEntry[] };

/** Who holds an account, as it was registered. */
export interface SandboxDirectoryEntry {
  readonly account_number: string;
  /** Null: the account does not exist. */
  readonly account_name: string | null;
}

/** A secret that an endpoint's webhooks are signed with. */
export interface SandboxEndpointSecret {
  /** Its last four characters after dots; whole in the answer that made it. */
  readonly secret: string;
  readonly created_at: string;
  /** When it stops being used, by the sandbox's clock; null for the newest. */
  readonly expires_at: string | null;
}

/** Where webhooks go. */
export interface SandboxWebhookEndpoint {
  /** `default` and `default-<merchant>` are the addresses of `deliverTo`. */
  readonly id: string;
  /** Null: every merchant that has no endpoint of its own. */
  readonly merchant: string | null;
  readonly url: string;
  /** The events that it gets; null for all. */
  readonly events: readonly string[] | null;
  readonly enabled: boolean;
  readonly created_at: string;
  /** The newest first. While there are two, the tries of a delivery use them in turn. */
  readonly secrets: readonly SandboxEndpointSecret[];
}

/**
 * A fault that waits for its calls.
 *
 * @publicApi
 */
export interface SandboxFault {
  /** What the control API names it by. */
  readonly id: string;
  /** Method and path below `/api/v1`. */
  readonly operation: string;
  /** The only reference whose calls it applies to; null for any. */
  readonly reference: string | null;
  /** The only merchant whose calls it applies to; null for any. */
  readonly merchant: string | null;
  /** What happens to the call, as `sandbox.next(…)` names it. */
  readonly kind: string;
  /** HTTP status of `status` and `html`. */
  readonly status: number | null;
  /** `Retry-After` of `status`, in seconds. */
  readonly retry_after: number | null;
  /** Gateway code of `status`. */
  readonly code: string | null;
  /** Of `delay` and, between bytes, of `drip`. */
  readonly duration_ms: number | null;
  /** How many calls it still applies to; null: until it is removed. */
  readonly left: number | null;
  /** From 0 to 1. */
  readonly probability: number;
}

/**
 * The faults that wait, in the order in which they apply.
 *
 * @publicApi
 */
export interface SandboxFaults {
  /** The next one first. */
  readonly items: readonly SandboxFault[];
}

/**
 * The sandbox's clock.
 *
 * @publicApi
 */
export interface SandboxClockState {
  /** A manual clock stands still until it is advanced. */
  readonly kind: 'real' | 'manual';
  /** The time that it shows: ISO 8601. */
  readonly now: string;
  /** Time stands still until it is advanced. */
  readonly frozen: boolean;
  /** How many things are due later: expiries, redeliveries, automatic outcomes. */
  readonly waiting: number;
}

/**
 * The messages of `GET /events`: `event:` is the key, `data:` the value as JSON. A comment line is the heartbeat. Each
 * message has an `id:`; with `Last-Event-ID` the stream goes on after it.
 */
export interface SandboxStreamEvents {
  readonly payment: SandboxPayment;
  readonly payout: SandboxPayout;
  readonly delivery: SandboxDelivery;
  readonly balance: SandboxBalance;
  /** A call under `/api/v1` that was answered or given up. */
  readonly request: SandboxRequest;
  readonly faults: SandboxFaults;
  readonly clock: SandboxClockState;
  /** Something was forgotten, or messages were missed: read the lists again. */
  readonly reset: Record<string, never>;
}
