import { Module } from '@nestjs/common';
import { ConfigModule } from '@nestjs/config';
import { hmac, paymentsConfig, PaymentsModule } from 'nestjs-payments';
import { FeesModule } from './fees/fees.module';
import { PaymentsController } from './payments/payments.controller';
import { PaymentsHandler } from './payments/payments.handler';

@Module({
  imports: [
    FeesModule,
    ConfigModule.forRoot(),
    PaymentsModule.forRootAsync({
      isGlobal: true,
      ...paymentsConfig.asProvider(),
      webhooks: {
        // The emulator's scheme. For the gateway's scheme, look at its portal or ask its support.
        scheme: hmac({
          header: 'x-webhook-signature',
          algorithm: 'sha256',
          encoding: 'hex',
          payload: ['body'],
        }),
        // The signature holds no time, so an old delivery can always come again.
        retentionDays: Infinity,
      },
    }),
  ],
  controllers: [PaymentsController],
  providers: [PaymentsHandler],
})
export class AppModule {}
