import { Controller } from '@nestjs/common';
import { PaymentsWebhook } from 'nestjs-payments';

@Controller('webhooks')
export class WebhooksController {
  /** The end of the path names the merchant. The package looks its signing secrets up, and refuses what they did not sign. */
  @PaymentsWebhook('payments/:account')
  received(): void {}
}
