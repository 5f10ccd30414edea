import { sandboxPayout } from '../control/record-mappers.js';
import { type SandboxPayout } from '../control/records.js';
import { decidePayout, type PayoutAction } from '../core/decisions.js';
import { type Gateway } from '../core/gateway.js';

/**
 * The provider that carries one payout out.
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
   * The money arrives: `paid`.
   *
   * @throws PaymentsSandboxError where the payout is unknown or has ended.
   */
  pay(): Promise<SandboxPayout> {
    return this.decide('pay');
  }

  /**
   * The provider refuses, and the locked money returns: `failed`.
   *
   * @throws PaymentsSandboxError where the payout is unknown or has ended.
   */
  fail(): Promise<SandboxPayout> {
    return this.decide('fail');
  }

  /**
   * The locked money returns: `cancelled`.
   *
   * @throws PaymentsSandboxError where the payout is unknown or has ended.
   */
  cancel(): Promise<SandboxPayout> {
    return this.decide('cancel');
  }

  private async decide(action: PayoutAction): Promise<SandboxPayout> {
    const { reference, merchant } = this;
    return Promise.resolve(sandboxPayout(decidePayout(this.gateway, { reference, merchant }, action)));
  }
}
