import { type DynamicModule, Injectable, Module, type OnModuleDestroy } from '@nestjs/common';
import { DEFAULT_ACCOUNT } from '../common/vocabulary.js';
import { type PaymentsFactoryOptions } from '../config/environment-options.js';
import { PaymentsModule } from '../payments.module.js';
import { OPTIONS_OVERRIDE, type OptionsOverride } from '../payments-options.module.js';
import { EmulatorModule, OwnEmulator } from './emulator.module.js';
import { TestedAccounts } from './tested-accounts.js';
import { type PaymentsTestingOptions, type PaymentsTestingOverrides } from './testing-options.js';

/**
 * Ends the calls that nobody answers before the accounts and the handlers of webhooks are waited for. Nest destroys global modules last, and the
 * others by their distance from the root: so this belongs to the module that the application imports.
 */
@Injectable()
class HangingCalls implements OnModuleDestroy {
  constructor(private readonly emulator: OwnEmulator) {}

  onModuleDestroy(): void {
    this.emulator.dropHanging();
  }
}

/**
 * The package on its own emulator, for tests: the real services, journal, inbox and signed webhooks, over
 * real HTTP. Tests can inject `PaymentsSandbox`, which stops with the application. When the application
 * listens, the emulator delivers webhooks to its routes. Retries and probes hardly wait, unless `retry` and
 * `probe` say so.
 *
 * The account `default` is the emulator's merchant `demo`; a named one is the merchant of its name, with
 * dashes instead of dots.
 *
 * @publicApi
 */
@Module({})
export class PaymentsTestingModule {
  /**
   * For a part of an application: replaces its `PaymentsModule.forRoot` or `forRootAsync`.
   *
   * @throws PaymentsConfigError at boot, if an option is wrong or `NODE_ENV` is `production`.
   *
   * @example
   * ```ts
   * const module = await Test.createTestingModule({
   *   imports: [PaymentsTestingModule.forRoot()],
   *   providers: [CheckoutService],
   * }).compile();
   * module.get(PaymentsSandbox).next('POST /payments/mobile-money').status(503);
   * await module.close();
   * ```
   */
  static forRoot({
    accounts = [DEFAULT_ACCOUNT],
    isGlobal = true,
    ...overrides
  }: PaymentsTestingOptions = {}): DynamicModule {
    const registered = accounts.map((name) =>
      PaymentsModule.forRootAsync({
        name,
        isGlobal,
        inject: [TestedAccounts],
        useFactory: (tested: TestedAccounts) =>
          tested.optionsOf(name, { webhooks: { expectRoute: false } }) as PaymentsFactoryOptions,
      }),
    );
    return {
      module: PaymentsTestingModule,
      imports: [EmulatorModule.register(overrides), ...registered],
      providers: [HangingCalls],
      exports: registered,
    };
  }

  /**
   * For a whole application: every registered account runs on the emulator, whatever its own address, keys
   * and signature scheme are. Its other options still apply. Its factory still runs, so give it the variables
   * that it requires.
   *
   * @throws PaymentsConfigError at boot, if an option is wrong or `NODE_ENV` is `production`.
   *
   * @example
   * ```ts
   * const module = await Test.createTestingModule({
   *   imports: [AppModule, PaymentsTestingModule.forApplication()],
   * }).compile();
   * const app = module.createNestApplication();
   * await app.listen(0, '127.0.0.1');
   * await app.get(PaymentsSandbox).customer('255712345678').approve('order-1');
   * await app.close();
   * ```
   */
  static forApplication(overrides: PaymentsTestingOverrides = {}): DynamicModule {
    const emulator = EmulatorModule.register(overrides, {
      provide: OPTIONS_OVERRIDE,
      useFactory: (tested: TestedAccounts): OptionsOverride => ({
        brand: OPTIONS_OVERRIDE,
        replace: (options, account) => tested.optionsOf(account, options),
      }),
      inject: [TestedAccounts],
    });
    return { module: PaymentsTestingModule, imports: [emulator], providers: [HangingCalls] };
  }
}
