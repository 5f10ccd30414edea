import {
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  type OnModuleDestroy,
  type OnModuleInit,
} from '@nestjs/common';
import { type ModuleRef } from '@nestjs/core';
import { SafeLogger } from '../../common/safe-logger.js';
import { PaymentsAccountError } from '../../errors/payments-account.error.js';
import { PaymentsConfigError } from '../../errors/payments-errors.js';
import { type QueuedDelivery } from '../../webhooks/delivery/delivery-queue.js';
import { type FoundAccount } from '../../webhooks/delivery/delivery-check.js';
import { retryLater, type WebhookAnswer } from '../../webhooks/delivery/webhook-answer.js';
import { PaymentHandlers } from '../../webhooks/handlers/payment-handlers.js';
import { WebhookAccounts } from '../../webhooks/delivery/webhook-accounts.js';
import { type DeliveryStore } from './delivery.store.js';
import { DeliveryWorker } from './delivery.worker.js';
import { FinishedJobs } from './finished-jobs.js';
import { type ResolvedQueueOptions } from './resolve-queue-options.js';

/** When a worker tries again to look up an account. */
const RESOLVER_RETRY_MS = 5_000;

/**
 * Connects the queue with the accounts when the application starts, and closes everything in order when it
 * stops.
 */
export class QueueLifecycle
  implements OnModuleInit, OnApplicationBootstrap, OnModuleDestroy, OnApplicationShutdown
{
  private readonly logger = new SafeLogger('PaymentsQueue');
  private worker: DeliveryWorker | undefined;
  private finished: FinishedJobs | undefined;

  /** A closure, because a ModuleRef leads to the options of every account. */
  private readonly moduleRef: () => ModuleRef;

  constructor(
    private readonly options: ResolvedQueueOptions,
    private readonly store: DeliveryStore,
    moduleRef: ModuleRef,
  ) {
    this.moduleRef = () => moduleRef;
  }

  /** @throws PaymentsConfigError if an account cannot receive webhooks. */
  onModuleInit(): void {
    const accounts = this.accounts();
    for (const account of this.options.accounts ?? receiving(accounts)) {
      // Also that of all accounts of a resolver, by the name of their registration.
      const receiver = accounts.receiverOf(account) ?? accounts.get(account, 'PaymentsQueueModule');
      receiver.useQueue(this.store, this.options.worker !== undefined);
      if (receiver.storageName === 'memory') this.warnOfMemory(account);
    }
  }

  /** Starts the worker after all handlers are registered and all modules are initialized. */
  onApplicationBootstrap(): void {
    const { worker } = this.options;
    if (!worker) return;
    for (const account of this.options.accounts ?? receiving(this.accounts())) this.warnOfSilence(account);
    this.worker = new DeliveryWorker(this.options, worker, (delivery) => this.work(delivery));
    this.finished = new FinishedJobs(this.store, this.options.keepFinishedMs);
  }

  /** Stops the worker before anything that handlers need is closed. */
  async onModuleDestroy(): Promise<void> {
    this.finished?.stop();
    await this.worker?.stop(() => this.store.answers());
  }

  /** Closes the store last: deliveries may arrive until the HTTP server has closed. */
  async onApplicationShutdown(): Promise<void> {
    await this.store.close();
  }

  private async work(delivery: QueuedDelivery): Promise<WebhookAnswer> {
    const { account, environment } = delivery;
    const named = await this.hold(account);
    if (named === 'busy') return retryLater(RESOLVER_RETRY_MS);
    const { receiver, release } = named;
    try {
      if (receiver?.scope.environment === environment) return await receiver.work(delivery);
    } finally {
      release();
    }
    throw new PaymentsConfigError(
      receiver
        ? `A webhook in the queue is of the ${environment} environment, and the account '${account}' of this process is not: ` +
            'give the processes of each environment a `prefix` of their own.'
        : gone(account),
    );
  }

  /** A resolver that fails costs a delivery no attempt. */
  private async hold(account: string): Promise<FoundAccount> {
    try {
      return await this.accounts().hold(account, 'A webhook in the queue');
    } catch (error) {
      if (!(error instanceof PaymentsAccountError)) throw error;
      if (error.code === 'ACCOUNT_UNKNOWN') throw new PaymentsConfigError(gone(account));
      return 'busy';
    }
  }

  private warnOfMemory(account: string): void {
    this.logger.warn(
      `The webhooks of the account '${account}' go through Redis, but what was handled and what was paid is remembered in the ` +
        'memory of each process: with more than one process a webhook may be handled twice, and a payment stays open in the ' +
        'process that made it. Use redisStorage(…) or postgresStorage(…) as the `storage` of PaymentsModule.',
    );
  }

  private warnOfSilence(account: string): void {
    if (this.moduleRef().get(PaymentHandlers, { strict: false }).handles(account, 'payment.success')) return;
    this.logger.warn(
      `No @OnPayment('payment.success') handler listens to the account '${account}' in this process, whose worker takes ` +
        'payments from the queue anyway, and nothing is done for them: the method of the webhook route does not run there. ' +
        'Add the handler, or set `worker: false` here.',
    );
  }

  private accounts(): WebhookAccounts {
    try {
      return this.moduleRef().get(WebhookAccounts, { strict: false });
    } catch {
      throw new PaymentsConfigError(
        'PaymentsQueueModule is imported, but PaymentsModule is not: add PaymentsModule.forRoot({ …, webhooks }).',
      );
    }
  }
}

function gone(account: string): string {
  return (
    `A webhook in the queue is of the account '${account}', which accounts.resolve does not know any more, or whose webhooks it ` +
    'does not return: nothing was done for it.'
  );
}

function receiving(accounts: WebhookAccounts): readonly string[] {
  const names = accounts.receiving();
  if (names.length > 0) return names;
  throw new PaymentsConfigError(
    'PaymentsQueueModule has nothing to do, because no account has a `webhooks` option: add webhooks: { scheme, secrets }.',
  );
}
