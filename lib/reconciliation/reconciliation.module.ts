import {
  type ConfigurableModuleAsyncOptions,
  ConfigurableModuleBuilder,
  type DynamicModule,
  Module,
  type Provider,
} from '@nestjs/common';
import { ModuleRef, ModulesContainer } from '@nestjs/core';
import { ApplicationEvents } from '../common/application-events.js';
import { DEFAULT_ACCOUNT } from '../common/vocabulary.js';
import { assertFactory } from '../config/options-factory.js';
import { ReconciliationLifecycle } from './reconciliation.lifecycle.js';
import { Reconciliation } from './reconciliation.js';
import {
  type ReconciliationOptions,
  type ResolvedReconciliationOptions,
  resolveReconciliationOptions,
} from './reconciliation-options.js';

/**
 * Settings of a registration beside its options.
 *
 * @publicApi
 */
export interface ReconciliationExtras {
  /** Whether every module can inject `Reconciliation` without importing this one. @default false */
  readonly isGlobal?: boolean;
}

/**
 * What `ReconciliationModule.forRoot` takes.
 *
 * @publicApi
 */
export type ReconciliationRootOptions = ReconciliationOptions & ReconciliationExtras;

/**
 * What `ReconciliationModule.forRootAsync` takes: a factory (`useFactory`, `useClass` or `useExisting`), and beside it
 * `isGlobal`.
 *
 * @publicApi
 */
export type ReconciliationAsyncOptions = ConfigurableModuleAsyncOptions<
  ReconciliationOptions,
  'createReconciliationOptions'
> &
  ReconciliationExtras;

const RAW_OPTIONS = Symbol.for('nestjs-payments.reconciliation-raw-options');
const OPTIONS = Symbol.for('nestjs-payments.reconciliation-options');

const { ConfigurableModuleClass } = new ConfigurableModuleBuilder<ReconciliationOptions>({
  moduleName: 'Reconciliation',
  optionsInjectionToken: RAW_OPTIONS,
})
  .setClassMethodName('forRoot')
  .setFactoryMethodName('createReconciliationOptions')
  .setExtras<ReconciliationExtras>({ isGlobal: false }, (definition, { isGlobal = false }) => ({
    ...definition,
    global: isGlobal,
    providers: [...(definition.providers ?? []), ...PROVIDERS],
    exports: [Reconciliation],
  }))
  .build();

const PROVIDERS: readonly Provider[] = [
  { provide: OPTIONS, useFactory: resolveReconciliationOptions, inject: [RAW_OPTIONS] },
  {
    provide: ReconciliationLifecycle,
    useFactory: (options: ResolvedReconciliationOptions, moduleRef: ModuleRef, modules: ModulesContainer) =>
      new ReconciliationLifecycle(options, moduleRef, new ApplicationEvents(DEFAULT_ACCOUNT, modules)),
    inject: [OPTIONS, ModuleRef, ModulesContainer],
  },
  {
    provide: Reconciliation,
    useFactory: ({ context }: ReconciliationLifecycle) => new Reconciliation(context),
    inject: [ReconciliationLifecycle],
  },
];

/**
 * Closes days: compares the journal with the wallet's balance and the gateway's statement, and keeps what differs. Needs
 * `PaymentsModule` in the same application, with a storage of an SQL database.
 *
 * @example
 * ```ts
 * ReconciliationModule.forRoot({ policy: { timeZone: 'Africa/Dar_es_Salaam' } });
 * ```
 *
 * @publicApi
 */
@Module({})
export class ReconciliationModule extends ConfigurableModuleClass {
  /**
   * Registers reconciliation with static options.
   *
   * @throws PaymentsConfigError at boot, if an option is wrong, or `PaymentsModule` is missing.
   */
  static override forRoot(options: ReconciliationRootOptions = {}): DynamicModule {
    return super.forRoot(options);
  }

  /**
   * Registers reconciliation with options from a factory: `useFactory`, `useClass` or `useExisting`.
   *
   * @throws PaymentsConfigError if there is no factory, and at boot, if an option is wrong, or `PaymentsModule` is missing.
   */
  static override forRootAsync(options: ReconciliationAsyncOptions): DynamicModule {
    assertFactory('ReconciliationModule', options, ['isGlobal']);
    return super.forRootAsync(options);
  }
}
