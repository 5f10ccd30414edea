import { type Collection } from './collection.js';
import { type GatewayAnswer } from './gateway-answer.js';
import { type NameDirectory } from './name-directory.js';
import { type Payout } from './payout.js';
import { Wallet, type WalletAdjustment } from './wallet.js';

/** The merchant of a call that names none. */
export const DEFAULT_MERCHANT = 'demo';

/** An idempotency key that was used. Of a key that a world names nothing else is known. */
export interface UsedKey {
  /** Stands for the operation and the body. */
  readonly request?: string;
  readonly answer?: Pick<GatewayAnswer, 'status' | 'body'>;
  /** When it was used, in milliseconds since 1970. */
  readonly at?: number;
}

/** Everything that belongs to one key pair. */
export class Merchant {
  readonly wallet: Wallet;
  readonly collections = new Map<string, Collection>();
  readonly payouts = new Map<string, Payout>();
  /** What moved the wallet beside the payments and payouts, the oldest first. */
  readonly adjustments: WalletAdjustment[] = [];
  /** Used idempotency keys: those of accepted requests, and of refused ones if the profile says so. */
  readonly usedKeys = new Map<string, UsedKey>();

  /** Pairs of keys with a lower number are revoked. */
  firstValidPair = 0;
  /** The number of the pair that was issued last. */
  newestPair = 0;

  constructor(
    readonly name: string,
    startingCents: bigint,
    /** The account holders that this merchant sees. */
    readonly directory: NameDirectory,
  ) {
    this.wallet = new Wallet(startingCents);
  }

  /** Whether this pair was issued, and not revoked. */
  takesPair(number: number): boolean {
    return number >= this.firstValidPair && number <= this.newestPair;
  }

  /**
   * Clears payments and payouts, so that their timers find nothing, and the directory, which the next merchant of this name
   * has too.
   */
  reset(): void {
    this.firstValidPair = 0;
    this.newestPair = 0;
    this.collections.clear();
    this.payouts.clear();
    this.adjustments.length = 0;
    this.directory.clear();
  }

  /** Whether the merchant already has a collection or payout with the request's reference. */
  knows(kind: 'collection' | 'payout' | undefined, body: unknown): boolean {
    const { reference } = body as { readonly reference?: string };
    const known: ReadonlyMap<string, unknown> = kind === 'collection' ? this.collections : this.payouts;
    return reference !== undefined && known.has(reference);
  }
}
