import { sandboxPayout } from '../control/record-mappers.js';
import { type SandboxPayout } from '../control/records.js';
import { decidePayout, type PayoutAction } from '../core/decisions.js';
import { type Gateway } from '../core/gateway.js';

/**
 * The provider of one payout.
 *
 * @publicApi
 */
export class SandboxPayoutProvider {
  /** @internal */
  constructor(
    private readonly gateway: Gateway,
    private readonly reference: string,
    private readonly merchant: string | undefined,
  ) {}

  /**
   * Delivers the money: `paid`.
   *
   * @throws PaymentsSandboxError if the payout is unknown or has ended.
   */
  pay(): Promise<SandboxPayout> {
    return this.decide('pay');
  }

  /**
   * Refuses the payout and returns the locked money: `failed`.
   *
   * @throws PaymentsSandboxError if the payout is unknown or has ended.
   */
  fail(): Promise<SandboxPayout> {
    return this.decide('fail');
  }

  /**
   * Cancels the payout and returns the locked money: `cancelled`.
   *
   * @throws PaymentsSandboxError if the payout is unknown or has ended.
   */
  cancel(): Promise<SandboxPayout> {
    return this.decide('cancel');
  }

  private async decide(action: PayoutAction): Promise<SandboxPayout> {
    const { reference, merchant } = this;
    return Promise.resolve(sandboxPayout(decidePayout(this.gateway, { reference, merchant }, action)));
  }
}
