import { type Collection } from './collection.js';
import { NameDirectory } from './name-directory.js';
import { type Payout } from './payout.js';
import { Wallet } from './wallet.js';

/** The merchant that is meant unless another is named. */
export const DEFAULT_MERCHANT = 'demo';

/** Everything that belongs to one key pair, and to nobody else. */
export class Merchant {
  readonly wallet: Wallet;
  readonly collections = new Map<string, Collection>();
  readonly payouts = new Map<string, Payout>();
  /** Idempotency keys of accepted requests; a refused request does not use up its key. */
  readonly processedKeys = new Set<string>();

  /** Who holds which account in this merchant's eyes. */
  readonly directory: NameDirectory;

  constructor(
    readonly name: string,
    startingCents: bigint,
    shared: NameDirectory,
  ) {
    this.wallet = new Wallet(startingCents);
    this.directory = new NameDirectory(shared);
  }

  /** Lets every timer find that what it was for is gone. */
  forget(): void {
    this.collections.clear();
    this.payouts.clear();
  }

  /** Whether the merchant has a collection or payout of the request's reference already. */
  knows(kind: 'collection' | 'payout', body: unknown): boolean {
    const { reference } = body as { readonly reference?: string };
    const known: ReadonlyMap<string, unknown> = kind === 'collection' ? this.collections : this.payouts;
    return reference !== undefined && known.has(reference);
  }
}
