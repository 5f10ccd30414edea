import { Module, ValidationPipe } from '@nestjs/common';
import { ConfigModule, ConfigService } from '@nestjs/config';
import { APP_PIPE } from '@nestjs/core';
import { PaymentsModule, type PaymentsModuleOptions } from 'nestjs-payments';
import { OrdersController } from './orders/orders.controller';
import { OrdersService } from './orders/orders.service';
import { webhookScheme } from './webhook-scheme';
import { WebhooksController } from './webhooks.controller';

@Module({
  imports: [
    PaymentsModule.forRootAsync({
      imports: [ConfigModule.forRoot()],
      inject: [ConfigService],
      useFactory: (config: ConfigService): PaymentsModuleOptions => ({
        baseUrl: config.getOrThrow('PAYMENTS_BASE_URL'),
        apiKey: config.getOrThrow('PAYMENTS_API_KEY'),
        apiSecret: config.getOrThrow('PAYMENTS_API_SECRET'),
        webhooks: { scheme: webhookScheme, secrets: [config.getOrThrow('PAYMENTS_WEBHOOK_SECRET')] },
      }),
    }),
  ],
  controllers: [OrdersController, WebhooksController],
  providers: [
    OrdersService,
    { provide: APP_PIPE, useFactory: () => new ValidationPipe({ whitelist: true }) },
  ],
})
export class AppModule {}
