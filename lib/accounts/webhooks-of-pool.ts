import { type ResolvedAccounts } from '../webhooks/delivery/webhook-accounts.js';
import { type AccountPool } from './account-pool.js';

/** The webhooks of the accounts of a resolver. */
export class WebhooksOfPool implements ResolvedAccounts {
  private readonly pool: () => AccountPool;

  constructor(pool: AccountPool) {
    // A closure, because the pool holds keys.
    this.pool = () => pool;
  }

  open(): void {
    this.pool().forEach(({ receiver }) => receiver?.open());
  }

  async close(): Promise<void> {
    const closing: Promise<void>[] = [];
    this.pool().forEach(({ receiver }) => {
      if (receiver) closing.push(receiver.close());
    });
    await Promise.all(closing);
  }
}
