import { type OutcomePlan } from './outcome-plan.js';
import { type Fault } from './fault.js';
import { type Refusal } from './refusal.js';

/** What was decided about one call before it was looked at. */
export interface Rule {
  /** As the `X-Sandbox-Rule` header and the request log show it: `ending 0003`. */
  readonly name: string;
  readonly plan: OutcomePlan;
  readonly refusal?: Refusal;
  readonly fault?: Fault;
}
