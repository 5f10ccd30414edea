import {
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  type OnModuleDestroy,
  type OnModuleInit,
} from '@nestjs/common';
import { type PaymentsStorage } from './storage/payments-storage.js';
import { SafeLogger } from './common/safe-logger.js';
import { type ResolvedPaymentsOptions } from './config/resolved-options.js';
import { type Recovery } from './journal/create-recovery.js';
import { type Payments } from './journal/payment/payments.js';

/** The accounts that use each storage. Several may share one, and the last of them closes it. */
const usersOf = new WeakMap<PaymentsStorage, Set<PaymentsLifecycle>>();

/** Starts and stops one account with the application. */
export class PaymentsLifecycle
  implements OnModuleInit, OnApplicationBootstrap, OnModuleDestroy, OnApplicationShutdown
{
  private readonly logger = new SafeLogger('PaymentsModule');

  constructor(
    private readonly options: ResolvedPaymentsOptions,
    private readonly storage: PaymentsStorage,
    private readonly payments: Pick<Payments, 'stop' | 'idle'>,
    private readonly recovery: Pick<Recovery, 'stop' | 'idle'>,
  ) {}

  /** Before anything is received: a storage that cannot be used stops the boot. */
  async onModuleInit(): Promise<void> {
    await this.storage.open?.();
  }

  onApplicationBootstrap(): void {
    const users = this.users();
    const warnings = users.size === 0 ? this.storage.warnings : undefined;
    for (const warning of warnings ?? []) this.logger.warn(warning);
    usersOf.set(this.storage, users.add(this));
    const { account, environment, webhooks } = this.options;
    for (const warning of webhooks?.warnings ?? []) {
      this.logger.warn(`Webhooks of the account "${account}": ${warning}`);
    }
    if (webhooks && webhooks.unknownReferences !== 'handle' && this.storage.name === 'memory') {
      this.logger.warn(
        `Webhooks of the account "${account}": after a restart the memory storage knows no payment, so unknownReferences: ` +
          `'${webhooks.unknownReferences}' keeps the webhooks of this application's own payments from their handlers. Use ` +
          'redisStorage(…) or postgresStorage(…) as the storage, or leave unknownReferences out.',
      );
    }
    if (environment !== 'production' || this.storage.name !== 'memory') return;
    this.logger.warn(
      `The account "${account}" moves real money and remembers payments and webhooks in memory only: after a restart, or on ` +
        'a second replica, nothing is known of open payments, and a handler may run again, so make its effect idempotent.',
    );
  }

  /** At the first sign of the shutdown, `recover()` stops: it asks and sends nothing new. What is planned stays so. */
  onModuleDestroy(): void {
    this.recovery.stop();
    this.payments.stop();
  }

  /** Waits until running calls are written, then closes the storage. */
  async onApplicationShutdown(): Promise<void> {
    await this.recovery.idle();
    await this.payments.idle();
    const users = this.users();
    users.delete(this);
    if (users.size === 0) await this.storage.close?.();
  }

  private users(): Set<PaymentsLifecycle> {
    return usersOf.get(this.storage) ?? new Set();
  }
}
