import { Controller } from '@nestjs/common';
import { PaymentsWebhook } from 'nestjs-payments';

@Controller('webhooks')
export class WebhooksController {
  /** Verified and stored; the answer is 200 then. The handlers are in the worker, so this method does not run. */
  @PaymentsWebhook('payments')
  received(): void {}
}
