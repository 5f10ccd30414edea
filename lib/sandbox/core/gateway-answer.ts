import { type Refusal } from './refusal.js';

/** An answer before it is written as JSON. */
export interface GatewayAnswer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  /** The answer leaves no sooner. */
  readonly ready?: Promise<void>;
}

/** What an operation gives. */
export interface Acceptance {
  /** The envelope's `data`. */
  readonly data: Record<string, unknown> | readonly unknown[];
  /** The answer leaves no sooner. */
  readonly ready?: Promise<void>;
}

/** An operation's data, or why it was refused. */
export type Outcome = Acceptance | Refusal;

export function isRefusal(outcome: Outcome): outcome is Refusal {
  return !('data' in outcome);
}
