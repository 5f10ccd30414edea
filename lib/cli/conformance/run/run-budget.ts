import { type RunCaps } from './plan.js';

/** Counts what a run sends. It knows nothing of the plan, so that a wrong plan cannot pass a cap. */
export class RunBudget {
  private requests = 0;
  private cents = 0;

  constructor(private readonly caps: RunCaps) {}

  /** Why a request may not be sent; undefined if it may. */
  problem(cents: number): string | undefined {
    if (this.requests + 1 > this.caps.maxRequests)
      return `it was not sent: --max-requests ${this.caps.maxRequests} is reached`;
    return this.cents + cents > this.caps.maxAmountCents
      ? 'it was not sent: it could pass --max-amount'
      : undefined;
  }

  /**
   * Counts a request as if it moved its money.
   *
   * @param times How often it was sent. A request that can move money is sent once.
   */
  spend(cents: number, times = 1): void {
    this.requests += times;
    this.cents += cents;
  }

  /** The money of a request surely did not move. */
  release(cents: number): void {
    this.cents -= cents;
  }
}
