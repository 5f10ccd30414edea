import { centsAsNumber } from './amounts.js';

/** Money that a person added to a wallet, or took out of it; or that of a payment whose reference a later one took. */
export interface WalletAdjustment {
  readonly at: number;
  /** Negative if it was taken out. */
  readonly cents: bigint;
  /** The reference of that payment. */
  readonly reference?: string | undefined;
}

/** A merchant's money in whole cents. The balance is always the available plus the locked money. */
export class Wallet {
  locked = 0n;

  constructor(public available: bigint) {}

  get balance(): bigint {
    return this.available + this.locked;
  }

  /** Replaces the available money; locked money stays. */
  hold(cents: bigint): void {
    this.available = cents;
  }

  /** A collection succeeded, or money came from outside. */
  receive(cents: bigint): void {
    this.available += cents;
  }

  /** A payout was accepted. Returns false and changes nothing if the available money is too little. */
  lock(cents: bigint): boolean {
    if (cents > this.available) return false;
    this.available -= cents;
    this.locked += cents;
    return true;
  }

  /** A payout was paid. */
  spend(cents: bigint): void {
    this.locked -= cents;
  }

  /** A payout failed or was cancelled. */
  release(cents: bigint): void {
    this.locked -= cents;
    this.available += cents;
  }
}

/** The gateway's record (specification, "Wallet balance"). */
export function walletRecord({ balance, available, locked }: Wallet) {
  return {
    balance: centsAsNumber(balance),
    available_balance: centsAsNumber(available),
    locked_balance: centsAsNumber(locked),
    currency: 'TZS',
  };
}
