import { centsAsNumber } from './amounts.js';

/** A merchant's money in whole cents. The balance is always the available plus the locked money. */
export class Wallet {
  private lockedCents = 0n;

  constructor(private availableCents: bigint) {}

  get available(): bigint {
    return this.availableCents;
  }

  get locked(): bigint {
    return this.lockedCents;
  }

  get balance(): bigint {
    return this.availableCents + this.lockedCents;
  }

  /** Replaces the available money; locked money stays. */
  hold(cents: bigint): void {
    this.availableCents = cents;
  }

  /** A collection succeeded, or money came from outside. */
  receive(cents: bigint): void {
    this.availableCents += cents;
  }

  /** A payout was accepted. Returns false and changes nothing if the available money is too little. */
  lock(cents: bigint): boolean {
    if (cents > this.availableCents) return false;
    this.availableCents -= cents;
    this.lockedCents += cents;
    return true;
  }

  /** A payout was paid. */
  spend(cents: bigint): void {
    this.lockedCents -= cents;
  }

  /** A payout failed or was cancelled. */
  release(cents: bigint): void {
    this.lockedCents -= cents;
    this.availableCents += cents;
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
