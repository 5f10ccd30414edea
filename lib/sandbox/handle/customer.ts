import { sandboxPayment } from '../control/record-mappers.js';
import { type SandboxPayment } from '../control/records.js';
import { decidePayment, type PaymentAction } from '../core/decisions.js';
import { type Gateway } from '../core/gateway.js';

/**
 * The customer behind a phone number. Each call resolves when the application has answered the webhook, or at
 * once if no endpoint takes it.
 *
 * @publicApi
 */
export class SandboxCustomer {
  /** @internal */
  constructor(
    private readonly gateway: Gateway,
    private readonly phone: string,
    private readonly merchant: string | undefined,
  ) {}

  /**
   * Authorizes a payment: `success`.
   *
   * @throws PaymentsSandboxError if the payment is unknown, another customer's, or has ended.
   */
  approve(reference: string): Promise<SandboxPayment> {
    return this.decide(reference, 'approve');
  }

  /**
   * Declines a payment, or has too little money: `failed`.
   *
   * @throws PaymentsSandboxError if the payment is unknown, another customer's, or has ended.
   */
  decline(reference: string): Promise<SandboxPayment> {
    return this.decide(reference, 'decline');
  }

  /**
   * Cancels a payment: `cancelled`.
   *
   * @throws PaymentsSandboxError if the payment is unknown, another customer's, or has ended.
   */
  cancel(reference: string): Promise<SandboxPayment> {
    return this.decide(reference, 'cancel');
  }

  /**
   * Lets a payment expire now, whatever the clock says: `expired`.
   *
   * @throws PaymentsSandboxError if the payment is unknown, another customer's, or has ended.
   */
  expire(reference: string): Promise<SandboxPayment> {
    return this.decide(reference, 'expire');
  }

  private async decide(reference: string, action: PaymentAction): Promise<SandboxPayment> {
    const { phone, merchant } = this;
    return sandboxPayment(await decidePayment(this.gateway, { reference, phone, merchant }, action));
  }
}
