import { Module, ValidationPipe } from '@nestjs/common';
import { ConfigModule, type ConfigType } from '@nestjs/config';
import { APP_PIPE } from '@nestjs/core';
import { EventEmitterModule } from '@nestjs/event-emitter';
import { hmac, paymentsConfig, PaymentsModule } from 'nestjs-payments';
import { postgresStorage } from 'nestjs-payments/postgres';
import { CatalogueController } from './catalogue/catalogue.controller.js';
import { Database } from './database/database.js';
import { DatabaseModule } from './database/database.module.js';
import { OfficeController } from './office/office.controller.js';
import { ReviewsService } from './office/reviews.service.js';
import { CheckoutService } from './orders/checkout.service.js';
import { LiveOrders } from './orders/live-orders.js';
import { OrdersController } from './orders/orders.controller.js';
import { OrdersRepository } from './orders/orders.repository.js';
import { OutcomesService } from './payments/outcomes.service.js';
import { OrdersReconciler } from './payments/orders.reconciler.js';
import { UpkeepService } from './payments/upkeep.service.js';
import { wrongFields } from './orders/wrong-fields.js';
import { PagesController } from './pages/pages.controller.js';
import { WebhooksController } from './payments/webhooks.controller.js';

@Module({
  imports: [
    ConfigModule.forRoot({ isGlobal: true }),
    EventEmitterModule.forRoot(), // emits `payment.stale`
    DatabaseModule,
    PaymentsModule.forRootAsync({
      imports: [ConfigModule.forFeature(paymentsConfig)],
      inject: [paymentsConfig.KEY, Database],
      // The journal and the inbox are in the orders' database, so one transaction writes a webhook and its
      // order.
      useFactory: (environment: ConfigType<typeof paymentsConfig>, { pool }: Database) => ({
        ...environment,
        storage: postgresStorage({ pool, transactional: true }),
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
  controllers: [CatalogueController, OrdersController, OfficeController, PagesController, WebhooksController],
  providers: [
    CheckoutService,
    LiveOrders,
    OrdersRepository,
    OrdersReconciler,
    OutcomesService,
    ReviewsService,
    UpkeepService,
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
  ],
})
export class AppModule {}
