import { Module, ValidationPipe } from '@nestjs/common';
import { ConfigModule, ConfigService } from '@nestjs/config';
import { APP_INTERCEPTOR, APP_PIPE } from '@nestjs/core';
import { hmac, PaymentsErrorInterceptor, PaymentsModule } from 'nestjs-payments';
import { postgresStorage } from 'nestjs-payments/postgres';
import { Pool } from 'pg';
import { DatabaseModule } from './database.module.js';
import { MerchantsController } from './merchants/merchants.controller.js';
import { MerchantsModule } from './merchants/merchants.module.js';
import { MerchantsTable } from './merchants/merchants.table.js';
import { OrdersController } from './orders/orders.controller.js';
import { OrdersService } from './orders/orders.service.js';
import { OutcomesService } from './orders/outcomes.service.js';
import { RecoveryService } from './orders/recovery.service.js';
import { ProductsController } from './products/products.controller.js';
import { ProductsTable } from './products/products.table.js';
import { WebhooksController } from './webhooks.controller.js';

@Module({
  imports: [
    ConfigModule.forRoot({ isGlobal: true }),
    DatabaseModule,
    MerchantsModule,
    PaymentsModule.forRootAsync({
      imports: [MerchantsModule],
      inject: [ConfigService, Pool, MerchantsTable],
      useFactory: (config: ConfigService, pool: Pool, merchants: MerchantsTable) => ({
        baseUrl: config.getOrThrow<string>('PAYMENTS_BASE_URL'),
        storage: postgresStorage({ pool, transactional: true, migrate: true }),
        accounts: { resolve: (id) => merchants.keysOf(id) },
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
    }),
  ],
  controllers: [MerchantsController, ProductsController, OrdersController, WebhooksController],
  providers: [
    OrdersService,
    OutcomesService,
    ProductsTable,
    RecoveryService,
    {
      provide: APP_PIPE,
      useFactory: () => new ValidationPipe({ transform: true, whitelist: true, forbidNonWhitelisted: true }),
    },
    { provide: APP_INTERCEPTOR, useClass: PaymentsErrorInterceptor },
  ],
})
export class AppModule {}
