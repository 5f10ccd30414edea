import { type ResolvedResolverOptions } from '../config/resolve-accounts.js';
import { PaymentsConfigError } from '../errors/payments-errors.js';
import {
  type DeliveryCheck,
  type FoundAccount,
  type NamedAccount,
} from '../webhooks/delivery/delivery-check.js';
import { type DeliveryQueue } from '../webhooks/delivery/delivery-queue.js';
import { UnknownAccount } from '../webhooks/delivery/unknown-account.js';
import { SHARE_OF_INCOMPLETE } from '../webhooks/raw-body/captured-body.js';
import { type ResolvedAccounts } from '../webhooks/delivery/webhook-accounts.js';
import { type AccountPool, type PooledAccount } from './account-pool.js';
import { type FoundByPath, PathLookups } from './path-lookups.js';

/** The webhooks of the accounts of a resolver. */
export class WebhooksOfPool implements ResolvedAccounts {
  readonly nobody: DeliveryCheck | undefined;
  private readonly pool: () => AccountPool;
  private readonly lookups: () => PathLookups;
  private readonly expectRoute: boolean;
  private queue: { readonly hasWorker: boolean } | undefined;

  constructor(
    pool: AccountPool,
    private readonly registration: string,
    { accounts, webhooks }: Pick<ResolvedResolverOptions, 'accounts' | 'webhooks'>,
    readonly storageName: string,
  ) {
    // Closures, because the pool holds keys.
    this.pool = () => pool;
    // Lookups get the same share as incomplete bodies, so that strangers never hold all the room.
    const waitingBytes = (webhooks?.unverifiedBytesLimit ?? 0) * SHARE_OF_INCOMPLETE;
    const lookups = new PathLookups(pool, { ...accounts, waitingBytes });
    this.lookups = () => lookups;
    this.nobody = webhooks && new UnknownAccount(registration, webhooks);
    this.expectRoute = webhooks?.expectRoute ?? false;
  }

  open(): void {
    this.pool().forEach(({ receiver }) => receiver?.open());
  }

  async close(): Promise<void> {
    this.lookups().close();
    const closing: Promise<void>[] = [];
    this.pool().forEach(({ receiver }) => {
      if (receiver) closing.push(receiver.close());
    });
    await Promise.all(closing);
  }

  find(account: string, bytes: number): FoundAccount | Promise<FoundAccount> {
    const found = this.lookups().find(account, bytes);
    return found instanceof Promise ? found.then((it) => this.asNamed(it)) : this.asNamed(found);
  }

  async hold(account: string): Promise<NamedAccount> {
    return this.used(await this.pool().open(account));
  }

  /** @throws PaymentsConfigError if there is a queue already. */
  useQueue(queue: DeliveryQueue, hasWorker = false): void {
    if (this.queue) {
      throw new PaymentsConfigError(
        `Two queues take the webhooks of the accounts of '${this.registration}': name in each one the accounts that it is for.`,
      );
    }
    this.queue = { hasWorker };
    this.pool().forEach(({ receiver }) => receiver?.useQueue(queue, hasWorker));
  }

  get isQueued(): boolean {
    return this.queue !== undefined;
  }

  expectsRoute(hasHttpServer: boolean): boolean {
    return this.expectRoute && (hasHttpServer || !this.queue?.hasWorker);
  }

  private asNamed(found: FoundByPath): FoundAccount {
    if (found === 'busy') return found;
    return found === 'unknown' ? this.named(undefined, () => undefined) : this.used(found);
  }

  private used(pooled: PooledAccount): NamedAccount {
    return this.named(pooled, this.pool().use(pooled));
  }

  private named(pooled: PooledAccount | undefined, release: () => void): NamedAccount {
    const receiver = pooled?.account.receiver;
    const check = receiver ?? this.nobody;
    if (check) return { check, receiver, release };
    release();
    throw new PaymentsConfigError(
      `The accounts of '${this.registration}' receive no webhooks: add webhooks: { scheme } beside \`accounts\`.`,
    );
  }
}
