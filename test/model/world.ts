import { type Checker } from './checker.js';
import { type Kind } from './coverage.js';
import { type LedgerGateway } from './gateway.js';
import { type Merchant } from './merchant.js';
import { type Plan } from './plan.js';

/** What everything in a story works with. */
export interface World {
  readonly plan: Plan;
  readonly merchant: Merchant;
  readonly gateway: LedgerGateway;
  readonly checker: Checker;
  readonly reach: (kind: Kind) => void;
  /** Lets time pass for the storage. */
  readonly pass: (ms: number) => Promise<void>;
}
