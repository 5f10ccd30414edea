import { Controller } from '@nestjs/common';
import { PaymentsWebhook } from 'nestjs-payments';

@Controller('webhooks')
export class WebhooksController {
  /**
   * The package verifies and stores the webhook, then answers 200. The handlers are in the worker, so this
   * method does not run.
   */
  @PaymentsWebhook('payments')
  received(): void {}
}
