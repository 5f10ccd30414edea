import { Module, ValidationPipe } from '@nestjs/common';
import { ConfigModule, ConfigService } from '@nestjs/config';
import { APP_INTERCEPTOR, APP_PIPE } from '@nestjs/core';
import { paymentsConfig, PaymentsErrorInterceptor, PaymentsModule } from 'nestjs-payments';
import { inProcess, PayoutBatchesModule } from 'nestjs-payments/batches';
import { postgresStorage } from 'nestjs-payments/postgres';
import { Pool } from 'pg';
import { BatchesController } from './batches/batches.controller.js';
import { LinesController } from './batches/lines.controller.js';
import { LiveProgress } from './batches/live-progress.js';
import { DatabaseModule, SCHEMA } from './database/database.module.js';
import { Sessions } from './people/sessions.js';
import { SessionController } from './people/session.controller.js';

/** Long enough to wait out a 429, which may ask for a minute. */
const DEADLINE_MS = 90_000;

@Module({
  imports: [
    ConfigModule.forRoot({ isGlobal: true }),
    DatabaseModule,
    PaymentsModule.forRootAsync({
      inject: [ConfigService, Pool],
      useFactory: async (config: ConfigService, pool: Pool) => {
        // The gateway has no webhooks for payouts, so the desk needs no secret for them.
        const { webhooks: _notForPayouts, ...environment } = await paymentsConfig();
        const askAgainHours = Number(config.get<string>('PAYROLL_ASK_AGAIN_HOURS') || 0);
        return {
          ...environment,
          storage: postgresStorage({ pool, schema: SCHEMA, migrate: true }),
          deadlineMs: DEADLINE_MS,
          rate: { perSecond: Number(config.get<string>('PAYROLL_PER_SECOND') || 5) },
          // A payout whose answer was lost is sent again, with the same key and the same bytes: by "Ask again", and by a
          // batch that continues after a crash. A gateway that makes a second payout for the same key pays twice.
          ...(askAgainHours > 0 && {
            probe: { disbursements: { afterAnswerMs: DEADLINE_MS, afterSilenceMs: DEADLINE_MS } },
            recoveryWindowMs: askAgainHours * 3_600_000,
          }),
        };
      },
    }),
    PayoutBatchesModule.forRoot({
      engine: inProcess(),
      policy: {
        approvals: [
          { from: '0', needed: 1 },
          { from: '5000000', needed: 2 },
        ],
      },
    }),
  ],
  controllers: [BatchesController, LinesController, SessionController],
  providers: [
    LiveProgress,
    Sessions,
    {
      provide: APP_PIPE,
      useFactory: () => new ValidationPipe({ transform: true, whitelist: true, forbidNonWhitelisted: true }),
    },
    { provide: APP_INTERCEPTOR, useClass: PaymentsErrorInterceptor },
  ],
})
export class AppModule {}
