import { Controller } from '@nestjs/common';
import { PaymentsWebhook } from 'nestjs-payments';

@Controller('webhooks')
export class WebhooksController {
  /** Verified, remembered and handed to every `@OnPayment` method before this runs. */
  @PaymentsWebhook('payments')
  received(): void {}
}
