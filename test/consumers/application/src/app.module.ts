import { Module, ValidationPipe } from '@nestjs/common';
import { APP_INTERCEPTOR, APP_PIPE } from '@nestjs/core';
import { paymentsConfig, PaymentsErrorInterceptor, PaymentsModule } from 'nestjs-payments';
import { OrdersController } from './orders/orders.controller.js';
import { OrdersService } from './orders/orders.service.js';
import { webhookScheme } from './webhook-scheme.js';
import { WebhooksController } from './webhooks.controller.js';

@Module({
  imports: [
    PaymentsModule.forRootAsync({
      isGlobal: true,
      ...paymentsConfig.asProvider(),
      webhooks: { scheme: webhookScheme },
    }),
  ],
  controllers: [OrdersController, WebhooksController],
  providers: [
    OrdersService,
    { provide: APP_PIPE, useFactory: () => new ValidationPipe({ whitelist: true }) },
    { provide: APP_INTERCEPTOR, useClass: PaymentsErrorInterceptor },
  ],
})
export class AppModule {}
