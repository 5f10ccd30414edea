import {
  type ConfigurableModuleAsyncOptions,
  ConfigurableModuleBuilder,
  Module,
  type OnModuleInit,
} from '@nestjs/common';
import { ModuleRef, ModulesContainer } from '@nestjs/core';
import { setImmediate } from 'node:timers/promises';
import { DEFAULT_ACCOUNT } from './common/vocabulary.js';
import { mergeOptions } from './config/merge-options.js';
import { type PaymentsResolverOptions } from './config/accounts-options.js';
import { type PaymentsModuleOptions } from './config/payments-options.js';
import { type PaymentsFactoryOptions } from './config/environment-options.js';
import { throwJoined } from './errors/wrong-options.js';
import { resolveRegistration } from './config/resolve-options.js';
import { PaymentsConfigError } from './errors/payments-errors.js';

/**
 * Settings of a registration beside its options.
 *
 * @publicApi
 */
export interface PaymentsModuleExtras {
  /** Whether every module can inject the services without importing this one. @default false */
  readonly isGlobal?: boolean;
  /** Name of the merchant account, if the application has several. @default 'default' */
  readonly name?: string;
}

/**
 * What `PaymentsModule.forRoot` takes: the options of an account, its name, and whether it is global.
 *
 * @publicApi
 */
export type PaymentsModuleRootOptions = PaymentsModuleOptions & PaymentsModuleExtras;

/**
 * What `PaymentsModule.forRootAsync` takes: a factory (`useFactory`, `useClass` or `useExisting`), and beside
 * it any option, which overrides the factory's result.
 *
 * @publicApi
 */
export type PaymentsModuleAsyncOptions = ConfigurableModuleAsyncOptions<
  PaymentsFactoryOptions | PaymentsResolverOptions,
  'createPaymentsOptions'
> &
  PaymentsModuleExtras &
  (Partial<PaymentsFactoryOptions> | Partial<PaymentsResolverOptions>);

/** Token of the checked options of one account, within the modules of that account. */
export const RESOLVED_OPTIONS = Symbol.for('nestjs-payments.options');

/** Token of what changes the options of every account before their check. Only `PaymentsTestingModule` provides it. */
export const OPTIONS_OVERRIDE: unique symbol = Symbol.for('nestjs-payments.options-override');

/** Replaces the options of the application. */
export interface OptionsOverride {
  /** Tells it from a mock: `useMocker()` of `@nestjs/testing` also makes what is optional and absent. */
  readonly brand: typeof OPTIONS_OVERRIDE;
  replace(options: unknown, account: string): unknown;
}

const RAW_OPTIONS = Symbol.for('nestjs-payments.raw-options');
/** Distinguishes the modules of two accounts, because Nest compares modules by their text. */
const ACCOUNT_NAME = Symbol.for('nestjs-payments.account-name');

type RegistrationOptions = PaymentsFactoryOptions | PaymentsResolverOptions;

const { ConfigurableModuleClass } = new ConfigurableModuleBuilder<RegistrationOptions>({
  moduleName: 'PaymentsOptions',
  optionsInjectionToken: RAW_OPTIONS,
})
  .setClassMethodName('forRoot')
  .setFactoryMethodName('createPaymentsOptions')
  .setExtras<PaymentsModuleExtras>({ isGlobal: false, name: DEFAULT_ACCOUNT }, (definition, extras) => {
    const { isGlobal, name = DEFAULT_ACCOUNT, ...beside } = extras;
    return {
      ...definition,
      providers: [
        ...(definition.providers ?? []),
        { provide: ACCOUNT_NAME, useValue: name },
        {
          provide: RESOLVED_OPTIONS,
          useFactory: (application: object, raw: unknown, override?: OptionsOverride) => {
            const options = mergeOptions(raw, beside);
            const isOurs = override?.brand === OPTIONS_OVERRIDE;
            try {
              return resolveRegistration(isOurs ? override.replace(options, name) : options, name);
            } catch (error) {
              return failWithOtherAccounts(application, error);
            }
          },
          inject: [ModulesContainer, RAW_OPTIONS, { token: OPTIONS_OVERRIDE, optional: true }],
        },
      ],
      exports: [RESOLVED_OPTIONS],
    };
  })
  .build();

/** The wrong options of accounts, by application. */
const wrongOptions = new WeakMap<object, PaymentsConfigError[]>();

/**
 * Nest stops at the first error, but creates the providers of all modules at once. So this waits one turn of the event
 * loop, in which the other accounts read the options that they have. It waits for no factory: one that injects
 * something of this account would never end.
 *
 * @throws PaymentsConfigError that names the wrong options of all accounts whose options are there.
 */
async function failWithOtherAccounts(application: object, error: unknown): Promise<void> {
  if (!(error instanceof PaymentsConfigError)) throw error;
  const errors = wrongOptions.get(application) ?? [];
  wrongOptions.set(application, errors);
  errors.push(error);
  await setImmediate();
  throwJoined(errors);
}

/** Reads and checks the options of one account, for the modules that need them at boot. */
@Module({})
export class PaymentsOptionsModule extends ConfigurableModuleClass implements OnModuleInit {
  /** A closure, because a ModuleRef leads to the options of every account. */
  private readonly moduleRef: () => ModuleRef;

  constructor(moduleRef: ModuleRef) {
    super();
    this.moduleRef = () => moduleRef;
  }

  /**
   * Nest would make options of a request again for each one, and with them the account, its journal and its connections.
   *
   * @throws PaymentsConfigError if the factory injects a provider of a request.
   */
  onModuleInit(): void {
    try {
      this.moduleRef().get(RESOLVED_OPTIONS, { strict: true });
    } catch {
      throw new PaymentsConfigError(
        'The factory of PaymentsModule.forRootAsync injects a provider of a request, but its options must be known at boot: ' +
          'inject singletons only. What differs by account, accounts.resolve can read for each one.',
      );
    }
  }
}
