import { Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { type PaymentsStorage } from './common/storage-port.js';
import { type ResolvedPaymentsOptions } from './config/resolved-options.js';

/** What happens to one account when the application starts and stops. */
export class PaymentsLifecycle implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger('PaymentsModule');

  constructor(
    private readonly options: ResolvedPaymentsOptions,
    private readonly storage: PaymentsStorage,
  ) {}

  onApplicationBootstrap(): void {
    const { account, environment, webhooks } = this.options;
    if (environment !== 'production' || this.storage.name !== 'memory' || !webhooks) return;
    this.logger.warn(
      `The account "${account}" takes real money and remembers webhooks in memory only: a restart or a second replica ` +
        'may run a handler again, so make its effect idempotent.',
    );
  }

  async onApplicationShutdown(): Promise<void> {
    await this.storage.close?.();
  }
}
