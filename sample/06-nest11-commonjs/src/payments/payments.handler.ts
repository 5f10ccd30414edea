import { Injectable, Logger } from '@nestjs/common';
import { OnPayment, type PaymentWebhookEvent } from 'nestjs-payments';
import { FeesService } from '../fees/fees.service';

/**
 * The methods run before the gateway gets its answer. If one throws, the gateway delivers again. One may run twice for
 * an outcome: after a crash, or if a person releases an event. So a repetition must change nothing.
 */
@Injectable()
export class PaymentsHandler {
  private readonly logger = new Logger(PaymentsHandler.name);

  constructor(private readonly fees: FeesService) {}

  @OnPayment('payment.success')
  paid({ data }: PaymentWebhookEvent): void {
    this.fees.paid(data.reference, data.amount);
  }

  @OnPayment('payment.failed')
  @OnPayment('payment.cancelled')
  @OnPayment('payment.expired')
  notPaid({ data }: PaymentWebhookEvent): void {
    this.fees.settle(data.reference, 'not paid');
  }

  /** Contradicts the recorded outcome or amount: PaymentsInbox lists and releases it. */
  @OnPayment('payment.conflict')
  @OnPayment('payment.mismatch')
  contradicted({ event, data }: PaymentWebhookEvent): void {
    this.logger.warn(`Set aside: ${JSON.stringify(data.reference)}, ${event}`);
    // Another amount was paid, or money came after a failure: a person decides, and nobody is asked again.
    if (event === 'payment.success')
      this.fees.settle(data.reference, 'in review');
  }
}
