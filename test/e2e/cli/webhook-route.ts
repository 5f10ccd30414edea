import { Controller } from '@nestjs/common';
import { PaymentsWebhook } from '../../../lib/webhooks/routes/payments-webhook.decorator.js';

@Controller('webhooks')
export class WebhookRoute {
  @PaymentsWebhook('payments')
  received(): void {}
}
