import { Module } from '@nestjs/common';
import { ConfigModule } from '@nestjs/config';
import { payments, queue } from '../common/payments.js';
import { settings } from '../common/settings.js';
import { ShutdownLog } from '../common/shutdown.log.js';
import { OrdersModule } from '../orders/orders.module.js';
import { MailClient } from './mail.client.js';
import { OrderOutcomes } from './order.outcomes.js';
import { OrdersReconciler } from './orders.reconciler.js';
import { Receipts } from './receipts.js';
import { Upkeep } from './upkeep.js';

@Module({
  imports: [
    ConfigModule.forRoot(),
    ConfigModule.forFeature(settings),
    payments,
    queue('works'),
    OrdersModule,
  ],
  providers: [OrderOutcomes, Receipts, MailClient, OrdersReconciler, Upkeep, ShutdownLog],
})
export class WorkerModule {}
