import { ConfigurableModuleBuilder, Module } from '@nestjs/common';
import { DEFAULT_ACCOUNT } from './common/account.js';
import { mergeOptions } from './config/merge-options.js';
import { type PaymentsFactoryOptions } from './config/payments.config.js';
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

/** Token of the checked options of one account, inside the modules of that account. */
export const RESOLVED_OPTIONS = Symbol.for('nestjs-payments.options');

const RAW_OPTIONS = Symbol.for('nestjs-payments.raw-options');
/** Tells the modules of two accounts apart where Nest compares modules by their text. */
const ACCOUNT_NAME = Symbol.for('nestjs-payments.account-name');

export const { ConfigurableModuleClass, OPTIONS_TYPE, ASYNC_OPTIONS_TYPE } =
  new ConfigurableModuleBuilder<PaymentsFactoryOptions>({
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
            useFactory: (raw: unknown) => resolveOptions(mergeOptions(raw, beside), name),
            inject: [RAW_OPTIONS],
          },
        ],
        exports: [RESOLVED_OPTIONS],
      };
    })
    .build();

/** Reads and checks the options of one account, for the modules that need them at boot. */
@Module({})
export class PaymentsOptionsModule extends ConfigurableModuleClass {}
