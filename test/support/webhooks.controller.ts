import { Controller } from '@nestjs/common';
import { PaymentsWebhook } from 'nestjs-payments';

/** The webhook route of most applications: everything is up to the handlers. */
@Controller('webhooks')
export class WebhooksController {
  @PaymentsWebhook('payments')
  received(): void {}
}
