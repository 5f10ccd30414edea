import { Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { type PaymentsStorage } from './common/storage-port.js';
import { type ResolvedPaymentsOptions } from './config/resolved-options.js';
import { type GatewayClient } from './transport/gateway-client.js';

/** The accounts that use each storage: several may share one, and the last of them closes it. */
const usersOf = new WeakMap<PaymentsStorage, Set<PaymentsLifecycle>>();

/** What happens to one account when the application starts and stops. */
export class PaymentsLifecycle implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger('PaymentsModule');

  constructor(
    private readonly options: ResolvedPaymentsOptions,
    private readonly storage: PaymentsStorage,
    private readonly client: Pick<GatewayClient, 'idle'>,
  ) {}

  onApplicationBootstrap(): void {
    usersOf.set(this.storage, this.users().add(this));
    const { account, environment } = this.options;
    if (environment !== 'production' || this.storage.name !== 'memory') return;
    this.logger.warn(
      `The account "${account}" moves real money and remembers payments and webhooks in memory only: after a restart, or on ` +
        'a second replica, nothing is known of open payments, and a handler may run again, so make its effect idempotent.',
    );
  }

  /** What is under way is still written down. */
  async onApplicationShutdown(): Promise<void> {
    await this.client.idle();
    const users = this.users();
    users.delete(this);
    if (users.size === 0) await this.storage.close?.();
  }

  private users(): Set<PaymentsLifecycle> {
    return usersOf.get(this.storage) ?? new Set();
  }
}
