import { Injectable, Logger } from '@nestjs/common';
import { OnPayment, type PaymentWebhookEvent } from 'nestjs-payments';
import { FeesService } from '../fees/fees.service';

/**
 * Each method runs once per outcome, before the gateway gets its answer. If one throws, the gateway delivers
 * again.
 */
@Injectable()
export class PaymentsHandler {
  private readonly logger = new Logger(PaymentsHandler.name);

  constructor(private readonly fees: FeesService) {}

  @OnPayment('payment.success')
  paid({ data }: PaymentWebhookEvent): void {
    this.fees.settle(data.reference, 'paid');
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
  }
}
