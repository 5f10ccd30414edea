import { type ConfigurableModuleAsyncOptions, ConfigurableModuleBuilder, Module } from '@nestjs/common';
import { DEFAULT_ACCOUNT } from './common/vocabulary.js';
import { mergeOptions } from './config/merge-options.js';
import { type PaymentsModuleOptions } from './config/payments-options.js';
import { type PaymentsFactoryOptions } from './config/environment-options.js';
import { resolveOptions } from './config/resolve-options.js';

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
  PaymentsFactoryOptions,
  'createPaymentsOptions'
> &
  PaymentsModuleExtras &
  Partial<PaymentsFactoryOptions>;

/** Token of the checked options of one account, within the modules of that account. */
export const RESOLVED_OPTIONS = Symbol.for('nestjs-payments.options');

/**
 * Token of a function that changes the options of every account before their check. Only
 * `PaymentsTestingModule` provides it.
 */
export const OPTIONS_OVERRIDE = Symbol.for('nestjs-payments.options-override');

/** Replaces the options of the application. */
export type OptionsOverride = (options: unknown, account: string) => unknown;

const RAW_OPTIONS = Symbol.for('nestjs-payments.raw-options');
/** Distinguishes the modules of two accounts, because Nest compares modules by their text. */
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
