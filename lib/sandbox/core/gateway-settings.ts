import { type FeeRules } from './fees.js';

/** What the core needs to know beforehand. */
export interface GatewaySettings {
  readonly startingBalanceCents: bigint;
  readonly fees: FeeRules;
  readonly expireAfterMs: number;
}
