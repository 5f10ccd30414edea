import { Controller } from '@nestjs/common';
import { PaymentsWebhook } from 'nestjs-payments';

@Controller('webhooks')
export class WebhooksController {
  /** Runs after the package has verified and claimed the event and run every `@OnPayment` method. */
  @PaymentsWebhook('payments')
  received(): void {}
}
