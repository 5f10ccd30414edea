import { Controller } from '@nestjs/common';
import { PaymentEvent, PaymentsWebhook, type PaymentWebhookEvent } from 'nestjs-payments';
import { OrdersService } from './orders/orders.service.js';

@Controller('webhooks')
export class WebhooksController {
  constructor(private readonly orders: OrdersService) {}

  @PaymentsWebhook('payments')
  received(@PaymentEvent() event: PaymentWebhookEvent): void {
    this.orders.note(event);
  }
}
