import { Module, ValidationPipe } from '@nestjs/common';
import { ConfigModule } from '@nestjs/config';
import { APP_INTERCEPTOR, APP_PIPE } from '@nestjs/core';
import { paymentsConfig, PaymentsErrorInterceptor, PaymentsModule } from 'nestjs-payments';
import { CheckoutService } from './orders/checkout.service.js';
import { OrdersController } from './orders/orders.controller.js';
import { OrdersService } from './orders/orders.service.js';
import { OvenService } from './orders/oven.service.js';
import { webhookScheme } from './webhook.scheme.js';
import { WebhooksController } from './webhooks.controller.js';

@Module({
  imports: [
    ConfigModule.forRoot(),
    PaymentsModule.forRootAsync({
      ...paymentsConfig.asProvider(),
      // The signature holds no time, so an old delivery can always come again.
      webhooks: { scheme: webhookScheme, retentionDays: Infinity },
    }),
  ],
  controllers: [OrdersController, WebhooksController],
  providers: [
    CheckoutService,
    OrdersService,
    OvenService,
    {
      provide: APP_PIPE,
      useFactory: () => new ValidationPipe({ transform: true, whitelist: true, forbidNonWhitelisted: true }),
    },
    { provide: APP_INTERCEPTOR, useClass: PaymentsErrorInterceptor },
  ],
})
export class AppModule {}
