import { Module } from '@nestjs/common';
import { ConfigModule } from '@nestjs/config';
import { payments, queue } from '../common/payments.js';

/** Reads the queue. It has no handlers: a worker runs what it releases. */
@Module({ imports: [ConfigModule.forRoot(), payments, queue('stores')] })
export class OfficeModule {}
