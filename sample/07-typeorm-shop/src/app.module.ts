import { Module, ValidationPipe } from '@nestjs/common';
import { ConfigModule, type ConfigType } from '@nestjs/config';
import { APP_INTERCEPTOR, APP_PIPE } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { hmac, paymentsConfig, PaymentsErrorInterceptor, PaymentsModule } from 'nestjs-payments';
import { sqlStorage } from 'nestjs-payments/sql';
import { fromTypeOrm } from 'nestjs-payments/typeorm';
import { DataSource } from 'typeorm';
import { DatabaseModule } from './database/database.module.js';
import { CheckoutService } from './orders/checkout.service.js';
import { Order } from './orders/order.entity.js';
import { OrdersController } from './orders/orders.controller.js';
import { OutcomesService } from './orders/outcomes.service.js';
import { Product } from './orders/product.entity.js';
import { ReceiptPrinter } from './orders/receipt.printer.js';
import { RecoveryService } from './orders/recovery.service.js';
import { WebhooksController } from './webhooks.controller.js';

@Module({
  imports: [
    ConfigModule.forRoot({ isGlobal: true }),
    DatabaseModule,
    TypeOrmModule.forFeature([Order, Product]),
    PaymentsModule.forRootAsync({
      imports: [ConfigModule.forFeature(paymentsConfig)],
      inject: [paymentsConfig.KEY, DataSource],
      // The journal and the inbox are in the shop's database, so one transaction writes a webhook, its order and the
      // stock.
      useFactory: (config: ConfigType<typeof paymentsConfig>, dataSource: DataSource) => ({
        ...config,
        storage: sqlStorage({ executor: fromTypeOrm(dataSource), transactional: true, migrate: true }),
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
  controllers: [OrdersController, WebhooksController],
  providers: [
    CheckoutService,
    OutcomesService,
    ReceiptPrinter,
    RecoveryService,
    {
      provide: APP_PIPE,
      useFactory: () => new ValidationPipe({ transform: true, whitelist: true, forbidNonWhitelisted: true }),
    },
    { provide: APP_INTERCEPTOR, useClass: PaymentsErrorInterceptor },
  ],
})
export class AppModule {}
