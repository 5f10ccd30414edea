import {
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  type OnModuleDestroy,
  type OnModuleInit,
} from '@nestjs/common';
import { type PaymentsStorage } from './storage/payments-storage.js';
import { hasSqlite } from './common/has-sqlite.js';
import { SafeLogger } from './common/safe-logger.js';
import { type Registration } from './accounts/registration.js';
import { type ResolvedRegistration } from './config/resolve-options.js';

/** The accounts that use each storage. Several may share one, and the last of them closes it. */
const usersOf = new WeakMap<PaymentsStorage, Set<PaymentsLifecycle>>();
/** What was closed and not opened again. */
const closed = new WeakSet<PaymentsStorage>();

/** Starts and stops one account with the application. */
export class PaymentsLifecycle
  implements OnModuleInit, OnApplicationBootstrap, OnModuleDestroy, OnApplicationShutdown
{
  private readonly logger = new SafeLogger('PaymentsModule');

  constructor(
    private readonly options: ResolvedRegistration,
    private readonly storage: PaymentsStorage,
    private readonly registration: Pick<Registration, 'stop' | 'idle'>,
  ) {}

  /** Before anything is received: a storage that cannot be used stops the boot. */
  onModuleInit(): Promise<void> {
    return this.open();
  }

  async onApplicationBootstrap(): Promise<void> {
    const users = this.users();
    const warnings = users.size === 0 ? this.storage.warnings : undefined;
    for (const warning of warnings ?? []) this.logger.warn(warning);
    usersOf.set(this.storage, users.add(this));
    this.warn();
    // An application that had the same storage may have ended since `onModuleInit`.
    if (closed.has(this.storage)) await this.open();
  }

  private async open(): Promise<void> {
    closed.delete(this.storage);
    await this.storage.open?.();
  }

  private warn(): void {
    const { account, webhooks } = this.options;
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
    if (!this.movesMoney() || this.storage.name !== 'memory') return;
    this.logger.warn(
      `The account "${account}" moves real money and remembers payments and webhooks in memory only: after a restart, or on ` +
        'a second replica, nothing is known of open payments, and a handler may run again, so make its effect idempotent. ' +
        `Or set the option storage: ${hasSqlite() ? 'sqliteStorage({ file }) for one process on one machine, ' : ''}` +
        'sqlStorage(…), postgresStorage(…) or redisStorage(…) for several.',
    );
  }

  /** At the first sign of the shutdown, `recover()` stops: it asks and sends nothing new. What is planned stays so. */
  onModuleDestroy(): void {
    this.registration.stop();
  }

  /** Waits until running calls are written, then closes the storage. */
  async onApplicationShutdown(): Promise<void> {
    await this.registration.idle();
    const users = this.users();
    users.delete(this);
    if (users.size > 0) return;
    closed.add(this.storage);
    await this.storage.close?.();
  }

  /** Of a resolver's accounts, nobody knows the environment at boot: that of the process counts. */
  private movesMoney(): boolean {
    const { options } = this;
    if ('accounts' in options) return process.env['NODE_ENV'] === 'production';
    return options.environment === 'production';
  }

  private users(): Set<PaymentsLifecycle> {
    return usersOf.get(this.storage) ?? new Set();
  }
}
