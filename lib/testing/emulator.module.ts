import { type DynamicModule, type FactoryProvider, Module, type OnApplicationShutdown } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { PaymentsConfigError } from '../errors/payments-errors.js';
import { PaymentsSandbox } from '../sandbox/payments-sandbox.js';
import { TestedAccounts } from './tested-accounts.js';
import { type PaymentsTestingOverrides } from './testing-options.js';
import { WebhookTargets } from './webhook-targets.js';

/** The emulator that this application started. */
export class OwnEmulator implements OnApplicationShutdown {
  constructor(private readonly own: PaymentsSandbox | undefined) {}

  dropHanging(): void {
    this.own?.dropHanging();
  }

  /** Stops it after the accounts, which wait for their running calls. */
  async onApplicationShutdown(): Promise<void> {
    await this.own?.stop();
  }
}

/** One emulator for the whole application. */
@Module({})
export class EmulatorModule {
  static register(
    { sandbox = {}, ...overrides }: PaymentsTestingOverrides,
    ...others: readonly FactoryProvider[]
  ): DynamicModule {
    const running = sandbox instanceof PaymentsSandbox ? sandbox : undefined;
    return {
      module: EmulatorModule,
      global: true,
      providers: [
        {
          provide: PaymentsSandbox,
          useFactory: async (modules: ModulesContainer): Promise<PaymentsSandbox> => {
            assertNotInProduction();
            assertAlone(modules);
            if (sandbox instanceof PaymentsSandbox) return sandbox;
            const started = await PaymentsSandbox.start({ clock: 'manual', seed: 1, ...sandbox });
            started.unref();
            return started;
          },
          inject: [ModulesContainer],
        },
        {
          provide: TestedAccounts,
          useFactory: (emulator: PaymentsSandbox) => new TestedAccounts(emulator, overrides),
          inject: [PaymentsSandbox],
        },
        WebhookTargets,
        ...others,
        {
          provide: OwnEmulator,
          useFactory: (emulator: PaymentsSandbox) => new OwnEmulator(running ? undefined : emulator),
          inject: [PaymentsSandbox],
        },
      ],
      exports: [PaymentsSandbox, TestedAccounts, OwnEmulator, ...others.map(({ provide }) => provide)],
    };
  }
}

/** In production, a shop would deliver goods for payments that only the emulator calls paid. */
function assertNotInProduction(): void {
  if (process.env['NODE_ENV'] !== 'production') return;
  throw new PaymentsConfigError(
    'PaymentsTestingModule plays payments in which no money moves, and NODE_ENV is production: take it out of the ' +
      "application's imports, or give the tests another NODE_ENV, such as test.",
  );
}

function assertAlone(modules: ModulesContainer): void {
  const emulators = [...modules.values()].filter(({ metatype }) => metatype === EmulatorModule);
  if (emulators.length === 1) return;
  throw new PaymentsConfigError(
    'PaymentsTestingModule is imported twice, and an application has one emulator: keep one import, and name several ' +
      "accounts in it: forRoot({ accounts: ['default', 'payouts'] }).",
  );
}
