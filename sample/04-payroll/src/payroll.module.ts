import { type DynamicModule, Module } from '@nestjs/common';
import { paymentsConfig, type PaymentsFactoryOptions, PaymentsModule } from 'nestjs-payments';
import { postgresStorage } from 'nestjs-payments/postgres';
import { CheckCommand } from './check/check.command.js';
import { LineChecker } from './check/line-checker.js';
import { RecipientLookup } from './check/recipient-lookup.js';
import { SentGuard } from './check/sent-guard.js';
import { Interruption } from './console/interruption.js';
import { Screen } from './console/screen.js';
import { type JournalDatabase } from './journal/journal-database.js';
import { SCHEMA } from './journal/journal-schema.js';
import { RunJournal } from './journal/run-journal.js';
import { SentLines } from './journal/sent-lines.js';
import { LinePayer } from './pay/line-payer.js';
import { PayRun } from './pay/pay-run.js';
import { PayCommand } from './pay/pay.command.js';
import { Settings } from './settings.js';
import { SettleCommand } from './settle/settle.command.js';
import { WalletCover } from './wallet-cover.js';

/** Long enough to wait out a 429, which may ask for a minute. */
const DEADLINE_MS = 90_000;

@Module({})
export class PayrollModule {
  static with(settings: Settings, screen: Screen, { pool }: JournalDatabase): DynamicModule {
    return {
      module: PayrollModule,
      imports: [
        PaymentsModule.forRootAsync({
          useFactory: gatewayOptions,
          storage: postgresStorage({ pool, schema: SCHEMA }),
          deadlineMs: DEADLINE_MS,
          rate: { perSecond: settings.perSecond },
          // A later run probes a payout whose answer was lost, once, with the same key and the same bytes.
          // The gateway accepts it, or answers that it already has it. A probe within the call would hold up
          // the next lines.
          probe: { disbursements: { afterAnswerMs: DEADLINE_MS, afterSilenceMs: DEADLINE_MS } },
          // A run may continue the next morning.
          recoveryWindowMs: 24 * 3_600_000,
        }),
      ],
      providers: [
        { provide: Settings, useValue: settings },
        { provide: Screen, useValue: screen },
        { provide: SentLines, useValue: new SentLines(pool, settings) },
        Interruption,
        CheckCommand,
        LineChecker,
        LinePayer,
        PayCommand,
        PayRun,
        RecipientLookup,
        RunJournal,
        SentGuard,
        SettleCommand,
        WalletCover,
      ],
    };
  }
}

/** The gateway has no webhooks for payouts, so the program needs no secret for them. */
async function gatewayOptions(): Promise<PaymentsFactoryOptions> {
  const { webhooks: _notForPayouts, ...options } = await paymentsConfig();
  return options;
}
