import { type Refusal } from './refusal.js';

/** An answer before serialization. */
export interface GatewayAnswer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  /** Why the request is refused is a matter of HTTP, so that no fact about the gateway has the status. */
  readonly isOfHttp?: true;
  /** The emulator holds the answer back until this resolves. */
  readonly ready?: Promise<void>;
}

/** The result of a successful operation. */
export interface Acceptance {
  /** The envelope's `data`. */
  readonly data: Record<string, unknown> | readonly unknown[];
  /** The emulator holds the answer back until this resolves. */
  readonly ready?: Promise<void>;
}

/** The result of an operation. */
export type Outcome = Acceptance | Refusal;

export function isRefusal(outcome: Outcome): outcome is Refusal {
  return !('data' in outcome);
}
