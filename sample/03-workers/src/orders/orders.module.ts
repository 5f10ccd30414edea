import { Module } from '@nestjs/common';
import { ConfigModule } from '@nestjs/config';
import { settings } from '../common/settings.js';
import { OrdersStore } from './orders.store.js';

@Module({
  imports: [ConfigModule.forFeature(settings)],
  providers: [OrdersStore],
  exports: [OrdersStore],
})
export class OrdersModule {}
