import { Module } from '@nestjs/common';
import { ConfigModule } from '@nestjs/config';
import { payments, queue } from '../common/payments.js';

/** Looks into the queue. It has no handlers: what it releases, a worker does. */
@Module({ imports: [ConfigModule.forRoot(), payments, queue('stores')] })
export class OfficeModule {}
