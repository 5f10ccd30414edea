import { Module, ValidationPipe } from '@nestjs/common';
import { ConfigModule } from '@nestjs/config';
import { APP_INTERCEPTOR, APP_PIPE } from '@nestjs/core';
import { hmac, paymentsConfig, PaymentsErrorInterceptor, PaymentsModule } from 'nestjs-payments';
import { CheckoutService } from './orders/checkout.service.js';
import { OrdersController } from './orders/orders.controller.js';
import { OrdersService } from './orders/orders.service.js';
import { PayoutsController } from './payouts/payouts.controller.js';
import { PayoutsService } from './payouts/payouts.service.js';
import { ShopController } from './shop.controller.js';
import { WebhooksController } from './webhooks.controller.js';

@Module({
  imports: [
    ConfigModule.forRoot(),
    PaymentsModule.forRootAsync({
      ...paymentsConfig.asProvider(), // reads PAYMENTS_* from the environment, see .env.example
      webhooks: {
        scheme: hmac({
          header: 'x-webhook-signature',
          algorithm: 'sha256',
          encoding: 'hex',
          payload: ['body'],
        }),
        retentionDays: Infinity, // the signature holds no time, so an old delivery can always come again
      },
    }),
  ],
  controllers: [ShopController, OrdersController, PayoutsController, WebhooksController],
  providers: [
    CheckoutService,
    OrdersService,
    PayoutsService,
    {
      provide: APP_PIPE,
      useFactory: () => new ValidationPipe({ whitelist: true, forbidNonWhitelisted: true }),
    },
    { provide: APP_INTERCEPTOR, useClass: PaymentsErrorInterceptor },
  ],
})
export class AppModule {}
