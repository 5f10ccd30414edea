import {
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  type OnModuleDestroy,
  type OnModuleInit,
} from '@nestjs/common';
import { type ModuleRef } from '@nestjs/core';
import { SafeLogger } from '../../common/safe-logger.js';
import { PaymentsConfigError } from '../../errors/payments-errors.js';
import { type QueuedDelivery } from '../../webhooks/delivery/delivery-queue.js';
import { type WebhookAnswer } from '../../webhooks/delivery/webhook-answer.js';
import { PaymentHandlers } from '../../webhooks/handlers/payment-handlers.js';
import { WebhookAccounts } from '../../webhooks/delivery/webhook-accounts.js';
import { type DeliveryStore } from './delivery.store.js';
import { DeliveryWorker } from './delivery.worker.js';
import { type ResolvedQueueOptions } from './resolve-queue-options.js';

/**
 * Connects the queue with the accounts when the application starts, and closes everything in order when it
 * stops.
 */
export class QueueLifecycle
  implements OnModuleInit, OnApplicationBootstrap, OnModuleDestroy, OnApplicationShutdown
{
  private readonly logger = new SafeLogger('PaymentsQueue');
  private worker: DeliveryWorker | undefined;

  constructor(
    private readonly options: ResolvedQueueOptions,
    private readonly store: DeliveryStore,
    private readonly moduleRef: ModuleRef,
  ) {}

  /** @throws PaymentsConfigError if an account cannot receive webhooks. */
  onModuleInit(): void {
    const accounts = this.accounts();
    for (const account of this.options.accounts ?? receiving(accounts)) {
      const receiver = accounts.get(account, 'PaymentsQueueModule');
      receiver.handOverTo(this.store, this.options.worker !== undefined);
      if (receiver.storageName === 'memory') this.warnOfMemory(account);
    }
  }

  /** Starts the worker after all handlers are registered and all modules are initialized. */
  onApplicationBootstrap(): void {
    const { worker } = this.options;
    if (!worker) return;
    for (const account of this.options.accounts ?? receiving(this.accounts())) this.warnOfSilence(account);
    this.worker = new DeliveryWorker(this.options, worker, (delivery) => this.work(delivery));
  }

  /** Stops the worker before anything that handlers need is closed. */
  async onModuleDestroy(): Promise<void> {
    await this.worker?.stop(() => this.store.answers());
  }

  /** Closes the store last: deliveries may arrive until the HTTP server has closed. */
  async onApplicationShutdown(): Promise<void> {
    await this.store.close();
  }

  private async work(delivery: QueuedDelivery): Promise<WebhookAnswer> {
    const { account, environment } = delivery;
    const receiver = this.accounts().get(account, 'A webhook in the queue');
    if (receiver.scope.environment === environment) return receiver.work(delivery);
    throw new PaymentsConfigError(
      `A webhook in the queue is of the ${environment} environment, and the account '${account}' of this process is not: ` +
        'give the processes of each environment a `prefix` of their own.',
    );
  }

  private warnOfMemory(account: string): void {
    this.logger.warn(
      `The webhooks of the account '${account}' go through Redis, but what was handled and what was paid is remembered in the ` +
        'memory of each process: with more than one process a webhook may be handled twice, and a payment stays open in the ' +
        'process that made it. Use redisStorage(…) or postgresStorage(…) as the `storage` of PaymentsModule.',
    );
  }

  private warnOfSilence(account: string): void {
    if (this.moduleRef.get(PaymentHandlers, { strict: false }).handles(account, 'payment.success')) return;
    this.logger.warn(
      `No @OnPayment('payment.success') handler listens to the account '${account}' in this process, whose worker takes ` +
        'payments from the queue all the same, and nothing is done for them: the method of the webhook route does not run there. ' +
        'Add the handler, or set `worker: false` here.',
    );
  }

  private accounts(): WebhookAccounts {
    try {
      return this.moduleRef.get(WebhookAccounts, { strict: false });
    } catch {
      throw new PaymentsConfigError(
        'PaymentsQueueModule is imported, but PaymentsModule is not: add PaymentsModule.forRoot({ …, webhooks }).',
      );
    }
  }
}

function receiving(accounts: WebhookAccounts): readonly string[] {
  const names = accounts.receiving();
  if (names.length > 0) return names;
  throw new PaymentsConfigError(
    'PaymentsQueueModule has nothing to do, because no account has a `webhooks` option: add webhooks: { scheme, secrets }.',
  );
}
