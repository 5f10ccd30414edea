import { getQueueToken, getSharedConfigToken } from '@nestjs/bullmq';
import {
  type ConfigurableModuleAsyncOptions,
  ConfigurableModuleBuilder,
  type DynamicModule,
  Module,
  type Provider,
} from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { assertFactory } from '../../config/options-factory.js';
import { DeliveryStore } from './delivery.store.js';
import { PaymentsQueue } from './payments-queue.js';
import { type PaymentsQueueOptions } from './payments-queue-options.js';
import { QueueLifecycle } from './queue.lifecycle.js';
import { type ResolvedQueueOptions, resolveQueueOptions } from './resolve-queue-options.js';

/**
 * Settings of a registration beside its options.
 *
 * @publicApi
 */
export interface PaymentsQueueExtras {
  /** Whether every module can inject `PaymentsQueue` without importing this one. @default false */
  readonly isGlobal?: boolean;
  /** Name of the queue in Redis, the same in every process. @default 'payments-webhooks' */
  readonly queueName?: string;
}

/**
 * What `PaymentsQueueModule.forRoot` takes.
 *
 * @publicApi
 */
export type PaymentsQueueRootOptions = PaymentsQueueOptions & PaymentsQueueExtras;

/**
 * What `PaymentsQueueModule.forRootAsync` takes: a factory (`useFactory`, `useClass` or `useExisting`), and beside it
 * `isGlobal` and `queueName`.
 *
 * @publicApi
 */
export type PaymentsQueueAsyncOptions = ConfigurableModuleAsyncOptions<
  PaymentsQueueOptions,
  'createPaymentsQueueOptions'
> &
  PaymentsQueueExtras;

const RAW_OPTIONS = Symbol.for('nestjs-payments.queue-raw-options');
const OPTIONS = Symbol.for('nestjs-payments.queue-options');
const STORE = Symbol.for('nestjs-payments.queue-store');
const DEFAULT_QUEUE = 'payments-webhooks';

const { ConfigurableModuleClass } = new ConfigurableModuleBuilder<PaymentsQueueOptions>({
  moduleName: 'PaymentsQueue',
  optionsInjectionToken: RAW_OPTIONS,
})
  .setClassMethodName('forRoot')
  .setFactoryMethodName('createPaymentsQueueOptions')
  .setExtras<PaymentsQueueExtras>(
    { isGlobal: false, queueName: DEFAULT_QUEUE },
    (definition, { isGlobal = false, queueName = DEFAULT_QUEUE }) => ({
      ...definition,
      global: isGlobal,
      providers: [...(definition.providers ?? []), ...queueProviders(queueName)],
      exports: [PaymentsQueue, getQueueToken(queueName)],
    }),
  )
  .build();

/**
 * Handles webhooks with BullMQ. The application answers a verified delivery with 200 when it is stored in
 * Redis. Workers in any process run the `@OnPayment` handlers, again after a failure. Webhooks that failed in
 * every attempt stay: see `PaymentsQueue`.
 *
 * 200 then means stored, and handlers run at least once: when a worker dies, another one starts them again.
 * Make effects idempotent. The method of the `@PaymentsWebhook` route does not run. Use a storage that all
 * processes share.
 *
 * Inject the queue itself with `@InjectQueue('payments-webhooks')`, for dashboards and metrics. Its jobs
 * contain names and phone numbers, unless the account has the option `encryption`.
 *
 * @example
 * ```ts
 * // the process that receives webhooks
 * PaymentsQueueModule.forRoot({ connection: { host: '127.0.0.1', port: 6379 }, worker: false })
 * // the processes that work on them
 * PaymentsQueueModule.forRoot({ connection: { host: '127.0.0.1', port: 6379 }, worker: { concurrency: 10 } })
 * ```
 *
 * @publicApi
 */
@Module({})
export class PaymentsQueueModule extends ConfigurableModuleClass {
  /**
   * Registers the queue with static options.
   *
   * @throws PaymentsConfigError at boot, if an option is wrong.
   */
  static override forRoot(options: PaymentsQueueRootOptions = {}): DynamicModule {
    return super.forRoot(options);
  }

  /**
   * Registers the queue with options from a factory: `useFactory`, `useClass` or `useExisting`.
   *
   * @throws PaymentsConfigError if there is no factory, and at boot, if an option is wrong.
   */
  static override forRootAsync(options: PaymentsQueueAsyncOptions): DynamicModule {
    assertFactory('PaymentsQueueModule', options, ['isGlobal', 'queueName']);
    return super.forRootAsync(options);
  }
}

function queueProviders(queueName: string): readonly Provider[] {
  return [
    {
      provide: OPTIONS,
      useFactory: (raw: unknown, shared: unknown) => resolveQueueOptions(raw, queueName, shared),
      inject: [RAW_OPTIONS, { token: getSharedConfigToken(), optional: true }],
    },
    {
      provide: STORE,
      useFactory: (options: ResolvedQueueOptions) => new DeliveryStore(options),
      inject: [OPTIONS],
    },
    { provide: getQueueToken(queueName), useFactory: ({ queue }: DeliveryStore) => queue, inject: [STORE] },
    {
      provide: PaymentsQueue,
      useFactory: (store: DeliveryStore) => new PaymentsQueue(store),
      inject: [STORE],
    },
    {
      provide: QueueLifecycle,
      useFactory: (options: ResolvedQueueOptions, store: DeliveryStore, moduleRef: ModuleRef) =>
        new QueueLifecycle(options, store, moduleRef),
      inject: [OPTIONS, STORE, ModuleRef],
    },
  ];
}
