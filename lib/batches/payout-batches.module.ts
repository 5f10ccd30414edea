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
import { BatchesLifecycle } from './batches.lifecycle.js';
import { PayoutBatches } from './payout-batches.js';
import {
  type PayoutBatchesOptions,
  type ResolvedBatchesOptions,
  resolveBatchesOptions,
} from './payout-batches-options.js';

/**
 * Settings of a registration beside its options.
 *
 * @publicApi
 */
export interface PayoutBatchesExtras {
  /** Whether every module can inject `PayoutBatches` without importing this one. @default false */
  readonly isGlobal?: boolean;
}

/**
 * What `PayoutBatchesModule.forRoot` takes.
 *
 * @publicApi
 */
export type PayoutBatchesRootOptions = PayoutBatchesOptions & PayoutBatchesExtras;

/**
 * What `PayoutBatchesModule.forRootAsync` takes: a factory (`useFactory`, `useClass` or `useExisting`), and beside it
 * `isGlobal`.
 *
 * @publicApi
 */
export type PayoutBatchesAsyncOptions = ConfigurableModuleAsyncOptions<
  PayoutBatchesOptions,
  'createPayoutBatchesOptions'
> &
  PayoutBatchesExtras;

const RAW_OPTIONS = Symbol.for('nestjs-payments.batches-raw-options');
const OPTIONS = Symbol.for('nestjs-payments.batches-options');

const { ConfigurableModuleClass } = new ConfigurableModuleBuilder<PayoutBatchesOptions>({
  moduleName: 'PayoutBatches',
  optionsInjectionToken: RAW_OPTIONS,
})
  .setClassMethodName('forRoot')
  .setFactoryMethodName('createPayoutBatchesOptions')
  .setExtras<PayoutBatchesExtras>({ isGlobal: false }, (definition, { isGlobal = false }) => ({
    ...definition,
    global: isGlobal,
    providers: [...(definition.providers ?? []), ...PROVIDERS],
    exports: [PayoutBatches],
  }))
  .build();

const PROVIDERS: readonly Provider[] = [
  { provide: OPTIONS, useFactory: resolveBatchesOptions, inject: [RAW_OPTIONS] },
  {
    provide: BatchesLifecycle,
    useFactory: (options: ResolvedBatchesOptions, moduleRef: ModuleRef, modules: ModulesContainer) =>
      new BatchesLifecycle(options, moduleRef, new ApplicationEvents(DEFAULT_ACCOUNT, modules)),
    inject: [OPTIONS, ModuleRef, ModulesContainer],
  },
  {
    provide: PayoutBatches,
    useFactory: ({ context }: BatchesLifecycle) => new PayoutBatches(context),
    inject: [BatchesLifecycle],
  },
];

/**
 * Pays many: loads a list of payouts, checks every recipient, has the list approved by another person, and pays every line
 * once, however often a process dies. Needs `PaymentsModule` in the same application, with a storage of an SQL database.
 *
 * @example
 * ```ts
 * PayoutBatchesModule.forRoot({
 *   engine: inProcess(),
 *   policy: { approvals: [{ from: '0', needed: 1 }, { from: '5000000', needed: 2 }] },
 * });
 * ```
 *
 * @publicApi
 */
@Module({})
export class PayoutBatchesModule extends ConfigurableModuleClass {
  /**
   * Registers batches with static options.
   *
   * @throws PaymentsConfigError at boot, if an option is wrong, or `PaymentsModule` is missing.
   */
  static override forRoot(options: PayoutBatchesRootOptions): DynamicModule {
    return super.forRoot(options);
  }

  /**
   * Registers batches with options from a factory: `useFactory`, `useClass` or `useExisting`.
   *
   * @throws PaymentsConfigError if there is no factory, and at boot, if an option is wrong, or `PaymentsModule` is missing.
   */
  static override forRootAsync(options: PayoutBatchesAsyncOptions): DynamicModule {
    assertFactory('PayoutBatchesModule', options, ['isGlobal']);
    return super.forRootAsync(options);
  }
}
