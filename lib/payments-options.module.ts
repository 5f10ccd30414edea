import { type ConfigurableModuleAsyncOptions, ConfigurableModuleBuilder, Module } from '@nestjs/common';
import { DEFAULT_ACCOUNT } from './common/vocabulary.js';
import { mergeOptions } from './config/merge-options.js';
import { type PaymentsModuleOptions } from './config/payments-options.js';
import { type PaymentsFactoryOptions } from './config/environment-options.js';
import { resolveOptions } from './config/resolve-options.js';

/**
 * What a registration may say beside its options.
 *
 * @publicApi
 */
export interface PaymentsModuleExtras {
  /** Whether the services can be injected everywhere without importing the module again. @default false */
  readonly isGlobal?: boolean;
  /** Name of the merchant account, where the application has more than one. @default 'default' */
  readonly name?: string;
}

/**
 * What `PaymentsModule.forRoot` takes: the options of an account, its name, and whether it is global.
 *
 * @publicApi
 */
export type PaymentsModuleRootOptions = PaymentsModuleOptions & PaymentsModuleExtras;

/**
 * What `PaymentsModule.forRootAsync` takes: a factory (`useFactory`, `useClass` or `useExisting`), and beside it any
 * option, which is merged over the factory's result.
 *
 * @publicApi
 */
export type PaymentsModuleAsyncOptions = ConfigurableModuleAsyncOptions<
  PaymentsFactoryOptions,
  'createPaymentsOptions'
> &
  PaymentsModuleExtras &
  Partial<PaymentsFactoryOptions>;

/** Token of the checked options of one account, inside the modules of that account. */
export const RESOLVED_OPTIONS = Symbol.for('nestjs-payments.options');

/**
 * Token under which a global module may put what changes the options of every account before they are checked. Only
 * `PaymentsTestingModule` does.
 */
export const OPTIONS_OVERRIDE = Symbol.for('nestjs-payments.options-override');

/** Gives the options that count in the place of those that the application has. */
export type OptionsOverride = (options: unknown, account: string) => unknown;

const RAW_OPTIONS = Symbol.for('nestjs-payments.raw-options');
/** Tells the modules of two accounts apart where Nest compares modules by their text. */
const ACCOUNT_NAME = Symbol.for('nestjs-payments.account-name');

const { ConfigurableModuleClass } = new ConfigurableModuleBuilder<PaymentsFactoryOptions>({
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
          useFactory: (raw: unknown, override?: OptionsOverride) => {
            const options = mergeOptions(raw, beside);
            return resolveOptions(override ? override(options, name) : options, name);
          },
          inject: [RAW_OPTIONS, { token: OPTIONS_OVERRIDE, optional: true }],
        },
      ],
      exports: [RESOLVED_OPTIONS],
    };
  })
  .build();

/** Reads and checks the options of one account, for the modules that need them at boot. */
@Module({})
export class PaymentsOptionsModule extends ConfigurableModuleClass {}
