import { Controller } from '@nestjs/common';
import { PaymentsWebhook } from 'nestjs-payments';

@Controller('webhooks')
export class PaymentsController {
  /** POST /webhooks/payments: runs once per outcome, after every @OnPayment method. */
  @PaymentsWebhook('payments')
  received(): void {}
}
