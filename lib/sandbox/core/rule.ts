import { type OutcomePlan } from './outcome-plan.js';
import { type AnsweringFault, type Fault } from './fault.js';
import { type Refusal } from './refusal.js';

/** What happens to one call, decided before the emulator processes it. */
export interface Rule {
  /** Its name in the `X-Sandbox-Rule` header and the request log: `ending 0003`. */
  readonly name: string;
  readonly plan: OutcomePlan;
  readonly refusal?: Refusal;
  readonly fault?: Fault;
  /** What the scenario answers without processing the call. The fault then spoils this answer. */
  readonly unprocessed?: AnsweringFault;
}
