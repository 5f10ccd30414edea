import { Module, ValidationPipe } from '@nestjs/common';
import { ConfigModule } from '@nestjs/config';
import { APP_INTERCEPTOR, APP_PIPE } from '@nestjs/core';
import { PaymentsErrorInterceptor } from 'nestjs-payments';
import { payments, queue } from '../common/payments.js';
import { ShutdownLog } from '../common/shutdown.log.js';
import { OrdersModule } from '../orders/orders.module.js';
import { CheckoutService } from './checkout.service.js';
import { OrdersController } from './orders.controller.js';
import { WebhooksController } from './webhooks.controller.js';

@Module({
  imports: [ConfigModule.forRoot(), payments, queue('stores'), OrdersModule],
  controllers: [OrdersController, WebhooksController],
  providers: [
    CheckoutService,
    ShutdownLog,
    {
      provide: APP_PIPE,
      useFactory: () => new ValidationPipe({ transform: true, whitelist: true, forbidNonWhitelisted: true }),
    },
    { provide: APP_INTERCEPTOR, useClass: PaymentsErrorInterceptor },
  ],
})
export class WebModule {}
