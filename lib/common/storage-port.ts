import { type PaymentsEnvironment } from './account.js';

/**
 * What the package remembers, and where. The port stands in the lowest layer because the options name it; its
 * implementations stand in `lib/storage` and in one folder per engine.
 *
 * @publicApi
 */
export interface PaymentsStorage {
  /** Name for boot messages, for example `memory`. */
  readonly name: string;
  /** Which webhook deliveries were handled. */
  readonly inbox: InboxStore;
  /** Closes what the storage itself opened; a client that the application passed in stays open. */
  close?(): Promise<void>;
}

/**
 * Where an inbox entry belongs: one payment outcome of one account in one environment.
 *
 * @publicApi
 */
export interface InboxKey {
  readonly account: string;
  readonly environment: PaymentsEnvironment;
  /** The merchant's reference, or `sha256:<hex of the body>` for an event name outside the specification. */
  readonly reference: string;
}

/**
 * One verified delivery, as the inbox compares it.
 *
 * @publicApi
 */
export interface InboxDelivery {
  readonly key: InboxKey;
  /** Event name. */
  readonly event: string;
  /** SHA-256 (hex) over event, reference, amount, currency and status. */
  readonly fingerprint: string;
  /** The verified payload as JSON text, kept for what is set aside until somebody releases it. */
  readonly payload: string;
}

/**
 * The right to run the handlers for one delivery. It ends with `finish` or `fail`, or when the lease runs out.
 *
 * @publicApi
 */
export interface InboxClaim {
  /** Rises with every claim of the same entry; a holder of an older one can change nothing. */
  readonly fence: number;
  /** 1 for the first run of the handlers. */
  readonly attempt: number;
  /** The open database transaction, where the storage commits its record together with the handler's writes. */
  readonly transaction?: unknown;
  /** Records the work as done. False: the lease was lost, and somebody else decides. */
  finish(): Promise<boolean>;
  /** Gives the entry back, so that the next delivery runs again. */
  fail(): Promise<void>;
}

/**
 * What the inbox says about a delivery.
 *
 * - `claimed`: run the handlers.
 * - `done`: they ran before; nothing to do.
 * - `busy`: they run elsewhere right now.
 * - `conflict`: another final event, or another amount, stands for this reference already.
 *
 * @publicApi
 */
export type ClaimResult =
  | { readonly result: 'claimed'; readonly claim: InboxClaim }
  | { readonly result: 'done' }
  | { readonly result: 'busy'; readonly leaseLeftMs: number }
  | { readonly result: 'conflict'; readonly settledEvent: string };

/**
 * How long a claim holds, and which outcome may replace which.
 *
 * @publicApi
 */
export interface ClaimRules {
  /** How long the claim holds, by the store's own clock. */
  readonly leaseMs: number;
  /** Pairs `[from, to]` of events of which the second may replace the finished first. */
  readonly supersede: readonly (readonly [from: string, to: string])[];
}

/**
 * A delivery that was set aside instead of handled.
 *
 * @publicApi
 */
export interface InboxConflict {
  /** Opaque; what `PaymentsInbox.release` takes. */
  readonly id: string;
  readonly kind: 'conflict' | 'mismatch';
  readonly key: InboxKey;
  readonly event: string;
  readonly payload: string;
  /** How often it was delivered. */
  readonly seen: number;
  /** Milliseconds since 1970. */
  readonly firstSeenAt: number;
}

/**
 * The inbox: one entry per payment outcome, claimed by one worker at a time.
 *
 * Every method rejects when the store cannot be reached; the delivery is then answered 503.
 *
 * @publicApi
 */
export interface InboxStore {
  /** Takes the right to handle a delivery, atomically among all replicas that share the store. */
  claim(delivery: InboxDelivery, rules: ClaimRules): Promise<ClaimResult>;
  /** Resolves when the running claim of an entry ends, or after `timeoutMs`. */
  waitForRelease(key: InboxKey, timeoutMs: number): Promise<void>;
  /** Stores a delivery beside the inbox; a repetition raises `seen`. Resolves to its id. */
  setAside(delivery: InboxDelivery, kind: InboxConflict['kind']): Promise<string>;
  /** What is set aside for an account, oldest first. */
  conflicts(account: string, environment: PaymentsEnvironment): Promise<readonly InboxConflict[]>;
  /** Takes one entry out of what is set aside; undefined where there is none. */
  takeConflict(id: string): Promise<InboxConflict | undefined>;
  /** Forgets finished entries older than `olderThanMs`. Resolves to how many. */
  purge(olderThanMs: number): Promise<number>;
}
