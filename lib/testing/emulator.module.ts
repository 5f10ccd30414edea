import { type DynamicModule, Module, type OnApplicationShutdown, type OnModuleDestroy } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { PaymentsConfigError } from '../errors/payments-errors.js';
import { PaymentsSandbox } from '../sandbox/payments-sandbox.js';
import { TestedAccounts } from './tested-accounts.js';
import { type PaymentsTestingOverrides } from './testing-options.js';
import { WebhookTargets } from './webhook-targets.js';

/** Stops the emulator with the application. */
class EmulatorLifecycle implements OnModuleDestroy, OnApplicationShutdown {
  constructor(private readonly own: PaymentsSandbox | undefined) {}

  /** The accounts wait for their running calls before the emulator stops. */
  onModuleDestroy(): void {
    this.own?.dropHanging();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.own?.stop();
  }
}

/** One emulator for the whole application. */
@Module({})
export class EmulatorModule {
  static register({ sandbox = {}, ...overrides }: PaymentsTestingOverrides): DynamicModule {
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
        {
          provide: EmulatorLifecycle,
          useFactory: (emulator: PaymentsSandbox) => new EmulatorLifecycle(running ? undefined : emulator),
          inject: [PaymentsSandbox],
        },
      ],
      exports: [PaymentsSandbox, TestedAccounts],
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
