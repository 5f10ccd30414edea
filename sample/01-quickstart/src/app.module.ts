import { Module, ValidationPipe } from '@nestjs/common';
import { ConfigModule, type ConfigType } from '@nestjs/config';
import { APP_INTERCEPTOR, APP_PIPE } from '@nestjs/core';
import { hmac, paymentsConfig, PaymentsErrorInterceptor, PaymentsModule } from 'nestjs-payments';
import { CheckoutService } from './orders/checkout.service.js';
import { OrdersController } from './orders/orders.controller.js';
import { OrdersService } from './orders/orders.service.js';
import { RecoveryService } from './orders/recovery.service.js';
import { PayoutsController } from './payouts/payouts.controller.js';
import { PayoutsService } from './payouts/payouts.service.js';
import { ShopController } from './shop.controller.js';
import { paymentsStorage } from './storage.js';
import { wrongFields } from './wrong-fields.js';
import { WebhooksController } from './webhooks.controller.js';

@Module({
  imports: [
    ConfigModule.forRoot(),
    PaymentsModule.forRootAsync({
      imports: [ConfigModule.forFeature(paymentsConfig)], // reads PAYMENTS_* from the environment, see .env.example
      inject: [paymentsConfig.KEY],
      useFactory: (environment: ConfigType<typeof paymentsConfig>) => ({
        ...environment,
        storage: paymentsStorage(process.env['SHOP_DATA']),
      }),
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
    RecoveryService,
    {
      provide: APP_PIPE,
      useFactory: () =>
        new ValidationPipe({
          transform: true,
          whitelist: true,
          forbidNonWhitelisted: true,
          exceptionFactory: wrongFields,
        }),
    },
    { provide: APP_INTERCEPTOR, useClass: PaymentsErrorInterceptor },
  ],
})
export class AppModule {}
