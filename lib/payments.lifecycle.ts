import { Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { type PaymentsStorage } from './common/storage-port.js';
import { type ResolvedPaymentsOptions } from './config/resolved-options.js';
import { type GatewayClient } from './transport/gateway-client.js';

/** What happens to one account when the application starts and stops. */
export class PaymentsLifecycle implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger('PaymentsModule');

  constructor(
    private readonly options: ResolvedPaymentsOptions,
    private readonly storage: PaymentsStorage,
    private readonly client: Pick<GatewayClient, 'idle'>,
  ) {}

  onApplicationBootstrap(): void {
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
    await this.storage.close?.();
  }
}
