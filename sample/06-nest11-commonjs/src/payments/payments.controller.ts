import { Controller } from '@nestjs/common';
import { PaymentsWebhook } from 'nestjs-payments';

@Controller('webhooks')
export class PaymentsController {
  /** POST /webhooks/payments: runs after every @OnPayment method, and like them maybe twice. */
  @PaymentsWebhook('payments')
  received(): void {}
}
