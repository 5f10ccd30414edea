/** What the emulator takes; the specification shows that fees exist, not how much they are. */
export interface FeeRules {
  /** Hundredths of a per cent of a collection's amount. */
  readonly collectionBasisPoints: bigint;
  /** Cents, whatever the payout's amount. */
  readonly payoutCents: bigint;
}

/** Rounded to the nearest cent, halves up. */
export function collectionFee(amountCents: bigint, { collectionBasisPoints }: FeeRules): bigint {
  return (amountCents * collectionBasisPoints + 5_000n) / 10_000n;
}
